package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "shop.db"), nil)
	})
}

func TestStoreReopened(t *testing.T) {
	storetest.RunReopened(t, func(t *testing.T) func() store.Store {
		path := file(t)
		return func() store.Store { return open(t, path, nil) }
	})
}

func TestShared(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) (first, second store.Store) {
		path := file(t)
		return open(t, path, nil), open(t, path, nil)
	})
}

func TestUpgraded(t *testing.T) {
	storetest.RunUpgraded(t, func(t *testing.T) (first, second store.Store, exec func(sql string)) {
		path := file(t)
		st := open(t, path, nil)
		return st, open(t, path, nil), func(sql string) {
			if _, err := st.DB().ExecContext(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// open opens a store that the test closes.
func open(t testing.TB, path string, o *sqlite.Options) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// openPages opens a store with the table of pages.
func openPages(t testing.TB, path string, o *sqlite.Options) *sqlite.Store {
	t.Helper()
	st := open(t, path, o)
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	return st
}

func add(ctx context.Context, st store.Store, titles ...string) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		for _, title := range titles {
			if err := pages.Insert(tx, &page{Title: title}); err != nil {
				return err
			}
		}
		return nil
	})
}

func titles(t testing.TB, st store.Store) []string {
	t.Helper()
	list := []string{}
	err := st.View(context.Background(), func(_ context.Context, tx store.Tx) error {
		return pages.Each(tx, store.Query{}, func(p *page) error {
			list = append(list, p.Title)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func wantTitles(t testing.TB, st store.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), titles(t, st)); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "shop.db") }

func TestOpenTakesThePathAsItIs(t *testing.T) {
	for _, name := range []string{"a b.db", "what?.db", "100%25.db", "a#b.db", "file:a.db", "ü&=+.db", "'\".db", "a?mode=memory"} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.ContainsAny(name, `?:"`) {
				t.Skip("no file of this system has such a name")
			}
			dir := t.TempDir()
			st := openPages(t, filepath.Join(dir, name), nil)
			if err := add(t.Context(), st, "one"); err != nil {
				t.Fatal(err)
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != 1 || entries[0].Name() != name {
				t.Errorf("the directory holds %v, want the file alone", entries)
			}
			wantTitles(t, open(t, filepath.Join(dir, name), nil), "one")
		})
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path        string
		unavailable bool
	}{
		{"", false},
		{":memory:", false},
		{filepath.Join(dir, "a\x00b"), false},
		{filepath.Join(dir, "missing", "shop.db"), true},
		{dir, true},
	} {
		st, err := sqlite.Open(t.Context(), c.path, nil)
		if err == nil {
			st.Close()
			t.Errorf("Open(%q) succeeds", c.path)
		} else if errors.Is(err, store.ErrUnavailable) != c.unavailable {
			t.Errorf("Open(%q): %v; ErrUnavailable should be %v", c.path, err, c.unavailable)
		}
	}
}

func TestOpenRefusesAnotherFile(t *testing.T) {
	path := file(t)
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if st, err := sqlite.Open(t.Context(), path, nil); err == nil {
		st.Close()
		t.Error("a text file opens as a database")
	}
}

func TestRelativePathOutlivesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	st := openPages(t, "shop.db", nil)
	t.Chdir(t.TempDir())
	wantTitles(t, st) // opens its first reader now
}

func TestCloseLeavesOneFile(t *testing.T) {
	path := file(t)
	st := openPages(t, path, nil)
	if err := add(t.Context(), st, "one"); err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "one")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + suffix); err == nil {
			t.Errorf("%s is left", suffix)
		}
	}
	if err := add(t.Context(), st, "two"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Update after Close: %v, want ErrUnavailable", err)
	}
	wantTitles(t, open(t, path, nil), "one")
}

func TestCloseWaitsForTransactions(t *testing.T) {
	path := file(t)
	st := openPages(t, path, nil)
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- st.Update(context.Background(), func(_ context.Context, tx store.Tx) error {
			close(inside)
			<-leave
			return pages.Insert(tx, &page{Title: "late"})
		})
	}()
	<-inside
	closed := make(chan error)
	go func() { closed <- st.Close() }()
	for st.View(t.Context(), func(context.Context, store.Tx) error { return nil }) == nil {
		runtime.Gosched() // until Close has begun
	}
	close(leave)
	if err := <-done; err != nil {
		t.Errorf("an Update that ran before Close: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	wantTitles(t, open(t, path, nil), "late")
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	st := openPages(t, file(t), nil)
	for range 20 {
		if err := add(t.Context(), st, "one"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_ = st.View(ctx, func(context.Context, store.Tx) error { return nil })
		cancel()
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for range 100 { // the test's own goroutines may still be ending
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after Close", before, runtime.NumGoroutine())
}

func TestManyShapesOfQueries(t *testing.T) {
	st := openPages(t, file(t), nil)
	if err := add(t.Context(), st, "one"); err != nil {
		t.Fatal(err)
	}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		return pages.Each(tx, store.Query{}, func(*page) error { // in use while its plan is dropped
			var conds []store.Cond
			for range sqlite.MaxPlans + 10 {
				conds = append(conds, store.Equal("title", store.String("one")))
				if n, err := pages.Count(tx, conds...); err != nil || n != 1 {
					t.Fatalf("%d conditions: %d rows, %v", len(conds), n, err)
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "one")
}
