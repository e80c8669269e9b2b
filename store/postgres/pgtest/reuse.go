package pgtest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// ReusedDSN returns the DSN of a schema that has no rows, and perhaps the tables of an
// earlier test of this process, since emptying the tables of a shop takes far less time
// than creating them. It is for tests that migrate to the same tables and alter none.
// Only a server that ends with the process keeps schemas; on others it is [DSN].
func ReusedDSN(t testing.TB) string {
	t.Helper()
	if os.Getenv(dsnVariable) != "" {
		return DSN(t)
	}
	base, err := shared()
	if err != nil {
		unavailable(t, err)
	}
	schema := used.take()
	if schema == "" {
		schema = createSchema(t, base)
	}
	t.Cleanup(func() {
		if err := runSQL(base, fmt.Sprintf(emptyTables, schema)); err != nil {
			t.Logf("pgtest: %v", err)
			return
		}
		used.put(schema)
	})
	return with(base, "search_path", schema)
}

// emptyTables deletes the rows of a schema, from tables that ever had any, and has its sequences
// begin anew.
const emptyTables = `DO $$
DECLARE r record;
BEGIN
	FOR r IN SELECT c.oid::regclass AS name FROM pg_class c WHERE c.relnamespace = '%[1]s'::regnamespace AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0 AND c.relname NOT IN ('shopapi_versions', 'shopapi_epochs') LOOP
		EXECUTE 'DELETE FROM ' || r.name;
	END LOOP;
	FOR r IN SELECT schemaname, sequencename, start_value FROM pg_sequences WHERE schemaname = '%[1]s' AND last_value IS NOT NULL LOOP
		PERFORM setval(format('%%I.%%I', r.schemaname, r.sequencename)::regclass, r.start_value, false);
	END LOOP;
END $$`

// A schemaPool has the schemas that can be reused.
type schemaPool struct {
	mu      sync.Mutex
	schemas []string
}

var used schemaPool

// take returns a schema, "" if there is none.
func (p *schemaPool) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.schemas) == 0 {
		return ""
	}
	last := len(p.schemas) - 1
	schema := p.schemas[last]
	p.schemas = p.schemas[:last]
	return schema
}

func (p *schemaPool) put(schema string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.schemas = append(p.schemas, schema)
}
