//go:build !unix

package pgtest

import "testing"

// A server cannot be started here: tests need SHOPAPI_POSTGRES_DSN.
type server struct{}

func (*server) DSN() string { return "" }

func startShared() (*server, error) { return nil, errNoServer }

// Missing returns an error for each server, unless the environment names a database.
func Missing() (server, bouncer error) {
	if givenDSN() == "" {
		server = errNoServer
	}
	return server, errNoServer
}

// Options say what a server is to be.
type Options struct{ Settings []string }

// Launch fails: a server cannot be started here.
func Launch(Options) (dsn string, stop func(), err error) { return "", nil, errNoServer }

// LaunchReplicated fails: servers cannot be started here.
func LaunchReplicated(int) (dsn string, replicas []string, stop func(), err error) {
	return "", nil, nil, errNoServer
}

// PooledDSN skips the test: a PgBouncer cannot be started here.
func PooledDSN(t testing.TB) string {
	t.Helper()
	unavailable(t, errNoServer)
	return ""
}
