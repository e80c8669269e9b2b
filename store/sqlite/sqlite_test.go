package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storetest"
)

// open opens a store that the test closes.
func open(t testing.TB, path string, o *sqlite.Options) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "shop.db"), nil)
	})
}
