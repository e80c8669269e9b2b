package sqlite_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// A row that a trigger of the host's ignores is an error, not the key of another row.
func TestARowThatATriggerIgnoresIsAnError(t *testing.T) {
	path := file(t)
	st := openPages(t, path, nil)
	check := func(name string, change func(tx store.Tx) error) {
		t.Helper()
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return change(tx) })
		if err == nil || !strings.Contains(err.Error(), "a trigger on pages has ignored") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	_, err := host(t, path).Exec(`CREATE TRIGGER no BEFORE INSERT ON PAGES WHEN NEW.title = 'no' BEGIN SELECT RAISE(IGNORE); END;
		CREATE TRIGGER never BEFORE UPDATE ON PAGES WHEN NEW.title = 'no' BEGIN SELECT RAISE(IGNORE); END`)
	if err != nil {
		t.Fatal(err)
	}
	check("insert", func(tx store.Tx) error { return pages.Insert(tx, &page{Title: "no"}) })
	check("insert with a key", func(tx store.Tx) error { return pages.Insert(tx, &page{PageID: 7, Title: "no"}) })
	check("update", func(tx store.Tx) error { return pages.Update(tx, &page{PageID: 1, Title: "no"}) })
	if err := add(t.Context(), st, "b"); err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "a", "b")
	if n, err := countPages(t, st); err != nil || n != 2 {
		t.Errorf("%d pages are counted, %v", n, err)
	}
}

// A trigger of the host's may add rows to the table that several rows are added to.
func TestInsertAllBesideATriggerThatAddsRows(t *testing.T) {
	path := file(t)
	st := openPages(t, path, nil)
	if err := add(t.Context(), st, "first"); err != nil {
		t.Fatal(err)
	}
	_, err := host(t, path).Exec(`CREATE TRIGGER copies AFTER INSERT ON PAGES WHEN NEW.title NOT LIKE 'copy%'
		BEGIN INSERT INTO pages (title) VALUES ('copy of ' || NEW.title); END`)
	if err != nil {
		t.Fatal(err)
	}
	list := []page{{Title: "a"}, {Title: "b"}}
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		list[0].PageID, list[1].PageID = 0, 0
		return pages.InsertAll(tx, list)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range list {
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			got, err := pages.Get(tx, want.PageID)
			if got.Title != want.Title {
				t.Errorf("page %d is %q, not %q", want.PageID, got.Title, want.Title)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
