package sqlite_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A row that was read and then changed is written as given, also where that is how it was
// when it was read.
func TestUpdate_OfARowThatChangedSinceItWasRead(t *testing.T) {
	for name, change := range map[string]func(ctx context.Context, tx store.Tx) error{
		"by nothing": func(context.Context, store.Tx) error { return nil },
		"by Update": func(_ context.Context, tx store.Tx) error {
			return pages.Update(tx, &page{PageID: 1, Title: "b"})
		},
		"by Alter": func(_ context.Context, tx store.Tx) error {
			return pages.Alter(tx, func(row []store.Value) { row[1] = store.String("b") })
		},
		"by Delete and Insert": func(_ context.Context, tx store.Tx) error {
			if err := pages.DeleteKey(tx, 1); err != nil {
				return err
			}
			return pages.Insert(tx, &page{PageID: 1, Title: "b"})
		},
		"by a trigger": func(_ context.Context, tx store.Tx) error {
			return pages.Insert(tx, &page{Title: "rename the first"})
		},
		"by SQL of the host": func(ctx context.Context, tx store.Tx) error {
			conn, err := sqlite.ConnOf(tx)
			if err != nil {
				return err
			}
			_, err = conn.ExecContext(ctx, "UPDATE pages SET title = 'b' WHERE page_id = 1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			st := openPages(t, path, nil)
			if err := add(t.Context(), st, "a"); err != nil {
				t.Fatal(err)
			}
			_, err := host(t, path).Exec(`CREATE TRIGGER rename AFTER INSERT ON pages WHEN NEW.title = 'rename the first'
				BEGIN UPDATE pages SET title = 'b' WHERE page_id = 1; END`)
			if err != nil {
				t.Fatal(err)
			}
			var stored page
			err = st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				read, err := pages.Get(tx, 1)
				if err != nil {
					return err
				}
				if err := change(ctx, tx); err != nil {
					return err
				}
				if err := pages.Update(tx, &read); err != nil {
					return err
				}
				stored, err = pages.Get(tx, 1)
				return err
			})
			if err != nil || stored.Title != "a" {
				t.Errorf("the title is %q, %v, want a", stored.Title, err)
			}
		})
	}
}

// An Update of a row that does not exist fails, also after another row was read.
func TestUpdate_OfAnotherRowThanWasRead(t *testing.T) {
	st := openPages(t, file(t), nil)
	if err := add(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		if _, err := pages.Get(tx, 1); err != nil {
			return err
		}
		return pages.Update(tx, &page{PageID: 2, Title: "a"})
	})
	if err != store.ErrNotFound {
		t.Errorf("the error is %v, want ErrNotFound", err)
	}
}
