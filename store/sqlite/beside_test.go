package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// host opens the file as a shop's own code does.
func host(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(filepath.ToSlash(path))+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestTwoStoresOnOneFile(t *testing.T) {
	path := file(t)
	one, two := openPages(t, path, nil), openPages(t, path, nil)
	for i, st := range []store.Store{one, two, two, one} {
		if err := add(t.Context(), st, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, one); len(got) != i+1 {
			t.Errorf("the first store sees %v after %d commits", got, i+1)
		}
		if got := titles(t, two); len(got) != i+1 {
			t.Errorf("the second store sees %v after %d commits", got, i+1)
		}
	}
}

func TestTwoStoresWriteAtOnce(t *testing.T) {
	path := file(t)
	stores := []store.Store{openPages(t, path, nil), openPages(t, path, nil)}
	var wg sync.WaitGroup
	for _, st := range stores {
		for range 4 {
			wg.Go(func() {
				for range 25 {
					if err := add(t.Context(), st, "x"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	if n := len(titles(t, stores[0])); n != 200 {
		t.Errorf("%d rows, want 200", n)
	}
}

func TestOpenAndMigrateAtOnce(t *testing.T) {
	path := file(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			st, err := sqlite.Open(t.Context(), path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer st.Close()
			if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestTheHostReadsAndWritesBeside(t *testing.T) {
	path := file(t)
	st, db := openPages(t, path, nil), host(t, path)
	if err := add(t.Context(), st, "ours"); err != nil {
		t.Fatal(err)
	}
	var title string
	if err := db.QueryRow("SELECT title FROM pages").Scan(&title); err != nil || title != "ours" {
		t.Errorf("the host reads %q, %v", title, err)
	}
	if _, err := db.Exec("INSERT INTO pages (title, title_fold) VALUES ('Theirs', 'theirs')"); err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "ours", "Theirs")
	// The host's change of the schema makes no difference either.
	if _, err := db.Exec("CREATE TABLE own (n INTEGER); ALTER TABLE pages ADD COLUMN own INTEGER"); err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "ours", "Theirs")
	if err := add(t.Context(), st, "more"); err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "ours", "Theirs", "more")
}

// lock has the host hold the write lock until the returned function is called.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	conn, err := host(t, path).Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		conn.Close()
	}
}

func TestBusy(t *testing.T) {
	path := file(t)
	st := openPages(t, path, &sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	unlock := lock(t, path)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := add(t.Context(), st, "a"); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("got %v, want ErrUnavailable", err)
			}
		})
	}
	wg.Wait()
	wantTitles(t, st) // readers do not wait
	unlock()
	if err := add(t.Context(), st, "b"); err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "b")
}

func TestBusyWaits(t *testing.T) {
	path := file(t)
	st := openPages(t, path, &sqlite.Options{BusyTimeout: time.Hour})
	unlock := lock(t, path)
	done := make(chan error)
	go func() { done <- add(context.Background(), st, "a") }()
	time.Sleep(20 * time.Millisecond)
	select {
	case err := <-done:
		t.Errorf("an Update ends while the lock is held: %v", err)
	default:
	}
	unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantTitles(t, st, "a")
}

func TestCancellationEndsTheWaitForTheLock(t *testing.T) {
	path := file(t)
	st := openPages(t, path, &sqlite.Options{BusyTimeout: time.Hour})
	defer lock(t, path)()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := add(ctx, st, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
	// An Update behind one whose context ends leads next, and waits on.
	first, end := context.WithCancel(t.Context())
	one, two := make(chan error), make(chan error)
	go func() { one <- add(first, st, "a") }()
	go func() { two <- add(ctx, st, "b") }() // has ended
	if err := <-two; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
	end()
	if err := <-one; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

func TestViewsWaitForAReader(t *testing.T) {
	st := openPages(t, file(t), &sqlite.Options{Readers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	err := st.View(t.Context(), func(context.Context, store.Tx) error {
		done := make(chan error)
		go func() { done <- st.View(ctx, func(context.Context, store.Tx) error { return nil }) }()
		runtime.Gosched()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a View beyond the pool: %v, want Canceled", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st)
}

// endsAfter is a context that ends at a call of Err, as one ends in the middle
// of a statement.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Done() <-chan struct{} { return make(chan struct{}) }

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestALongReadIsCancelled(t *testing.T) {
	st := openPages(t, file(t), nil)
	list := make([]string, 5000)
	if err := add(t.Context(), st, list...); err != nil {
		t.Fatal(err)
	}
	ctx := &endsAfter{t.Context(), 1000}
	err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
		ctx.left = 1 // for the check before the statement
		_, err := pages.Count(tx, store.Contains("title", "x"))
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	if n := len(titles(t, st)); n != len(list) {
		t.Errorf("then %d rows are read, want %d", n, len(list))
	}
}
