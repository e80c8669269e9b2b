package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// On a full disk, changes that need no more room than the WAL has are made: it is
// checkpointed and written again from its beginning.
func TestChangesOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	st := openPages(t, filepath.Join(dir, "shop.db"), nil)
	defer st.Close()
	change := func(i int) error {
		return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			return pages.Update(tx, &page{PageID: 1, Title: fmt.Sprintf("%03d%s", i, strings.Repeat("x", 10_000))})
		})
	}
	if err := errors.Join(add(t.Context(), st, "a"), change(0), st.Exec("PRAGMA wal_checkpoint(TRUNCATE)"), change(1)); err != nil {
		t.Fatal(err)
	}
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := change(i); err != nil {
			t.Fatalf("change %d on a full disk: %v", i, err)
		}
	}
	// What takes more room than there is fails, and changes nothing.
	if err := add(t.Context(), st, strings.Repeat("z", 500_000)); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrOutcomeUnknown) {
		t.Errorf("a change without room: %v", err)
	}
	if err := change(50); err != nil {
		t.Errorf("a change after it: %v", err)
	}
	if list := titles(t, st); len(list) != 1 || !strings.HasPrefix(list[0], "050x") {
		t.Errorf("%d pages, want the one that was changed", len(list))
	}
}
