package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi/store/sqlite"
)

func TestOptions_PageCacheBytes(t *testing.T) {
	for bytes, want := range map[int64]int64{0: -16384, 1 << 20: -1024, 1: -1} { // SQLite counts KiB as negative numbers
		st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), &sqlite.Options{PageCacheBytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		var got int64
		if err := st.DB().QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&got); err != nil || got != want {
			t.Errorf("with PageCacheBytes %d a connection has cache_size %d, not %d: %v", bytes, got, want, err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}
