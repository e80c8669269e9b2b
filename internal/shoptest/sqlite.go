package shoptest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// SQLite returns a store in a file of its own, as of [NewFile], which is closed when the test
// ends.
func SQLite(t testing.TB) store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	NewFile(t, path)
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, st)
}

// NewFile writes a file with the tables of a shop, without rows: copying the tables takes far
// less time than creating them.
func NewFile(t testing.TB, path string) {
	t.Helper()
	file, err := emptyShop()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// emptyShop returns a file with the tables of a shop, without rows.
var emptyShop = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "shoptest")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, ctx := filepath.Join(dir, "shop.db"), context.Background()
	st, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	err = st.Migrate(ctx, append(shop.Schemas(), changes.Schemas()...)...)
	if closing := st.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
