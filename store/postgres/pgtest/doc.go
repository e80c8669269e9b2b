// Package pgtest gives tests a PostgreSQL database. It uses the server at the URL in the
// environment variable SHOPAPI_POSTGRES_DSN, or starts one from the binaries on the
// machine, in a temporary directory, on a private socket. Without either, and with the value
// none, a test is skipped with the reason; with SHOPAPI_REQUIRE_POSTGRES=1 it fails instead.
//
//	func TestStore(t *testing.T) {
//		st, err := postgres.Open(t.Context(), pgtest.DSN(t))
//		…
//	}
//
// [StartPgBouncer] and [PooledDSN] put a PgBouncer before a server, if the machine has
// one; with SHOPAPI_REQUIRE_PGBOUNCER=1 tests fail without it.
//
// [StartPatroni] starts two servers under Patroni.
//
// A server ends with the process that started it, also when that process is killed.
package pgtest
