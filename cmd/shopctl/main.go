// Command shopctl administers the database of a shop from a terminal. It does what the
// API does not offer, such as making keys and erasing personal data:
//
//	go run ./cmd/shopctl users add -root -db shop.db ana@example.com
//	go run ./cmd/shopctl keys create -db shop.db ana@example.com
//	go run ./cmd/shopctl check -db shop.db
//
// Without arguments it lists its commands, and with -help each tells its flags. A
// database is an SQLite file or the URL of a PostgreSQL database. The shop may run
// meanwhile, but for copy: changes count there within a second.
//
// Other users of the machine see the command line, and so a password in a URL: prefer
// the environment variable SHOPAPI_DB, or PGPASSWORD and ~/.pgpass. Keys and passwords
// are never arguments. A new key is all that is written to the standard output, once.
//
// The commands open the database as a shop with the library's entities does: they make
// what tables are missing, and upgrade what an older version wrote. Hooks, entities and
// an Authenticator of a program's own are not there.
//
// The exit code is 0 when all is done, 2 for arguments that are none, 1 for other
// failures and where check finds something.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal is not caught
	os.Exit(run(ctx, os.Args[1:], terminal{os.Stdin, os.Stdout, os.Stderr}))
}

// A terminal is what a command reads and writes: results to out, all else to err.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// A command is one of the things that shopctl does.
type command struct {
	name    string // a word or two
	args    string // names of those after the flags
	summary string
	flags   func(*flag.FlagSet) action
}

// An action runs a command after its flags were parsed.
type action func(ctx context.Context, t terminal, args []string) error

var commands = []command{
	{"users list", "", "list users", listUsers},
	{"users add", "EMAIL", "add a user, who has no key and no password yet", addUser},
	{"users password", "EMAIL", "set the password, which the terminal or standard input gives", setPassword},
	{"users status", "EMAIL STATUS", "activate (A) or disable (D) a user", setStatus},
	{"keys create", "EMAIL", "make the first API key of a user", createKey},
	{"keys rotate", "EMAIL", "replace the API key of a user", rotateKey},
	{"keys revoke", "EMAIL", "end the API key of a user", revokeKey},
	{"erase", "EMAIL", "blank what is known of a person, everywhere", erase},
	{"check", "", "look for rows that contradict each other", check},
	{"copy", "", "copy a shop from one database to another", copyShop},
}

// errUsage is the error of arguments that are none.
var errUsage = errors.New("usage")

// run carries out the command that the arguments name, and returns the exit code.
func run(ctx context.Context, args []string, t terminal) int {
	err := dispatch(ctx, args, t)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(t.err, "shopctl:", err)
	return 1
}

func dispatch(ctx context.Context, args []string, t terminal) error {
	c, args := find(args)
	if c == nil {
		list(t.err)
		if len(args) == 1 && strings.HasPrefix(strings.TrimLeft(args[0], "-"), "h") {
			return flag.ErrHelp
		}
		return errUsage
	}
	flags := flag.NewFlagSet("shopctl "+c.name, flag.ContinueOnError)
	flags.SetOutput(t.err)
	flags.Usage = func() {
		fmt.Fprintf(t.err, "shopctl %s [flags] %s\n%s.\n\n", c.name, c.args, c.summary)
		flags.PrintDefaults()
	}
	do := c.flags(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if flags.NArg() != len(strings.Fields(c.args)) {
		flags.Usage()
		return errUsage
	}
	return do(ctx, t, flags.Args())
}

// find returns the command that arguments begin with and those that follow, nil and
// all of them where there is none.
func find(args []string) (*command, []string) {
	for i := range commands {
		words := strings.Fields(commands[i].name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == commands[i].name {
			return &commands[i], args[len(words):]
		}
	}
	return nil, args
}

// list prints the commands.
func list(w io.Writer) {
	fmt.Fprint(w, "shopctl administers the database of a shop.\n\n")
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands {
		fmt.Fprintf(columns, "  shopctl %s [flags] %s\t%s\n", c.name, c.args, c.summary)
	}
	columns.Flush()
}
