// Command shopdiff compares cached responses with the responses of a shop that has
// just been opened, after random changes:
//
//	go run ./cmd/shopdiff
//	go run ./cmd/shopdiff -compare 2000000
//	go run ./cmd/shopdiff -entities products,orders
//	go run ./cmd/shopdiff -store postgres
//	go run ./cmd/shopdiff -store postgres -replicas 2
//
// An episode is a shop of one edition in a store of its own, made from a seed. It sends
// requests for every entity (lists and objects, with filters, sort orders, pages,
// languages and fields, as several users) to a shop whose caches are full of earlier
// responses, and to a shop that was opened after the last change and caches nothing. The
// two responses must have the same status, headers and body.
//
// Changes come from requests, batches with a member that fails, calls of the Go API,
// transactions that are rolled back, SQL of the host inside and beside the store's
// transactions, triggers, another store on the same database, another process, migrations,
// TRUNCATE, VACUUM, checkpoints, and the clock. With -replicas the shop with caches reads on
// standbys, which are paused and resumed, and whose sessions are ended.
//
// A difference ends the command with exit code 1. It prints the request, both responses
// and the arguments that repeat the episode.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/shopapi/shopapi/cmd/internal/command"

	"github.com/shopapi/shopapi"
)

func main() {
	if path := os.Getenv(otherFile); path != "" {
		os.Exit(otherProcess(path, os.Stdin, os.Stdout, os.Stderr))
	}
	command.Main("shopdiff", run)
}

// editions and stores are the values of the flags -edition and -store.
var (
	editions = map[string]shopapi.Edition{"single": shopapi.SingleStore, "storefronts": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor}
	stores   = []string{"sqlite", "memory"} // beside postgres, which takes a server
)

func run(ctx context.Context, args []string, out io.Writer) error {
	c := campaign{out: out}
	flags := flag.NewFlagSet("shopdiff", flag.ContinueOnError)
	flags.IntVar(&c.compare, "compare", 20_000, "how many responses are compared")
	flags.StringVar(&c.edition, "edition", "", "single, storefronts or vendors; all in turn without it")
	flags.StringVar(&c.store, "store", "", "sqlite, memory or postgres; the first two in turn without it")
	flags.StringVar(&c.dsn, "dsn", "", "the server of -store postgres; one is started without it")
	flags.IntVar(&c.replicas, "replicas", 0, "how many standbys of -store postgres are started and read")
	flags.Func("entities", "what most requests are about, such as products,orders; some of all without it", func(list string) error {
		c.entities = strings.Split(list, ",")
		return nil
	})
	flags.IntVar(&c.parallel, "p", 2, "how many episodes run at once")
	flags.Uint64Var(&c.seed, "seed", uint64(time.Now().UnixNano()), "of the first episode; the next ones follow")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := c.check(); err != nil || flags.NArg() > 0 {
		return errors.Join(err, onlyFlags(flags))
	}
	began := time.Now()
	figures, err := c.run(ctx)
	if err != nil {
		return fmt.Errorf("after %v: %w", figures, err)
	}
	fmt.Fprintf(out, "No difference: %v, in %.0f s.\n", figures, time.Since(began).Seconds())
	return nil
}

func onlyFlags(flags *flag.FlagSet) error {
	if flags.NArg() == 0 {
		return nil
	}
	return fmt.Errorf("there are no arguments but flags: %q", flags.Args())
}
