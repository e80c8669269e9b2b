package main

import (
	"context"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
)

// openStore opens the store that the flag -db names.
func openStore(ctx context.Context, db string) (store.Store, error) {
	if db == "memory" {
		return memory.New(), nil
	}
	return sqlite.Open(ctx, db, nil)
}
