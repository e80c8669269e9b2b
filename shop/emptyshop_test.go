package shop_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// emptyShop is the SQLite file of a new shop. The suite opens one for each check, and creating
// its tables takes most of the time of a check.
var emptyShop struct {
	once sync.Once
	file []byte
	err  error
}

// openEmptyShop opens a copy of emptyShop.
func openEmptyShop(t testing.TB) store.Store {
	t.Helper()
	dir := t.TempDir()
	emptyShop.once.Do(func() {
		emptyShop.file, emptyShop.err = newEmptyShop(t, filepath.Join(dir, "empty.db"))
	})
	path := filepath.Join(dir, "shop.db")
	err := emptyShop.err
	if err == nil {
		err = os.WriteFile(path, emptyShop.file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func newEmptyShop(t testing.TB, path string) ([]byte, error) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		return nil, err
	}
	_, err = openShop(t.Context(), st, &shopapi.Options{})
	if closed := st.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
