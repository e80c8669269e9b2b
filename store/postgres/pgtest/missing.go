//go:build unix

package pgtest

// Missing returns why tests have no PostgreSQL and no PgBouncer on this machine. An error is
// nil if the program is installed.
func Missing() (server, bouncer error) {
	if givenDSN() == "" {
		_, server = binaries()
	}
	_, bouncer = bouncerProgram()
	return server, bouncer
}
