package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/disk"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// severalWrites is the length of a text that a commit takes several writes for.
const severalWrites = 300_000

// While a commit writes to the WAL, other connections see the state before it. The commit
// writes all of its pages before the sync.
func TestOthersReadWhileACommitWrites(t *testing.T) {
	path := file(t)
	d := disk.New(t, filepath.Dir(path))
	st, other := openPages(t, path, nil), openPages(t, path, nil)
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", severalWrites)
	before, synced := len(d.Ops()), false
	d.Fail(func(op disk.Op) bool {
		switch {
		case !strings.HasSuffix(op.File, "-wal"):
		case op.Kind == disk.Write && synced:
			t.Error("a page is written after the sync")
		default:
			synced = op.Kind == disk.Sync
			wantTitles(t, other, "a")
		}
		return false
	})
	err := add(t.Context(), st, long)
	d.Fail(nil)
	if err != nil || !synced {
		t.Errorf("the change: %v, synced: %t", err, synced)
	}
	ops := d.Ops()[before:]
	begin := ops[0].Offset
	end := begin
	for _, op := range ops {
		if op.Kind == disk.Write && op.File == "shop.db-wal" {
			if op.Offset != end {
				t.Errorf("a write at %d after one that ends at %d", op.Offset, end)
			}
			end = op.Offset + int64(len(op.Data))
		}
	}
	if n := int64(disk.Count(ops, disk.Write, "-wal")); end-begin < severalWrites || n > (end-begin)>>15 {
		t.Errorf("%d writes for %d bytes", n, end-begin)
	}
	wantTitles(t, other, "a", long)
}

// Where one of the writes of a commit fails, its Update does, nothing of it is there, and
// the next change is made.
func TestAWriteOfACommitFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		cache int64
	}{
		{"pages in memory", 0},
		{"pages that do not fit the cache", 100 << 10}, // these are written before the commit, and again
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t)
			d := disk.New(t, filepath.Dir(path))
			st, other := openPages(t, path, &sqlite.Options{PageCacheBytes: test.cache}), openPages(t, path, nil)
			if err := add(t.Context(), st, "a"); err != nil {
				t.Fatal(err)
			}
			titles, long := []string{"a"}, strings.Repeat("x", severalWrites)
			for failing := 1; ; failing++ {
				writes := 0
				d.Fail(func(op disk.Op) bool {
					if op.Kind == disk.Write && strings.HasSuffix(op.File, "-wal") {
						writes++
					}
					return op.Kind == disk.Write && writes == failing
				})
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					for range 2 {
						if err := pages.Update(tx, &page{PageID: 1, Title: long + titles[0]}); err != nil {
							return err
						}
						if err := pages.Update(tx, &page{PageID: 1, Title: titles[0] + long}); err != nil {
							return err
						}
					}
					return nil
				})
				d.Fail(nil)
				if writes < failing {
					if err != nil || failing < severalWrites>>16 {
						t.Fatalf("a change of %d writes: %v", writes, err)
					}
					break
				}
				if !errors.Is(err, store.ErrUnavailable) {
					t.Fatalf("write %d failed: %v", failing, err)
				}
				wantTitles(t, other, titles...)
				if err := add(t.Context(), st, "b"); err != nil {
					t.Fatalf("the change after write %d failed: %v", failing, err)
				}
				titles = append(titles, "b")
				wantTitles(t, other, titles...)
			}
			titles[0] += long
			wantTitles(t, other, titles...)
			var result string
			if err := st.DB().QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
				t.Errorf("the engine finds %q, %v", result, err)
			}
		})
	}
}
