//go:build !unix

package pgtest

// A server cannot be started here: tests need SHOPAPI_POSTGRES_DSN.
type server struct{}

func (*server) DSN() string { return "" }

func startShared() (*server, error) { return nil, errNoServer }
