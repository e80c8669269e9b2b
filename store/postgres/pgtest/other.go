//go:build !unix

package pgtest

// A server cannot be started here: tests need SHOPAPI_POSTGRES_DSN.
type server struct{}

func (*server) DSN() string { return "" }

func startShared() (*server, error) { return nil, errNoServer }

// Options say what a server is to be.
type Options struct{ Settings []string }

// Launch fails: a server cannot be started here.
func Launch(Options) (dsn string, stop func(), err error) { return "", nil, errNoServer }
