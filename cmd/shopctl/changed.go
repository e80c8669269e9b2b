package main

import (
	"context"
	"flag"

	"github.com/shopapi/shopapi/store/postgres"
)

// changed invalidates everything that was cached from a table.
func changed(flags *flag.FlagSet) action {
	db := dbFlag(flags)
	return func(ctx context.Context, _ terminal, args []string) error {
		st, err := openDB(ctx, *db)
		if err != nil {
			return err
		}
		defer func() { _ = st.Close() }()
		pg, ok := st.(*postgres.Store)
		if !ok {
			return usagef("changed is for PostgreSQL: SQLite notices every change")
		}
		return pg.Changed(ctx, args[0])
	}
}
