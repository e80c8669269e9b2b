package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"

	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/storecopy"
)

// copyShop copies a shop, which must not run meanwhile. An interrupted copy continues
// where it stopped. At the end both databases are compared.
func copyShop(flags *flag.FlagSet) action {
	from := dbFlag(flags)
	to := flags.String("to", "", "the database to copy to: without rows, or with those of a copy that was stopped")
	batch := flags.Int("batch", 1000, "rows of one transaction")
	asJSON := jsonFlag(flags)
	return func(ctx context.Context, t terminal, _ []string) (err error) {
		if *to == "" {
			return usagef("name the database to copy to by -to")
		}
		if *batch < 1 {
			return usagef("-batch must be 1 or more, not %d", *batch)
		}
		if isSame(cmp.Or(*from, os.Getenv(dbVariable)), *to) {
			return usagef("-db and -to must name two databases")
		}
		source, err := openDB(ctx, *from)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, source.Close()) }()
		schemas, err := shop.SchemasOf(ctx, source)
		if err != nil {
			return err
		}
		schemas = append(schemas, pull.Schemas()...) // pulls go on into the copy
		target, err := openStore(ctx, *to)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, target.Close()) }()
		sums, err := storecopy.Copy(ctx, target, source, schemas, &storecopy.Options{
			Batch: *batch,
			Progress: func(p storecopy.Progress) {
				fmt.Fprintf(t.err, "%s %s: %d of %d rows\n", p.Phase, p.Table, p.Done, p.Total)
			},
		})
		if err != nil {
			return err
		}
		if err := begin(ctx, target); err != nil {
			return err
		}
		if *asJSON {
			for _, s := range sums {
				printJSON(t.out, tableSum{s.Table, s.Rows, s.SHA256})
			}
			return nil
		}
		fmt.Fprintln(t.out, "Both databases hold the same:")
		for _, s := range sums {
			fmt.Fprintf(t.out, "%10d rows  %.16s  %s\n", s.Rows, s.SHA256, s.Table)
		}
		return nil
	}
}

// isSame reports whether two names mean one database: a file, also by a link, or the
// same host, database and schema of PostgreSQL.
func isSame(a, b string) bool {
	if isURL(a) && isURL(b) {
		return place(a) == place(b)
	}
	one, errA := os.Stat(a)
	two, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, two)
}

// place has the parts of a PostgreSQL URL that choose the server, the database and the schema.
// A URL that cannot be parsed is a place of its own.
func place(name string) [6]string {
	u, err := url.Parse(name)
	if err != nil {
		return [6]string{name}
	}
	q := u.Query()
	return [6]string{u.Hostname(), cmp.Or(u.Port(), "5432"), u.Path, q.Get("host"), q.Get("search_path"), q.Get("options")}
}

// A tableSum is the JSON form of a compared table.
type tableSum struct {
	Table  string `json:"table"`
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// begin begins the life of a copy: its change log is a new one, and its webhooks are disabled,
// since their receivers still get the messages of the shop that was copied.
func begin(ctx context.Context, st store.Store) error {
	return errors.Join(webhooks.DisableAll(ctx, st), changes.Reset(ctx, st))
}
