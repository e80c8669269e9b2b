package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// isHelp reports whether a first argument asks for help.
func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

// help prints the help of the command in the arguments, or of all.
func help(args []string, t terminal) error {
	if len(args) == 0 {
		list(t.out)
		return nil
	}
	c, rest := find(args)
	if c == nil || len(rest) > 0 {
		list(t.err)
		return usagef("there is no command %s", strings.Join(args, " "))
	}
	c.help(t.out)
	return nil
}

// list prints the commands and the exit codes.
func list(w io.Writer) {
	fmt.Fprint(w, "shopctl administers the database of a shop.\n\n")
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range commands {
		fmt.Fprintf(columns, "  %s\t%s\n", commands[i].usage(), commands[i].summary)
	}
	columns.Flush()
	fmt.Fprint(w, "\nshopctl help COMMAND lists the flags of a command.\n\nExit codes:\n")
	for _, e := range exitCodes {
		fmt.Fprintf(w, "  %-4d%s\n", e.code, e.text)
	}
}

// usage is the command as it is called.
func (c *command) usage() string {
	return strings.TrimSpace("shopctl " + c.name + " [flags] " + c.args)
}

// help prints the flags of a command.
func (c *command) help(w io.Writer) {
	flags := c.flagSet()
	c.flags(flags)
	fmt.Fprintf(w, "%s\n%s.\n\n", c.usage(), c.summary)
	flags.SetOutput(w)
	flags.PrintDefaults()
}
