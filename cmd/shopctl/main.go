// Command shopctl administers the database of a shop from a terminal, for tasks that need no
// server or that the API does not offer, such as the first key, erasing personal data and
// backups:
//
//	go run ./cmd/shopctl users add -root -db shop.db ana@example.com
//	go run ./cmd/shopctl keys create -db shop.db ana@example.com
//	go run ./cmd/shopctl check -db shop.db
//
// help lists the commands, and help COMMAND the flags of one. A database is
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
// With -json the commands that have results print JSON, one line for each object. Progress
// and messages go to the standard error.
//
// The exit codes are the same for all commands:
//
//	0   done
//	1   failed: the message has the reason
//	2   done, with problems that were named: rows that pull or import did not take whole,
//	    rows that check finds to contradict others
//	64  invalid arguments: nothing was done
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
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

// commands are all commands, in the order of the help.
var commands = []command{
	{"users list", "", "list users", listUsers},
	{"users add", "EMAIL", "add a user, who has no key and no password yet", addUser},
	{"users password", "EMAIL", "set the password, which the terminal or standard input gives", setPassword},
	{"users status", "EMAIL STATUS", "activate (A), disable (D) or hide (H) a user", setStatus},
	{"keys create", "EMAIL", "make the first API key of a user", createKey},
	{"keys rotate", "EMAIL", "replace the API key of a user", rotateKey},
	{"keys revoke", "EMAIL", "end the API key of a user", revokeKey},
	{"erase", "EMAIL", "blank what is known of a person, everywhere", erase},
	{"check", "", "find rows that contradict each other", check},
	{"backup", "FILE", "write a consistent copy of an SQLite file, which a shop may be using", backup},
	{"restore", "FILE", "put a backup in the place of an SQLite file that nobody uses", restore},
	{"changes reset", "", "begin a new log of changes, for a database that was restored", resetChanges},
	{"changed", "TABLE", "make what is cached of a PostgreSQL table invalid, after a change that fires no trigger", changed},
	{"copy", "", "copy a shop from one database to another", copyShop},
	{"export", "ENTITY", "write all objects of an entity to standard output", exportEntity},
	{"import", "ENTITY FILE", "create and change objects by the rows of a CSV or JSON lines file", importEntity},
	{"pull", "", "take over a shop from another server of the interface", pullShop},
}

// run runs the command in the arguments and returns the exit code.
func run(ctx context.Context, args []string, t terminal) int {
	out := &output{w: t.out}
	t.out = out
	err := dispatch(ctx, args, t)
	if err == nil || errors.Is(err, errPartly) {
		err = cmp.Or(out.err, err)
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted: %w", err)
	}
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintln(t.err, "shopctl:", err)
		return exitUsage
	case errors.Is(err, errPartly):
		fmt.Fprintln(t.err, "shopctl:", err)
		return exitPartly
	}
	fmt.Fprintln(t.err, "shopctl:", err)
	return exitFailed
}

// An output is the standard output with the first error of writing to it: a command fails if its results
// did not arrive.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.err = cmp.Or(o.err, err)
	return n, err
}

func dispatch(ctx context.Context, args []string, t terminal) error {
	if len(args) > 0 && isHelp(args[0]) {
		return help(args[1:], t)
	}
	c, args := find(args)
	if c == nil {
		list(t.err)
		return noCommand(args)
	}
	flags := c.flagSet()
	do := c.flags(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.help(t.out)
		return nil
	case err != nil:
		return usagef("%w: shopctl help %s lists the flags", err, c.name)
	case flags.NArg() != len(strings.Fields(c.args)):
		c.help(t.err)
		return c.wrongArguments(flags.Args())
	}
	return do(ctx, t, flags.Args())
}

// noCommand is the error of arguments that do not begin with a command.
func noCommand(args []string) error {
	if len(args) == 0 {
		return usagef("name a command")
	}
	var second []string
	for i := range commands {
		if word, ok := strings.CutPrefix(commands[i].name, args[0]+" "); ok {
			second = append(second, word)
		}
	}
	if second == nil {
		return usagef("%q is not a command", args[0])
	}
	return usagef("%s must be followed by %s", args[0], strings.Join(second, " or "))
}

// wrongArguments is the error of a command with too few or too many arguments. It does not repeat
// them: a password may be among them.
func (c *command) wrongArguments(args []string) error {
	want := strings.Fields(c.args)
	switch {
	case len(args) < len(want):
		missing, verb := want[len(args):], "is"
		if len(missing) > 1 {
			verb = "are"
		}
		return usagef("%s %s missing: %s", strings.Join(missing, " and "), verb, c.usage())
	case slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }):
		return usagef("flags must come before the arguments: %s", c.usage())
	case len(want) == 0:
		return usagef("the command must have flags only: %s", c.usage())
	}
	return usagef("the only arguments after the flags must be %s, and %d were given: %s", strings.Join(want, " and "), len(args), c.usage())
}

// flagSet returns a set of flags that prints nothing by itself.
func (c *command) flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet("shopctl "+c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags
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
