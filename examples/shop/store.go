package main

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
)

// openStore opens the store that the flag -db names.
func openStore(ctx context.Context, db string) (store.Store, error) {
	switch {
	case db == "memory":
		return memory.New(), nil
	case strings.HasPrefix(db, "postgres://"), strings.HasPrefix(db, "postgresql://"):
		return postgres.Open(ctx, db)
	}
	return sqlite.Open(ctx, db, nil)
}
