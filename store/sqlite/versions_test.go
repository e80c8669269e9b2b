package sqlite_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

type note struct {
	NoteID int64 `json:"note_id,string" store:"key"`
	N      int64 `json:"n" store:"index"`
}

var notes = store.MustTable[note]("notes")

// openNotes opens a store with the tables of pages and of notes.
func openNotes(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	st := openPages(t, path, nil)
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	return st
}

func addNote(ctx context.Context, st store.Store) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return notes.Insert(tx, &note{}) })
}

// readPages returns the read set of a View that reads all pages.
func readPages(t testing.TB, st store.Store) *driver.ReadSet {
	t.Helper()
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		_, err := pages.Select(tx, store.Query{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

// Each of these is done after pages were read: the read set is valid after it, or not.
func TestVersions(t *testing.T) {
	write := func(t *testing.T, path string, sql string) {
		t.Helper()
		if _, err := host(t, path).ExecContext(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		do    func(t *testing.T, st *sqlite.Store, path string) error
		valid bool
	}{
		{"Nothing", func(*testing.T, *sqlite.Store, string) error { return nil }, true},
		{"AWriteToTheTable", func(t *testing.T, st *sqlite.Store, _ string) error { return add(t.Context(), st, "a") }, false},
		{"AWriteToAnotherTable", func(t *testing.T, st *sqlite.Store, _ string) error { return addNote(t.Context(), st) }, true},
		{"AWriteThatIsRolledBack", func(t *testing.T, st *sqlite.Store, _ string) error {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return errors.Join(pages.Insert(tx, &page{Title: "a"}), errors.New("no"))
			})
			if err == nil {
				t.Error("an Update whose function fails succeeds")
			}
			return nil
		}, true},
		{"AnUpdateThatChangesNoRow", func(t *testing.T, st *sqlite.Store, _ string) error {
			return st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				_, err := pages.Delete(tx, store.Equal("title", store.String("none")))
				return err
			})
		}, true},
		{"AMigration", func(t *testing.T, st *sqlite.Store, _ string) error { return st.Migrate(t.Context(), wide) }, false},
		{"AWriteByTheHost", func(t *testing.T, st *sqlite.Store, path string) error {
			write(t, path, "INSERT INTO pages (title, title_fold) VALUES ('a', 'a')")
			return nil
		}, false},
		{"AWriteByTheHostThenToAnotherTable", func(t *testing.T, st *sqlite.Store, path string) error {
			write(t, path, "INSERT INTO pages (title, title_fold) VALUES ('a', 'a')")
			return addNote(t.Context(), st)
		}, false},
		{"AWriteOfAnotherStore", func(t *testing.T, _ *sqlite.Store, path string) error {
			return add(t.Context(), open(t, path, nil), "a")
		}, false},
		{"AnotherStoreOpens", func(t *testing.T, _ *sqlite.Store, path string) error {
			open(t, path, nil)
			return nil
		}, true},
		{"ACheckpoint", func(t *testing.T, st *sqlite.Store, _ string) error {
			return st.Exec("PRAGMA wal_checkpoint(RESTART)")
		}, true},
		{"TheWALRestarts", func(t *testing.T, st *sqlite.Store, _ string) error {
			if err := st.Exec("PRAGMA wal_checkpoint(RESTART)"); err != nil {
				return err
			}
			return addNote(t.Context(), st)
		}, true},
		{"TheHostWritesAfterTheWALWasTruncated", func(t *testing.T, st *sqlite.Store, path string) error {
			write(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
			write(t, path, "INSERT INTO pages (title, title_fold) VALUES ('a', 'a')")
			return nil
		}, false},
		{"ATriggerOfTheHostWrites", func(t *testing.T, st *sqlite.Store, _ string) error { return addNote(t.Context(), st) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(t)
			st := openNotes(t, path)
			if c.name == "ATriggerOfTheHostWrites" {
				write(t, path, "CREATE TRIGGER host AFTER INSERT ON notes BEGIN INSERT INTO pages (title, title_fold) VALUES ('b', 'b'); END")
			}
			if err := add(t.Context(), st, "first"); err != nil {
				t.Fatal(err)
			}
			reads := readPages(t, st)
			if err := c.do(t, st, path); err != nil {
				t.Fatal(err)
			}
			if reads.Valid(t.Context()) != c.valid {
				t.Errorf("what was read before is valid: %v", reads.Valid(t.Context()))
			}
			if !readPages(t, st).Valid(t.Context()) {
				t.Error("what is read after it is not valid")
			}
		})
	}
}

// A store that has just been opened finds an empty WAL. So may the recovery after a
// crash.
func TestVersionsAfterRecovery(t *testing.T) {
	path := file(t)
	if err := openPages(t, path, nil).Close(); err != nil {
		t.Fatal(err)
	}
	st := open(t, path, nil)
	for i := range 4 {
		reads := readPages(t, st)
		db := host(t, path)
		if _, err := db.Exec("INSERT INTO pages (title, title_fold) VALUES ('a', 'a')"); err != nil {
			t.Fatal(err)
		}
		st.TearWALHeader() // as a writer that was killed leaves it
		if reads.Valid(t.Context()) {
			t.Errorf("round %d: what was read is valid while the WAL needs recovery", i)
		}
		var n int
		if err := db.QueryRow("SELECT count(*) FROM pages").Scan(&n); err != nil || n != i+1 { // recovers
			t.Fatalf("round %d: the host finds %d rows, %v", i, n, err)
		}
		if reads.Valid(t.Context()) {
			t.Errorf("round %d: what was read is valid after a commit and a recovery", i)
		}
		if after := readPages(t, st); !after.Valid(t.Context()) {
			t.Errorf("round %d: what is read after recovery is not valid", i)
		}
	}
}

// Two stores and a host commit to one file at once. A valid read equals the contents of
// the database.
func TestVersionsBesideOthers(t *testing.T) {
	path := file(t)
	one, two, db := openNotes(t, path), openNotes(t, path), host(t, path)
	var (
		mu    sync.Mutex // held during a commit or a comparison
		all   sync.WaitGroup
		until = time.Now().Add(300 * time.Millisecond)
	)
	if testing.Short() {
		until = time.Now().Add(50 * time.Millisecond)
	}
	all.Go(func() { // comes between the commits, without the lock
		for time.Now().Before(until) {
			if err := addNote(context.Background(), one); err != nil {
				t.Error(err)
			}
		}
	})
	for i, st := range []*sqlite.Store{one, two} {
		all.Go(func() {
			for n := 0; time.Now().Before(until); n++ {
				mu.Lock()
				var err error
				if n%2 == 0 {
					err = add(context.Background(), st, "a")
				} else {
					_, err = db.Exec("INSERT INTO pages (title, title_fold) VALUES ('a', 'a')")
				}
				mu.Unlock()
				if err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
				time.Sleep(time.Millisecond) // the comparison needs the lock, too
			}
		})
	}
	valid := 0
	for n := 0; time.Now().Before(until); n++ {
		if n%2 == 0 {
			mu.Lock() // no commit comes between reading and comparing
		}
		reads := new(driver.ReadSet)
		var before int64
		err := one.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) (err error) {
			before, err = pages.Count(tx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n%2 != 0 {
			mu.Lock()
		}
		if reads.Valid(t.Context()) {
			valid++
			var now int64
			if err := db.QueryRow("SELECT count(*) FROM pages").Scan(&now); err != nil || now != before {
				t.Errorf("%d rows are valid when there are %d, %v", before, now, err)
			}
		}
		mu.Unlock()
	}
	all.Wait()
	if valid == 0 {
		t.Error("nothing was ever valid")
	}
}

// A table is unchanged since the version in which it changed, by whatever program.
func TestVersions_SinceTheChangeItself(t *testing.T) {
	path := file(t)
	st := openNotes(t, path)
	reads := []*driver.Read{{Schema: pages.Schema()}, {Schema: notes.Schema()}}
	for name, write := range map[string]func() error{
		"an Update": func() error { return add(t.Context(), st, "a") },
		"the host": func() error {
			_, err := host(t, path).ExecContext(t.Context(), "INSERT INTO pages (title, title_fold) VALUES ('a', 'a')")
			return err
		},
	} {
		before, _ := st.Version()
		if err := write(); err != nil {
			t.Fatal(err)
		}
		version, ok := st.Version()
		if !ok || version <= before || st.Unchanged(before, reads) {
			t.Errorf("%s: from version %d to %d (%v), unchanged since the first: %v", name, before, version, ok, st.Unchanged(before, reads))
		}
		if until, ok := st.Unaffected(version, reads); !st.Unchanged(version, reads) || !ok || until != version {
			t.Errorf("%s: unchanged since the change itself: %v, unaffected: %v until %d, want version %d", name, st.Unchanged(version, reads), ok, until, version)
		}
	}
}

// A store that is closed knows nothing.
func TestVersions_Closed(t *testing.T) {
	st := openNotes(t, file(t))
	version, _ := st.Version()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := st.Version(); ok || st.Unchanged(version, []*driver.Read{{Schema: pages.Schema()}}) {
		t.Error("a closed store has a version, or unchanged tables")
	}
	if _, ok := st.Unaffected(version, nil); ok {
		t.Error("a closed store has unaffected reads")
	}
}

func BenchmarkUnchanged(b *testing.B) {
	st := openPages(b, file(b), nil)
	version, _ := st.Version()
	reads := []*driver.Read{{Schema: pages.Schema()}, {Schema: notes.Schema()}}
	for b.Loop() {
		if !st.Unchanged(version, reads) {
			b.Fatal("something has changed")
		}
	}
}
