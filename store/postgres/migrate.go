package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// Migrate implements [store.Store]. Another process may have taken any of its steps, or
// may be taking it: no step needs a lock that outlives it. Migrate also fails, with a
// [*store.ConflictError], if existing rows break a new unique index.
//
// Migrate skips schemas that it has migrated before: it does not compare them with the database
// again.
func (s *Store) Migrate(ctx context.Context, schemas ...*store.Schema) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	schemas = s.migrated.others(schemas)
	if len(schemas) == 0 {
		return nil
	}
	pooled, err := s.pool.Acquire(ctx)
	if err != nil {
		return translate(ctx, err)
	}
	defer pooled.Release()
	m := migration{ctx: ctx, conn: pooled, made: make(map[string]bool)}
	if err := m.detect(); err != nil {
		return translate(ctx, err)
	}
	if err := m.readTables(append(schemas[:len(schemas):len(schemas)], store.SchemaChanges())); err != nil {
		return translate(ctx, err)
	}
	if err := m.checkNumber(); err != nil {
		return translate(ctx, err)
	}
	for _, schema := range schemas {
		if err := m.migrate(schema); err != nil {
			return fmt.Errorf("postgres: migrate %s: %w", schema.Name, translate(ctx, err))
		}
	}
	if err := m.watch(s, schemas); err != nil {
		return err
	}
	s.migrated.add(schemas)
	return nil
}

// migrated are the schemas that a Store has migrated. The entities of a shop share some tables,
// and each Migrate takes several round trips.
type migrated struct{ schemas sync.Map }

// others returns the schemas that the Store has not migrated.
func (m *migrated) others(schemas []*store.Schema) []*store.Schema {
	return slices.DeleteFunc(slices.Clone(schemas), func(s *store.Schema) bool {
		_, done := m.schemas.Load(s)
		return done
	})
}

func (m *migrated) add(schemas []*store.Schema) {
	for _, s := range schemas {
		m.schemas.Store(s, nil)
	}
}

// A migration brings tables to their schemas.
type migration struct {
	ctx     context.Context
	conn    *pgxpool.Conn
	engine  engine
	dialect *sqltext.Dialect
	tables  map[string]*table // as they were at the beginning
	made    map[string]bool   // tables that were missing

	trigrams       string // the operator class of a search index, or ""
	soughtTrigrams bool
}

// detect finds out what kind of server it is.
func (m *migration) detect() error {
	var version, encoding string
	if err := m.queryRow("SELECT version(), current_setting('server_encoding')").Scan(&version, &encoding); err != nil {
		return err
	}
	if !strings.EqualFold(strings.ReplaceAll(encoding, "-", ""), "UTF8") {
		return fmt.Errorf("postgres: the database is encoded in %s: create one with ENCODING 'UTF8'", encoding)
	}
	m.dialect = &sqltext.PostgreSQL
	m.engine = engineOf(version)
	if m.engine == cockroachDB {
		m.dialect = &sqltext.CockroachDB
		m.trigrams, m.soughtTrigrams = "gin_trgm_ops", true
	}
	return nil
}

// checkNumber refuses a database that a newer version of the library has upgraded.
func (m *migration) checkNumber() error {
	if m.tables[store.SchemaChanges().Name] == nil {
		return nil
	}
	var n int64
	err := m.conn.QueryRow(m.ctx, m.dialect.Get(driver.SchemaNumber()), pgx.QueryExecModeExec, store.SchemaNumberKey).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return first(err, driver.CheckSchemaNumber(n))
}

func (m *migration) migrate(s *store.Schema) error {
	if err := m.dialect.Check(s); err != nil {
		return err
	}
	var err error
	have := m.tables[s.Name]
	if have == nil {
		have = &table{}
		m.made[s.Name] = true
		err = m.exec(m.dialect.CreateTable(s) + m.room(s))
	} else {
		err = m.addColumns(s, have.columns)
	}
	if err != nil {
		return err
	}
	return m.createIndexes(s, have.indexes)
}

// room leaves room in each page of a table with volatile columns: PostgreSQL leaves the indexes
// alone only if the new row fits into the page of the old one.
func (m *migration) room(s *store.Schema) string {
	if m.engine == postgreSQL && slices.ContainsFunc(s.Indexes, func(x store.Index) bool { return x.Volatile }) {
		return " WITH (fillfactor = 80)"
	}
	return ""
}

func (m *migration) addColumns(s *store.Schema, have map[string]column) error {
	if _, ok := have[s.Key()]; !ok {
		return fmt.Errorf("the table is there, but has no column %s for the key", s.Key())
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		_, there := have[c.Name]
		if !there {
			if err := m.exec(m.dialect.AddColumn(s, i, "")); err != nil {
				return err
			}
		}
		if !c.Fold {
			continue
		}
		folded, known := have[c.Name+sqltext.FoldSuffix]
		var err error
		switch {
		case !there && !known:
			err = m.exec(m.dialect.AddColumn(s, i, sqltext.FoldSuffix))
		case !known || !folded.notNull:
			err = m.addFold(s, c, known)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *migration) createIndexes(s *store.Schema, have map[string]bool) error {
	for i := range s.Indexes {
		x := &s.Indexes[i]
		if x.Volatile && m.engine == postgreSQL || have[m.dialect.IndexName(s, x)] { // creating it again would wait for writers
			continue
		}
		if err := m.exec(m.dialect.CreateIndex(s, x)); err != nil {
			if err := conflict(s, err); errors.Is(err, store.ErrConflict) {
				return fmt.Errorf("rows that are there break the unique index over %s: %w", strings.Join(x.Columns, ", "), err)
			}
			return err
		}
	}
	for i := range s.Former {
		x := &s.Former[i]
		if !have[m.dialect.IndexName(s, x)] {
			continue
		}
		if err := m.exec(m.dropIndex(s, x)); err != nil {
			return err
		}
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		name := m.dialect.SearchName(s, c)
		if !c.Search || have[name] || !m.canSearch() {
			continue
		}
		// Searches are right without it, and not every server can have it.
		err := m.exec("CREATE INDEX IF NOT EXISTS " + quote(name) + " ON " + quote(s.Name) +
			" USING gin (" + quote(c.Name+sqltext.FoldSuffix) + " " + m.trigrams + ")")
		if err != nil && (code(err) == "" || m.ctx.Err() != nil) {
			return err
		}
	}
	return nil
}

// dropIndex returns the statement that drops an index while others read and write its table.
func (m *migration) dropIndex(s *store.Schema, x *store.Index) string {
	name := quote(m.dialect.IndexName(s, x))
	switch {
	case m.engine == postgreSQL:
		return "DROP INDEX CONCURRENTLY IF EXISTS " + name // waits for the transactions that have used the table
	case m.engine == cockroachDB && x.Unique:
		return "DROP INDEX IF EXISTS " + quote(s.Name) + "@" + name + " CASCADE" // to its constraint
	case m.engine == cockroachDB:
		return "DROP INDEX IF EXISTS " + quote(s.Name) + "@" + name
	}
	return "DROP INDEX IF EXISTS " + name // YugabyteDB refuses CONCURRENTLY
}

// canSearch reports whether an index for searches can be made, and installs the
// extension that it takes where the user may do that.
func (m *migration) canSearch() bool {
	if m.soughtTrigrams {
		return m.trigrams != ""
	}
	m.soughtTrigrams = true
	const where = "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'"
	var schema string
	if m.queryRow(where).Scan(&schema) != nil {
		_, _ = m.conn.Exec(m.ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm")
		if m.queryRow(where).Scan(&schema) != nil {
			return false
		}
	}
	m.trigrams = pgx.Identifier{schema}.Sanitize() + ".gin_trgm_ops"
	return true
}

// query runs a query. Nothing is prepared under a name, in whatever mode the host's
// pool is: behind a pooler the next statement may meet another session.
func (m *migration) query(sql string, args ...any) (pgx.Rows, error) {
	return m.conn.Query(m.ctx, sql, append([]any{pgx.QueryExecModeExec}, args...)...)
}

// queryRow is query for one row.
func (m *migration) queryRow(sql string) pgx.Row {
	return m.conn.QueryRow(m.ctx, sql, pgx.QueryExecModeExec)
}

// exec runs a statement that changes the schema, again when it met another
// process that did the same.
func (m *migration) exec(sql string) error {
	for attempt := 1; ; attempt++ {
		_, err := m.conn.Exec(m.ctx, sql)
		if err == nil || attempt == maxAttempts || !isRace(err) {
			return err
		}
		if err := sleep(m.ctx, attempt); err != nil {
			return err
		}
	}
}

// isRace reports whether a statement that changes the schema failed because another
// process ran it, or another one on the same table, at the same moment. IF NOT EXISTS
// does not see uncommitted tables.
func isRace(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case "42P07", "42701", "42710": // the table or index, the column, the row type exists
		return true
	case uniqueViolation: // in a catalog, not in the table
		return e.SchemaName == "pg_catalog"
	case "XX000":
		return strings.Contains(e.Message, "tuple concurrently")
	}
	return isConflict(err)
}
