package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// Updates read rows by their keys as these are, whoever has changed them: the Update itself,
// others in the same batch, SQL of the host, another program, or nobody, as a change was undone.
func TestUpdate_ReadsRowsAsTheyAre(t *testing.T) {
	path := file(t)
	st := openPages(t, path, nil)
	other := host(t, path)
	const rows = 6
	for range rows {
		if err := add(t.Context(), st, "first"); err != nil {
			t.Fatal(err)
		}
	}
	undone := errors.New("undone")
	change := func(ctx context.Context, tx store.Tx, random *rand.Rand) error {
		id, title := random.Int64N(rows)+1, fmt.Sprint("title ", random.Int())
		key := store.Equal("page_id", store.Int(id))
		switch random.IntN(10) {
		case 0, 1, 2:
			return pages.Alter(tx, func(row []store.Value) { row[1] = store.String(title) }, store.InInts("page_id", id, id%rows+1))
		case 3, 4:
			if p, err := pages.Get(tx, id); err == nil {
				p.Title = title
				return pages.Update(tx, &p)
			}
		case 5:
			_, err := pages.Delete(tx, key)
			return err
		case 6, 8, 9:
			if exists, err := pages.Exists(tx, id); exists || err != nil {
				return err
			}
			return pages.Insert(tx, &page{PageID: id, Title: title})
		case 7:
			if random.IntN(4) > 0 {
				return nil
			}
			conn, err := sqlite.ConnOf(tx)
			if err != nil {
				return err
			}
			_, err = conn.ExecContext(ctx, "UPDATE pages SET title = ? WHERE page_id = ?", title, id)
			return err
		}
		return nil
	}
	check := func(tx store.Tx) error {
		scanned, err := pages.Select(tx, store.Query{})
		if err != nil {
			return err
		}
		got := []page{}
		for id := range int64(rows) {
			p, err := pages.Get(tx, id+1)
			if err == nil {
				got = append(got, p)
			} else if err != store.ErrNotFound {
				return err
			}
		}
		if diff := cmp.Diff(scanned, got); diff != "" {
			t.Errorf("rows by key (-scanned +by key):\n%s", diff)
		}
		return nil
	}
	var clients sync.WaitGroup
	for client := range uint64(8) {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(client, 1))
			for range 100 {
				err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
					for range random.IntN(4) {
						if err := change(ctx, tx, random); err != nil {
							return err
						}
					}
					if err := check(tx); err != nil {
						return err
					}
					if random.IntN(10) == 0 {
						return undone
					}
					return nil
				})
				if err != nil && err != undone && !errors.Is(err, store.ErrUnavailable) {
					t.Error(err)
				}
				if random.IntN(10) == 0 {
					title := fmt.Sprint("of another program ", random.Int())
					if _, err := other.Exec("UPDATE pages SET title = ? WHERE page_id = ?", title, random.Int64N(rows)+1); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	clients.Wait()
}
