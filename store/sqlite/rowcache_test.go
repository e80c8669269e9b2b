package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/disk"
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
	parts := store.Project[page](pages) // reads of some columns, or of all
	read := func(tx store.Tx, id int64) (page, error) {
		if id%2 == 0 {
			return pages.Get(tx, id)
		}
		return parts.Get(tx, id)
	}
	check := func(tx store.Tx) error {
		scanned, err := pages.Select(tx, store.Query{})
		if err != nil {
			return err
		}
		got := []page{}
		for id := range int64(rows) {
			p, err := read(tx, id+1)
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

// Of a change that was undone, or that failed, later Updates read nothing by the key of a row.
func TestUpdate_ReadsNothingOfAChangeThatWasUndone(t *testing.T) {
	failed := errors.New("on purpose")
	fails := func(file string, kind disk.Kind) func(disk.Op) bool {
		return func(op disk.Op) bool { return op.Kind == kind && strings.HasSuffix(op.File, file) }
	}
	change := func(_ context.Context, tx store.Tx) error {
		p, err := pages.Get(tx, 1)
		if err != nil {
			return err
		}
		p.Title = "lost"
		return errors.Join(pages.Update(tx, &p), pages.DeleteKey(tx, 2), pages.Insert(tx, &page{PageID: 2, Title: "lost"}))
	}
	with := func(end func(ctx context.Context, st *sqlite.Store, tx store.Tx) error) func(*testing.T, *sqlite.Store, *disk.Disk) error {
		return func(t *testing.T, st *sqlite.Store, _ *disk.Disk) error {
			return batch(t, st, member{fn: func(ctx context.Context, tx store.Tx) error {
				if err := change(ctx, tx); err != nil {
					return err
				}
				return end(ctx, st, tx)
			}}, member{fn: insert("of another member")})[0]
		}
	}
	during := func(faults func(disk.Op) bool) func(*testing.T, *sqlite.Store, *disk.Disk) error {
		return func(t *testing.T, st *sqlite.Store, d *disk.Disk) error {
			d.Fail(faults)
			defer d.Fail(nil)
			return st.Update(t.Context(), change)
		}
	}
	for _, c := range []struct {
		name string
		run  func(*testing.T, *sqlite.Store, *disk.Disk) error
		want error
	}{
		{"the disk fails a write of the commit", during(fails("-wal", disk.Write)), store.ErrOutcomeUnknown},
		{"the disk fails the sync of the commit", during(fails("-wal", disk.Sync)), store.ErrOutcomeUnknown},
		{"the disk is full", func(t *testing.T, st *sqlite.Store, _ *disk.Disk) error {
			if err := st.Exec("PRAGMA max_page_count = 20"); err != nil {
				t.Fatal(err)
			}
			return st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				return errors.Join(change(ctx, tx), insert(strings.Repeat("x", 200_000))(ctx, tx))
			})
		}, store.ErrUnavailable},
		{"an error", func(t *testing.T, st *sqlite.Store, _ *disk.Disk) error {
			return st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error { return errors.Join(change(ctx, tx), failed) })
		}, failed},
		{"an error of a member", with(func(context.Context, *sqlite.Store, store.Tx) error { return failed }), failed},
		{"a panic of a member", with(func(context.Context, *sqlite.Store, store.Tx) error { panic(failed) }), nil},
		{"an error of the end of a batch", with(func(ctx context.Context, st *sqlite.Store, tx store.Tx) error {
			return summarized(&summary{st: st, title: "lost", end: func() error { return failed }})(ctx, tx)
		}), failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, careful int) {
				path := file(t)
				d := disk.New(t, filepath.Dir(path))
				st := openPages(t, path, nil)
				if err := errors.Join(add(t.Context(), st, "a"), add(t.Context(), st, "b")); err != nil {
					t.Fatal(err)
				}
				st.SetCareful(careful)
				if err := c.run(t, st, d); !errors.Is(err, c.want) {
					t.Fatalf("the change returns %v, want %v", err, c.want)
				}
				var got []string
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					for id := range int64(2) {
						p, err := pages.Get(tx, id+1)
						if err != nil {
							return err
						}
						got = append(got, p.Title)
					}
					return nil
				})
				if diff := cmp.Diff([]string{"a", "b"}, got); err != nil || diff != "" {
					t.Errorf("%v; titles by key (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}

// Updates read a view of the host's by its keys as it is, whole and in part.
func TestUpdate_ReadsViewsAsTheyAre(t *testing.T) {
	type row struct {
		GoodID int64 `json:"good_id" store:"key"`
		Amount int64 `json:"amount"`
	}
	type column struct {
		Amount int64 `json:"amount"`
	}
	shown := store.MustTable[row]("shown")
	part := store.Project[column](shown)
	path := file(t)
	st := openGoods(t, path, 1)
	if _, err := host(t, path).Exec("CREATE VIEW shown AS SELECT good_id, amount FROM goods"); err != nil {
		t.Fatal(err)
	}
	var got []int64
	read := func(tx store.Tx) error {
		whole, err := shown.Get(tx, 1)
		if err != nil {
			return err
		}
		some, err := part.Get(tx, 1)
		got = append(got, whole.Amount, some.Amount)
		return err
	}
	taking := member{fn: func(_ context.Context, tx store.Tx) error {
		return errors.Join(read(tx), take(tx, 1, 1), read(tx))
	}}
	for i, err := range batch(t, st, taking, taking) {
		if err != nil {
			t.Errorf("member %d: %v", i, err)
		}
	}
	if diff := cmp.Diff([]int64{100, 100, 99, 99, 99, 99, 98, 98}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
