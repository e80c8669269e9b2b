package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// DSN returns the DSN of an empty schema, which is dropped when the test ends.
func DSN(t testing.TB) string {
	t.Helper()
	base, err := shared()
	if err != nil {
		unavailable(t, err)
	}
	schema := createSchema(t, base)
	t.Cleanup(func() {
		if err := runSQL(base, "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Logf("pgtest: %v", err)
		}
	})
	return with(base, "search_path", schema)
}

// createSchema creates a schema and returns its name.
func createSchema(t testing.TB, base string) string {
	t.Helper()
	schema := fmt.Sprintf("shopapi_%d_%d", os.Getpid(), schemas.Add(1))
	if err := runSQL(base, "CREATE SCHEMA "+schema); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	// Outside of the schemas that tests come and go with. A role without the right tests
	// without it.
	_ = runSQL(base, "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public")
	return schema
}

var schemas atomic.Int64

// dsnVariable is the environment variable that names a database; none is its value for tests as on
// a machine without PostgreSQL.
const (
	dsnVariable = "SHOPAPI_POSTGRES_DSN"
	none        = "none"
)

// givenDSN is the DSN that the environment names, "" without one.
func givenDSN() string {
	if dsn := os.Getenv(dsnVariable); dsn != none {
		return dsn
	}
	return ""
}

// shared returns the DSN of the database that the tests of this process share.
var shared = sync.OnceValues(func() (string, error) {
	if dsn := givenDSN(); dsn != "" {
		if !strings.HasPrefix(dsn, "postgres") {
			return "", errors.New("SHOPAPI_POSTGRES_DSN is no URL such as postgres://user@host/database")
		}
		return dsn, nil
	}
	s, err := startShared()
	if err != nil {
		return "", err
	}
	return s.DSN(), nil
})

var errNoServer = errors.New("the binaries of the server are not on this machine")

// with adds a parameter to a DSN.
func with(dsn, name, value string) string {
	separator := "?"
	if strings.Contains(dsn, "?") {
		separator = "&"
	}
	return dsn + separator + name + "=" + value
}

// runSQL runs a statement on a connection of its own.
func runSQL(dsn, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// unavailable ends a test that has no database.
func unavailable(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("SHOPAPI_REQUIRE_POSTGRES") != "" {
		t.Fatalf("pgtest: PostgreSQL is required: %v", err)
	}
	t.Skipf("pgtest: no PostgreSQL: %v; set SHOPAPI_POSTGRES_DSN, or install the server", err)
}
