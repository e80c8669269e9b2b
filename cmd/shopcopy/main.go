// Command shopcopy copies a shop from one store to another:
//
//	go run ./cmd/shopcopy -from shop.db -to postgres://shop@db.example/shop
//	go run ./cmd/shopcopy -from postgres://shop@db.example/shop -to copy.db
//
// A store is a PostgreSQL URL or an SQLite file. Stop the shop first. Ids are
// kept. A copy that was stopped goes on where it was when the command is given
// again. In the end both stores are compared, and the command exits with 0 only
// when they hold the same.
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

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "shopcopy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("shopcopy", flag.ContinueOnError)
	fromName := flags.String("from", "", "the store to copy: a PostgreSQL URL or an SQLite file")
	toName := flags.String("to", "", "the store to copy to, without rows or with those of a copy that was stopped")
	batch := flags.Int("batch", 1000, "rows of one transaction")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *fromName == "" || *toName == "" || flags.NArg() > 0 {
		return errors.New("give -from and -to, and nothing else")
	}
	from, err := open(ctx, *fromName, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := open(ctx, *toName, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	sums, err := storecopy.Copy(ctx, to, from, shop.Schemas(), &storecopy.Options{
		Batch: *batch,
		Progress: func(p storecopy.Progress) {
			fmt.Fprintf(out, "%s %s: %d of %d rows\n", p.Phase, p.Table, p.Done, p.Total)
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nBoth stores hold the same:")
	for _, s := range sums {
		fmt.Fprintf(out, "%10d rows  %.16s  %s\n", s.Rows, s.SHA256, s.Table)
	}
	return nil
}

// open opens a store. One that is to be copied must be there.
func open(ctx context.Context, name string, there bool) (store.Store, error) {
	if strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://") {
		return postgres.Open(ctx, name)
	}
	if there {
		if _, err := os.Stat(name); err != nil {
			return nil, err
		}
	}
	return sqlite.Open(ctx, name, nil)
}
