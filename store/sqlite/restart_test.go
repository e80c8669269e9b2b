package sqlite_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Answers stay valid while a transaction begins the WAL anew, and after that is rolled
// back; a commit invalidates only answers from its tables.
func TestVersions_RestartOfTheWAL(t *testing.T) {
	for name, c := range map[string]struct {
		result error
		after  bool // the read of the changed table is valid afterwards
	}{
		"rolled back": {errors.New("no"), true},
		"committed":   {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			st := openNotes(t, path)
			if err := errors.Join(add(t.Context(), st, "a"), addNote(t.Context(), st)); err != nil {
				t.Fatal(err)
			}
			// All of the WAL is in the file now, so that the next pages begin it anew.
			if _, err := host(t, path).Exec("PRAGMA wal_checkpoint"); err != nil {
				t.Fatal(err)
			}
			ofPages, ofNotes := readPages(t, st), readNotes(t, st)
			valid := func(when string, pages bool) {
				t.Helper()
				gotPages, gotNotes := ofPages.Valid(t.Context()), ofNotes.Valid(t.Context())
				if gotPages != pages || !gotNotes {
					t.Errorf("%s the read of pages is valid: %v, of notes: %v; want %v and true", when, gotPages, gotNotes, pages)
				}
			}
			wal := fileSize(t, path+"-wal")
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				for range 12 { // more than the page cache holds: pages are written before the commit
					if err := pages.Insert(tx, &page{Title: strings.Repeat("x", 1<<20)}); err != nil {
						return err
					}
				}
				if fileSize(t, path+"-wal") < wal+1<<20 {
					t.Error("no pages were written before the commit")
				}
				valid("within the transaction", true)
				return c.result
			})
			if err != c.result {
				t.Fatal(err)
			}
			valid("afterwards", c.after)
		})
	}
}

func fileSize(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// readNotes returns the read set of a View that reads all notes.
func readNotes(t testing.TB, st store.Store) *driver.ReadSet {
	t.Helper()
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		_, err := notes.Select(tx, store.Query{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reads
}
