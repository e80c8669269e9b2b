// Package pgtest gives tests a PostgreSQL database. It takes the one that the
// environment variable SHOPAPI_POSTGRES_DSN names, a URL, or starts a server from the
// binaries on the machine, in a temporary directory, on a socket that nothing else
// sees. Where there is neither, a test is skipped and says so; with
// SHOPAPI_REQUIRE_POSTGRES=1 it fails instead.
//
//	func TestStore(t *testing.T) {
//		st, err := postgres.Open(t.Context(), pgtest.DSN(t))
//		…
//	}
//
// [StartPgBouncer] and [PooledDSN] put a PgBouncer before a server, where one is on the
// machine; SHOPAPI_REQUIRE_PGBOUNCER=1 has tests fail without.
//
// [StartPatroni] starts two servers under Patroni.
//
// A server ends with the process that started it, also when that is killed.
package pgtest
