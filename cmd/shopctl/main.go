// Command shopctl administers the database of a shop from a terminal, for tasks that the
// API does not offer, such as creating keys, erasing personal data and making backups:
//
//	go run ./cmd/shopctl users add -root -db shop.db ana@example.com
//	go run ./cmd/shopctl keys create -db shop.db ana@example.com
//	go run ./cmd/shopctl check -db shop.db
//
// Without arguments it lists its commands; -help lists the flags of one. A database is
// an SQLite file or the URL of a PostgreSQL database. The shop may run meanwhile, except
// for copy and restore: it sees changes within a second.
//
// Other users of the machine can see the command line, including a password in a URL:
// prefer the environment variable SHOPAPI_DB, or PGPASSWORD and ~/.pgpass. Keys and
// passwords are never arguments. A new key is the only standard output, printed once.
//
// The commands open the database as a shop with the library's entities: they create
// missing tables and upgrade rows of older versions. They do not run a program's own
// hooks, entities or Authenticator.
//
// With -json the commands that list something print JSON, one line for each object. Progress
// and messages go to the standard error.
//
// The exit code is 0 for success, 2 for invalid arguments, if pull reports problems and if
// import leaves out rows, 1 for other failures and if check finds violations.
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
	context.AfterFunc(ctx, stop) // a second signal ends the process
	os.Exit(run(ctx, os.Args[1:], terminal{os.Stdin, os.Stdout, os.Stderr}))
}

// A terminal is the input and output of a command: results go to out, everything else to
// err.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// A command is a command of shopctl.
type command struct {
	name    string // one or two words
	args    string // names of the arguments after the flags
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
	{"backup", "FILE", "write a consistent copy of an SQLite file, which a shop may be using", backup},
	{"restore", "FILE", "put a backup in the place of an SQLite file that nobody uses", restore},
	{"changes reset", "", "begin a new log of changes, for a database that was restored", resetChanges},
	{"changed", "TABLE", "make what is cached of a PostgreSQL table invalid, after a change that fires no trigger", changed},
	{"copy", "", "copy a shop from one database to another", copyShop},
	{"export", "ENTITY", "write all objects of an entity to standard output", exportEntity},
	{"import", "ENTITY FILE", "create and change objects by the rows of a CSV or JSON lines file", importEntity},
	{"pull", "", "take over a shop from another server of the interface", pullShop},
}

// errUsage is the error for invalid arguments.
var errUsage = errors.New("usage")

// run runs the command in the arguments and returns the exit code.
func run(ctx context.Context, args []string, t terminal) int {
	err := dispatch(ctx, args, t)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	case errors.Is(err, errPartly):
		fmt.Fprintln(t.err, "shopctl:", err)
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

// find returns the command at the start of the arguments and the remaining ones, or nil
// and all of them.
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
