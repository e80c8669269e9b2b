package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A folder has a path, whose beginning [store.Table.ReplacePrefixes] replaces.
type folder struct {
	FolderID int64  `json:"folder_id,string" store:"key"`
	Path     string `json:"path" store:"index"`
}

var folders = store.MustTable[folder]("folders")

// getPage returns the read set of a View that reads the page with the key.
func getPage(t testing.TB, st store.Store, key int64) *driver.ReadSet {
	t.Helper()
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		_, err := pages.Get(tx, key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

func rename(ctx context.Context, st store.Store, key int64, title string) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return pages.Update(tx, &page{PageID: key, Title: title})
	})
}

// manyPages opens a store with 2,000 pages, and reads the first one.
func manyPages(t *testing.T) (*sqlite.Store, *driver.ReadSet) {
	t.Helper()
	st := openNotes(t, file(t))
	titles := make([]string, 2000)
	for i := range titles {
		titles[i] = fmt.Sprint("title ", i%2)
	}
	if err := add(t.Context(), st, titles...); err != nil {
		t.Fatal(err)
	}
	return st, getPage(t, st, 1)
}

// deletePages deletes the pages from one key to another by one statement.
func deletePages(t *testing.T, st *sqlite.Store, from, to int64) error {
	return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		n, err := pages.Delete(tx, store.AtLeast("page_id", store.Int(from)), store.AtMost("page_id", store.Int(to)))
		if err == nil && n != to-from+1 {
			err = fmt.Errorf("%d rows are deleted, want %d", n, to-from+1)
		}
		return err
	})
}

// A read is valid after the changes of other rows only as long as every change since it is
// known.
func TestChangeLog(t *testing.T) {
	// more changes rows of the table that was read, so many that the log forgets the first.
	more := func(t *testing.T, st *sqlite.Store) {
		t.Helper()
		for round := range 12 {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				for key := range int64(100) {
					if err := pages.Update(tx, &page{PageID: 1000 + key, Title: fmt.Sprint("more ", round)}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	other := func(t *testing.T, st *sqlite.Store) {
		t.Helper()
		if err := rename(t.Context(), st, 2, "other"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, st *sqlite.Store) error
		valid  bool
	}{
		{"another row", func(t *testing.T, st *sqlite.Store) error { other(t, st); return nil }, true},
		{"the row", func(t *testing.T, st *sqlite.Store) error { return rename(t.Context(), st, 1, "new") }, false},
		{"the row, then another", func(t *testing.T, st *sqlite.Store) error {
			err := rename(t.Context(), st, 1, "new")
			other(t, st)
			return err
		}, false},
		{"the row, then more than the log holds", func(t *testing.T, st *sqlite.Store) error {
			err := rename(t.Context(), st, 1, "new")
			more(t, st)
			return err
		}, false},
		{"more rows than a statement records, the row among them", func(t *testing.T, st *sqlite.Store) error {
			return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				n, err := pages.Delete(tx, store.Equal("title", store.String("title 0")))
				if err == nil && n != 1000 {
					err = fmt.Errorf("%d rows are deleted, want 1,000", n)
				}
				return err
			})
		}, false},
		{"more rows than a statement records, then another", func(t *testing.T, st *sqlite.Store) error {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				_, err := pages.Delete(tx, store.Equal("title", store.String("title 0")))
				return err
			})
			other(t, st)
			return err
		}, false},
		{"as many other rows as a statement records are deleted", func(t *testing.T, st *sqlite.Store) error { return deletePages(t, st, 1000, 1255) }, true},
		{"more other rows than a statement records are deleted", func(t *testing.T, st *sqlite.Store) error { return deletePages(t, st, 1000, 1256) }, false},
		{"the row by a trigger of the host", func(t *testing.T, st *sqlite.Store) error {
			err := st.Exec("CREATE TRIGGER host AFTER INSERT ON notes BEGIN UPDATE pages SET title = 'host' WHERE page_id = 1; END")
			if err != nil {
				return err
			}
			return addNote(t.Context(), st)
		}, false},
		{"the row in a joined transaction", func(t *testing.T, st *sqlite.Store) error {
			return st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				if err := notes.Insert(tx, &note{}); err != nil {
					return err
				}
				return rename(ctx, st, 1, "new")
			})
		}, false},
		{"the row, and back in another transaction", func(t *testing.T, st *sqlite.Store) error {
			if err := rename(t.Context(), st, 1, "new"); err != nil {
				return err
			}
			return rename(t.Context(), st, 1, "title 0")
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, reads := manyPages(t)
			if !reads.Valid(t.Context()) {
				t.Fatal("the read is not valid before the change")
			}
			if err := c.change(t, st); err != nil {
				t.Fatal(err)
			}
			if got := reads.Valid(t.Context()); got != c.valid {
				t.Errorf("the read is valid: %v, want %v", got, c.valid)
			}
			if c.valid {
				return
			}
			if other(t, st); reads.Valid(t.Context()) {
				t.Error("the read is valid again after another change")
			}
			if after := getPage(t, st, 2); !after.Valid(t.Context()) {
				t.Error("what is read afterwards is not valid")
			}
		})
	}
}

// A row that was missing is there after it was added, and counts by the key that it got.
func TestChangeLog_NewRow(t *testing.T) {
	st := openPages(t, file(t), nil)
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		if _, err := pages.Get(tx, 1); !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("page 1 is there: %w", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), st, "the first"); err != nil {
		t.Fatal(err)
	}
	if reads.Valid(t.Context()) {
		t.Error("the read of a missing row is valid after that row was added")
	}
}

// Reads of rows whose path another prefix replaces are not valid.
func TestChangeLog_ReplacePrefixes(t *testing.T) {
	st := openPages(t, file(t), nil)
	if err := st.Migrate(t.Context(), folders.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, path := range []string{"1/", "1/2/", "3/"} {
			if err := folders.Insert(tx, &folder{Path: path}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func(key int64) *driver.ReadSet {
		reads := new(driver.ReadSet)
		err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
			_, err := folders.Get(tx, key)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return reads
	}
	below := read(2)
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		_, err := folders.ReplacePrefixes(tx, store.Prefix{Column: "path", Old: "1/", New: "3/1/"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if below.Valid(t.Context()) {
		t.Error("a row below the moved one is valid")
	}
	if !read(2).Valid(t.Context()) {
		t.Error("what is read afterwards is not valid")
	}
}
