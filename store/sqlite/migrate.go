package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// Migrate implements [store.Store]. It is one transaction, which waits for the lock as
// [store.Starting] says. It also fails, with
// a [*store.ConflictError], when rows that are there break a new unique index.
func (s *Store) Migrate(ctx context.Context, schemas ...*store.Schema) error {
	for _, schema := range schemas {
		if err := sqltext.SQLite.Check(schema); err != nil {
			return err
		}
	}
	return s.Update(store.Starting(ctx), func(ctx context.Context, _ store.Tx) error {
		t := s.writer.running
		t.changes.all = true
		m := migration{conn: t.conn, db: t.conn.db}
		for _, schema := range schemas {
			if err := m.migrate(schema); err != nil {
				return fmt.Errorf("sqlite: migrate %s: %w", schema.Name, translate(ctx, err))
			}
		}
		return nil
	})
}

// A migration brings tables to their schemas, inside a transaction.
type migration struct {
	conn *conn
	db   *engine.Conn
}

func (m *migration) migrate(s *store.Schema) error {
	have, err := m.columns(s)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		err = m.db.Exec(sqltext.SQLite.CreateTable(s))
	} else {
		err = m.addColumns(s, have)
	}
	if err != nil {
		return err
	}
	for i := range s.Indexes {
		if err := m.db.Exec(sqltext.SQLite.CreateIndex(s, &s.Indexes[i])); err != nil {
			if err := conflict(s, err); errors.Is(err, store.ErrConflict) {
				return fmt.Errorf("rows that are there break the unique index over %s: %w",
					strings.Join(s.Indexes[i].Columns, ", "), err)
			}
			return err
		}
	}
	return m.search(s)
}

// columns names the columns that the table has; none when it is missing.
func (m *migration) columns(s *store.Schema) (map[string]bool, error) {
	have := make(map[string]bool)
	err := m.db.Query("SELECT name FROM pragma_table_xinfo(?)", []store.Value{store.String(s.Name)},
		func(row []store.Value) error {
			have[row[0].Text()] = true
			return nil
		})
	return have, err
}

func (m *migration) addColumns(s *store.Schema, have map[string]bool) error {
	if !have[s.Key()] {
		return fmt.Errorf("the table is there, but has no column %s for the key", s.Key())
	}
	for i, c := range s.Columns {
		if !have[c.Name] {
			if err := m.db.Exec(sqltext.SQLite.AddColumn(s, i, "")); err != nil {
				return err
			}
		}
		if c.Fold && !have[c.Name+sqltext.FoldSuffix] {
			if err := m.db.Exec(sqltext.SQLite.AddColumn(s, i, sqltext.FoldSuffix)); err != nil {
				return err
			}
			if err := m.fold(s, &s.Columns[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldBatch is how many rows are read before they are written.
const foldBatch = 500

// fold fills the folded form of a column in the rows that are there.
func (m *migration) fold(s *store.Schema, c *store.Column) error {
	table, key, column := quote(s.Name), quote(s.Key()), quote(c.Name)
	read := "SELECT " + key + ", " + column + " FROM " + table + " WHERE " + key + " >= ? ORDER BY " + key + " LIMIT ?"
	write, err := m.db.Prepare("UPDATE " + table + " SET " + quote(c.Name+sqltext.FoldSuffix) + " = ? WHERE " + key + " = ?")
	if err != nil {
		return err
	}
	defer write.Finalize()

	var changes [][]store.Value // folded form and key
	for from := int64(math.MinInt64); ; {
		changes = changes[:0]
		err := m.db.Query(read, []store.Value{store.Int(from), store.Int(foldBatch)}, func(row []store.Value) error {
			changes = append(changes, []store.Value{sqltext.Fold(row[1]), row[0]})
			return nil
		})
		if err != nil {
			return err
		}
		for _, change := range changes {
			if err := write.Bind(change); err != nil {
				return err
			}
			if err := run(write); err != nil {
				return err
			}
		}
		if len(changes) < foldBatch {
			return nil
		}
		last := changes[len(changes)-1][1].Int()
		if last == math.MaxInt64 {
			return nil
		}
		from = last + 1
	}
}

// quote quotes a name of a schema, which holds no quote.
func quote(name string) string { return `"` + name + `"` }
