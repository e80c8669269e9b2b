//go:build unix

package pgtest

import "os"

// Missing returns why tests that need them have no PostgreSQL and no PgBouncer on this
// machine, nil for what is there.
func Missing() (server, bouncer error) {
	if os.Getenv(dsnVariable) == "" {
		_, server = binaries()
	}
	_, bouncer = bouncerProgram()
	return server, bouncer
}
