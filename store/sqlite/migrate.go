package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
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
	_, joined := driver.Joined(ctx, s)
	var number int64
	err := s.Update(store.Starting(ctx), func(ctx context.Context, _ store.Tx) (err error) {
		t := s.writer.running
		m := migration{conn: t.conn, db: t.conn.db}
		if number, err = m.number(); err != nil {
			return translate(ctx, err)
		}
		left := s.migrated.others(number, schemas)
		if len(left) == 0 {
			return nil
		}
		if err := t.flushAll(); err != nil {
			return err
		}
		t.changes.all = true
		if err := m.readObjects(); err != nil {
			return translate(ctx, err)
		}
		for _, schema := range left {
			if err := m.migrate(schema); err != nil {
				return fmt.Errorf("sqlite: migrate %s: %w", schema.Name, translate(ctx, err))
			}
		}
		number, err = m.number()
		return translate(ctx, err)
	})
	if err == nil && !joined { // the transaction of a joined Migrate may still be rolled back
		s.migrated.add(number, schemas)
	}
	return err
}

// migrated are the schemas to which a Store has brought the tables of the file, while the schema of
// the file has one number. The entities of a shop share tables with each other and with the shop.
type migrated struct {
	mu      sync.Mutex
	number  int64
	schemas map[*store.Schema]bool
}

// others returns the schemas that may differ from the file.
func (m *migrated) others(number int64, schemas []*store.Schema) []*store.Schema {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.number != number {
		return schemas
	}
	return slices.DeleteFunc(slices.Clone(schemas), func(s *store.Schema) bool { return m.schemas[s] })
}

func (m *migrated) add(number int64, schemas []*store.Schema) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.number != number || m.schemas == nil {
		m.number, m.schemas = number, make(map[*store.Schema]bool)
	}
	for _, s := range schemas {
		m.schemas[s] = true
	}
}

// A migration brings tables to their schemas, inside a transaction.
type migration struct {
	conn    *conn
	db      *engine.Conn
	objects map[string]string // the SQL of tables and indexes, as they were at the beginning
}

// number is the number of the file's schema, which each change of a table or an index raises.
func (m *migration) number() (n int64, err error) {
	err = m.db.Query("PRAGMA schema_version", nil, func(row []store.Value) error {
		n = row[0].Int()
		return nil
	})
	return n, err
}

func (m *migration) readObjects() error {
	m.objects = make(map[string]string)
	return m.db.Query("SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL", nil,
		func(row []store.Value) error {
			m.objects[row[0].Text()] = row[1].Text()
			return nil
		})
}

// same reports whether the table and its indexes are already as the schema has them.
func (m *migration) same(s *store.Schema) bool {
	if m.objects[s.Name] != sqltext.SQLite.CreateTable(s) {
		return false
	}
	for i := range s.Indexes {
		if m.objects[sqltext.SQLite.IndexName(s, &s.Indexes[i])] != indexSQL(s, &s.Indexes[i]) {
			return false
		}
	}
	return len(m.formerIndexes(s)) == 0
}

// indexSQL is the SQL of an index as the engine keeps it.
func indexSQL(s *store.Schema, x *store.Index) string {
	return strings.Replace(sqltext.SQLite.CreateIndex(s, x), " IF NOT EXISTS ", " ", 1)
}

// formerIndexes names the indexes that the table has from older versions: the former ones of the schema,
// and others over the same columns as the indexes of the schema, which are to be made anew.
func (m *migration) formerIndexes(s *store.Schema) (names []string) {
	for i := range s.Former {
		if name := sqltext.SQLite.IndexName(s, &s.Former[i]); m.objects[name] != "" {
			names = append(names, name)
		}
	}
	for i := range s.Indexes {
		name := sqltext.SQLite.IndexName(s, &s.Indexes[i])
		if sql := m.objects[name]; sql != "" && sql != indexSQL(s, &s.Indexes[i]) {
			names = append(names, name)
		}
	}
	return names
}

func (m *migration) migrate(s *store.Schema) error {
	if m.same(s) {
		return m.search(s)
	}
	have, err := m.columns(s)
	if err != nil {
		return err
	}
	delete(m.objects, s.Name) // another schema of the same table compares it anew
	if len(have) == 0 {
		err = m.db.Exec(sqltext.SQLite.CreateTable(s))
	} else {
		err = m.addColumns(s, have)
	}
	if err != nil {
		return err
	}
	for _, name := range m.formerIndexes(s) {
		if err := m.db.Exec("DROP INDEX IF EXISTS " + quote(name)); err != nil {
			return err
		}
		delete(m.objects, name)
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
