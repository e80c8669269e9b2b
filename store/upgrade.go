package store

import (
	"context"
	"errors"
	"fmt"
)

// SchemaNumber is the number of the schema that this version of the library works with
// (§24). It rises by one with each release that adds a [Conversion], or beside which an
// older version must not write. A database has the greatest number of all versions that
// upgraded it; older versions get [ErrNewerSchema] from then on.
const SchemaNumber = 1

// A Conversion rewrites the rows of an older version of the library for this version. It
// runs once for a database, in the first process that upgrades it.
type Conversion struct {
	// Name is recorded in the database when the conversion is done, so it never
	// changes: the table and what becomes of it, as in "products: image pairs". A
	// host's own begins with a name of the host's.
	Name string

	// Tables are the tables that Convert reads and writes. They are migrated before
	// Convert runs, and locked against other writers while it does.
	Tables []*Schema

	// Convert changes the rows in tx, all or nothing. It may run again, like the function
	// of any [Store.Update], and runs on a new database too, which has no rows. Read
	// tables of any size with [Reader.Batches].
	//
	// Leave rows that do not fit the new form unchanged: they are served unchanged until
	// somebody writes them. An error stops the program that upgrades.
	Convert func(ctx context.Context, tx Tx) error
}

// Upgrade runs the conversions that the database has not had, in their order, and gives
// it the [SchemaNumber]. All of that is one transaction: where one fails, the database
// is as it was, but for new tables and columns, and serves an older version of the
// library again. Several processes may upgrade one database at once; one of them
// converts.
//
// It returns the error of the conversion that failed, with its name;
// [ErrNewerSchema]; and errors of the store.
func Upgrade(ctx context.Context, st Store, conversions ...Conversion) error {
	tables := []*Schema{SchemaChanges()}
	for i := range conversions {
		tables = append(tables, conversions[i].Tables...)
	}
	if err := st.Migrate(ctx, tables...); err != nil {
		return err
	}
	var pending bool
	err := st.View(ctx, func(_ context.Context, tx Tx) error {
		done, err := readChanges(tx)
		pending = err == nil && (done.number < SchemaNumber || len(done.missing(conversions)) > 0)
		return err
	})
	if err != nil || !pending {
		return err
	}
	return UpdateLocked(ctx, st, tables, func(ctx context.Context, tx Tx) error {
		done, err := readChanges(tx)
		if err != nil {
			return err
		}
		if err := setNumber(tx); err != nil { // first, so that its row gets its key
			return err
		}
		for _, c := range done.missing(conversions) {
			if err := c.Convert(ctx, tx); err != nil {
				return fmt.Errorf("store: upgrade: %s: %w", c.Name, err)
			}
			if err := changes.Insert(tx, &schemaChange{Change: c.Name, Number: SchemaNumber}); err != nil {
				return err
			}
		}
		return nil
	})
}

// A schemaChange is a conversion that the database has had, and the schema number of the
// version that ran it. The row [SchemaNumberKey] is not a conversion: it contains the
// number of the database.
type schemaChange struct {
	ChangeID int64  `json:"change_id" store:"key"`
	Change   string `json:"change"`
	Number   int64  `json:"number"`
}

var changes = MustTable[schemaChange]("schema_changes", Index{Columns: []string{"change"}, Unique: true})

// SchemaChanges is the table of the conversions that a database has had, for programs
// that copy one store into another. [Upgrade] creates it.
func SchemaChanges() *Schema { return changes.Schema() }

// SchemaNumberKey is the key of the row of [SchemaChanges] whose column number is the
// schema number of the database. Where there is no such row it is 0.
const SchemaNumberKey = 1

// doneChanges are what [Upgrade] has done before.
type doneChanges struct {
	number int64
	names  map[string]bool
}

func readChanges(tx Tx) (doneChanges, error) {
	rows, err := changes.Select(tx, Query{})
	done := doneChanges{names: make(map[string]bool, len(rows))}
	for _, row := range rows {
		if row.ChangeID == SchemaNumberKey {
			done.number = row.Number
		} else {
			done.names[row.Change] = true
		}
	}
	return done, err
}

// missing returns the conversions that have not run, without duplicates.
func (d *doneChanges) missing(conversions []Conversion) (list []Conversion) {
	listed := make(map[string]bool)
	for _, c := range conversions {
		if !d.names[c.Name] && !listed[c.Name] {
			listed[c.Name] = true
			list = append(list, c)
		}
	}
	return list
}

// setNumber raises the number of the database.
func setNumber(tx Tx) error {
	row := schemaChange{ChangeID: SchemaNumberKey, Change: "schema", Number: SchemaNumber}
	was, err := changes.Get(tx, SchemaNumberKey)
	switch {
	case errors.Is(err, ErrNotFound):
		return changes.Insert(tx, &row)
	case err != nil || was.Number >= SchemaNumber:
		return err
	}
	return changes.Update(tx, &row)
}
