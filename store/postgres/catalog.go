package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
)

// A table is a table as the database has it.
type table struct {
	columns map[string]column
	indexes map[string]bool
}

// A column is a column as the database has it.
type column struct{ notNull bool }

// tablesSQL asks for the columns and the indexes of tables, all at once: a shop has some two
// hundred tables, and a question for each would take most of its start.
const tablesSQL = `SELECT name, attname::text, attnotnull, false
	FROM unnest($1::text[]) AS tables (name) JOIN pg_attribute ON attrelid = to_regclass(name)::oid
	WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT name, relname::text, false, true
	FROM unnest($1::text[]) AS tables (name) JOIN pg_index ON indrelid = to_regclass(name)::oid JOIN pg_class ON pg_class.oid = indexrelid`

// readTables reads the tables of schemas. Missing tables get no entry.
func (m *migration) readTables(schemas []*store.Schema) error {
	names := make([]string, len(schemas))
	byName := make(map[string]string, len(schemas)) // of schemas, by their quoted names
	for i, s := range schemas {
		names[i] = quote(s.Name)
		byName[names[i]] = s.Name
	}
	rows, err := m.query(tablesSQL, names)
	if err != nil {
		return err
	}
	m.tables = make(map[string]*table, len(schemas))
	var of, name string
	var notNull, isIndex bool
	_, err = pgx.ForEachRow(rows, []any{&of, &name, &notNull, &isIndex}, func() error {
		t := m.tables[byName[of]]
		if t == nil {
			t = &table{columns: make(map[string]column), indexes: make(map[string]bool)}
			m.tables[byName[of]] = t
		}
		if isIndex {
			t.indexes[name] = true
		} else {
			t.columns[name] = column{notNull}
		}
		return nil
	})
	return err
}
