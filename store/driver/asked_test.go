package driver_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi/internal/askedtest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// newAskedStore returns a store that is asked, with three books of two authors.
func newAskedStore(t *testing.T) *askedtest.Store {
	t.Helper()
	st, err := askedtest.New(t.Context(), books.Schema(), authors.Schema(), countries.Schema())
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range int64(3) {
			if err := books.Insert(tx, &book{AuthorID: i%2 + 1, Title: "Title", Pages: 100 * (i + 1)}); err != nil {
				return err
			}
		}
		return authors.Insert(tx, &author{CountryID: 1, Name: "Ana"})
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func getBook(tx store.Tx) error   { _, err := books.Get(tx, 1); return err }
func getAuthor(tx store.Tx) error { _, err := authors.Get(tx, 1); return err }

// both reads a book and an author in one View.
func both(tx store.Tx) error { return errors.Join(getBook(tx), getAuthor(tx)) }

// A result from an asked store is valid as long as the versions of its tables and the epoch
// are the same.
func TestAsked_Valid(t *testing.T) {
	for _, late := range []bool{false, true} {
		for _, c := range []struct {
			name   string
			change func(st *askedtest.Store)
			valid  bool
		}{
			{"nothing", func(*askedtest.Store) {}, true},
			{"another table", func(st *askedtest.Store) { st.Change(countries.Schema()) }, true},
			{"the first table", func(st *askedtest.Store) { st.Change(books.Schema()) }, false},
			{"the second table", func(st *askedtest.Store) { st.Change(authors.Schema()) }, false},
			{"a table has no version any more", func(st *askedtest.Store) { st.Forget(authors.Schema()) }, false},
			{"the epoch", func(st *askedtest.Store) { st.BeginEpoch() }, false},
			{"no answer", func(st *askedtest.Store) { st.Err = errors.New("down") }, false},
		} {
			st := newAskedStore(t)
			st.Late = late
			reads := readBooks(t, st, both)
			if !reads.Complete() || !reads.Asks() {
				t.Fatalf("%s: complete %v, asks %v", c.name, reads.Complete(), reads.Asks())
			}
			c.change(st)
			if got := reads.Valid(t.Context()); got != c.valid {
				t.Errorf("%s, versions after the reads %v: valid %v, want %v", c.name, late, got, c.valid)
			}
		}
	}
}

// A read set is not complete where the reads cannot be of one state of the database.
func TestAsked_Incomplete(t *testing.T) {
	view := func(t *testing.T, st store.Store, reads *driver.ReadSet, fn func(store.Tx) error) {
		t.Helper()
		err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error { return fn(tx) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name     string
		between  func(t *testing.T, st *askedtest.Store, reads *driver.ReadSet)
		complete bool
	}{
		{"two Views of one state", func(*testing.T, *askedtest.Store, *driver.ReadSet) {}, true},
		{"a table that only the second View reads changed", func(_ *testing.T, st *askedtest.Store, _ *driver.ReadSet) { st.Change(authors.Schema()) }, true},
		{"a table that both Views read changed", func(_ *testing.T, st *askedtest.Store, _ *driver.ReadSet) { st.Change(books.Schema()) }, false},
		{"a new epoch", func(_ *testing.T, st *askedtest.Store, _ *driver.ReadSet) { st.BeginEpoch() }, false},
		{"a table without a version", func(_ *testing.T, st *askedtest.Store, _ *driver.ReadSet) { st.Forget(authors.Schema()) }, false},
		{"a View without versions", func(_ *testing.T, st *askedtest.Store, _ *driver.ReadSet) { st.Mute = true }, false},
		{"another asked store", func(t *testing.T, _ *askedtest.Store, reads *driver.ReadSet) {
			view(t, newAskedStore(t), reads, getBook)
		}, false},
		{"a store with versions", func(t *testing.T, _ *askedtest.Store, reads *driver.ReadSet) { view(t, newRowStore(t), reads, getBook) }, false},
	} {
		for _, late := range []bool{false, true} {
			st, reads := newAskedStore(t), new(driver.ReadSet)
			st.Late = late
			view(t, st, reads, getBook)
			c.between(t, st, reads)
			view(t, st, reads, both)
			if got := reads.Complete(); got != c.complete {
				t.Errorf("%s, versions after the reads %v: complete %v, want %v", c.name, late, got, c.complete)
			}
			if !c.complete && reads.Valid(t.Context()) {
				t.Errorf("%s, versions after the reads %v: valid", c.name, late)
			}
		}
	}
	reads := new(driver.ReadSet)
	view(t, newRowStore(t), reads, getBook)
	view(t, newAskedStore(t), reads, getBook)
	if reads.Complete() {
		t.Error("a store with versions, then an asked one: complete")
	}
	st := newAskedStore(t)
	reads = new(driver.ReadSet)
	st.Mute = true
	view(t, st, reads, getBook)
	st.Mute = false
	if view(t, st, reads, getAuthor); reads.Complete() {
		t.Error("a View without versions, then one with versions: complete")
	}
}

// Under a context of AskOnce a store is asked once, again after its own Update, and again
// after a second.
func TestAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newAskedStore(t)
		reads := readBooks(t, st, getBook)
		expect := func(ctx context.Context, why string, valid bool, questions int) {
			t.Helper()
			before := st.Questions()
			if got := reads.Valid(ctx); got != valid || st.Questions()-before != questions {
				t.Errorf("%s: valid %v after %d questions, want %v after %d", why, got, st.Questions()-before, valid, questions)
			}
		}
		expect(t.Context(), "without AskOnce", true, 1)
		expect(t.Context(), "without AskOnce, again", true, 1)

		ctx := driver.AskOnce(t.Context())
		expect(ctx, "first", true, 1)
		st.Change(books.Schema())
		expect(ctx, "as of the first question", true, 0)
		expect(driver.AskOnce(ctx), "asked anew", false, 1)
		time.Sleep(time.Second - 1)
		expect(ctx, "within a second", true, 0)
		time.Sleep(time.Nanosecond)
		expect(ctx, "after a second", false, 1)

		reads = readBooks(t, st, getBook)
		st.Change(books.Schema())
		expect(ctx, "as of the last question", true, 0)
		if err := st.Update(ctx, func(context.Context, store.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		expect(ctx, "after an Update under the context", false, 1)
		reads = readBooks(t, st, getBook)
		if err := st.Update(t.Context(), func(context.Context, store.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		expect(ctx, "after an Update under another context", true, 0)

		st.Err = errors.New("down")
		ctx = driver.AskOnce(t.Context())
		expect(ctx, "no answer", false, 1)
		st.Err = nil
		expect(ctx, "an answer after none", true, 1)

		other := newAskedStore(t)
		others := readBooks(t, other, getBook)
		if !others.Valid(ctx) || other.Questions() != 1 {
			t.Errorf("another store under the context: %d questions, want 1", other.Questions())
		}
	})
}

// rowAsked is an asked store that remembers some changes.
type rowAsked struct {
	*askedtest.Store
	remembered [][2]uint64   // from and to
	row, now   []store.Value // of the change
	calls      [][2]uint64
}

var _ driver.RowAsked = (*rowAsked)(nil)

func (s *rowAsked) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.Store.View(context.Background(), func(_ context.Context, tx store.Tx) error {
		ctx, session := driver.NewSession(ctx, s, tx, false)
		now, err := s.Store.Versions(ctx)
		driver.ReadSetOf(ctx).Saw(now)
		return errors.Join(err, fn(ctx, session.Tx()))
	})
}

func (s *rowAsked) Unaffected(table *store.Schema, from, to uint64, reads []*driver.Read) bool {
	s.calls = append(s.calls, [2]uint64{from, to})
	for _, read := range reads {
		if read.Schema != table || read.Affected(s.row, s.now) {
			return false
		}
	}
	return slices.Contains(s.remembered, [2]uint64{from, to})
}

// A table may change by rows that the store remembers and that were not read. The next
// question begins where the last one ended.
func TestAsked_RememberedRows(t *testing.T) {
	other := bookRow(9, 1, "Other", 900, "")
	st := &rowAsked{Store: newAskedStore(t), row: other, remembered: [][2]uint64{{1, 2}, {2, 4}}}
	reads := readBooks(t, st, both)
	st.Change(books.Schema())
	for range 2 {
		if !reads.Valid(t.Context()) {
			t.Fatal("a change of another row counts")
		}
	}
	st.Change(books.Schema())
	st.Change(books.Schema())

	merged := new(driver.ReadSet)
	if !reads.Valid(t.Context()) {
		t.Error("two changes of another row count")
	}
	if merged.Merge(reads); !merged.Valid(t.Context()) {
		t.Error("what was merged after the changes is not valid")
	}
	if len(st.calls) != 2 {
		t.Errorf("asked about %v, want each change once", st.calls)
	}

	st.Change(authors.Schema())
	st.Change(authors.Schema())
	if reads.Valid(t.Context()) {
		t.Error("a change that the store does not remember does not count")
	}

	st = &rowAsked{Store: newAskedStore(t), row: bookRow(1, 1, "Title", 100, ""), remembered: [][2]uint64{{1, 2}}}
	reads = readBooks(t, st, both)
	if st.Change(books.Schema()); reads.Valid(t.Context()) {
		t.Error("a change of the row does not count")
	}
}

// Beyond a number of reads of a table, each of its rows counts.
func TestAsked_ManyReadsOfATable(t *testing.T) {
	for reads, valid := range map[int]bool{16: true, 17: false, 18: false} {
		st := &rowAsked{Store: newAskedStore(t), row: bookRow(9, 1, "Other", 900, ""), now: bookRow(9, 1, "New", 900, ""), remembered: [][2]uint64{{1, 2}}}
		set := readBooks(t, st, func(tx store.Tx) error {
			for range reads {
				if err := getBook(tx); err != nil {
					return err
				}
			}
			return nil
		})
		st.Change(books.Schema())
		if got := set.Valid(t.Context()); got != valid {
			t.Errorf("%d reads: valid %v after the change of another row, want %v", reads, got, valid)
		}
	}
}

// A merged read set has the reads and conditions of both.
func TestAsked_Merge(t *testing.T) {
	t.Run("Reads", func(t *testing.T) {
		for _, changed := range []*store.Schema{books.Schema(), authors.Schema()} {
			st := newAskedStore(t)
			reads := readBooks(t, st, getAuthor)
			reads.Merge(readBooks(t, st, getBook))
			if !reads.Complete() || !reads.Asks() || !reads.Valid(t.Context()) {
				t.Fatal("a merged read set is not valid")
			}
			if st.Change(changed); reads.Valid(t.Context()) {
				t.Errorf("a change of %s does not count", changed.Name)
			}
		}
	})
	t.Run("Conditions", func(t *testing.T) {
		st, today := newAskedStore(t), true
		reads, other := readBooks(t, st, getAuthor), readBooks(t, st, getBook)
		other.While(func() bool { return today })
		if reads.Merge(other); !reads.Valid(t.Context()) {
			t.Fatal("a merged read set is not valid")
		}
		if today = false; reads.Valid(t.Context()) {
			t.Error("a merged condition that does not hold does not count")
		}
	})
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, st *askedtest.Store, other **driver.ReadSet)
	}{
		{"another version", func(t *testing.T, st *askedtest.Store, other **driver.ReadSet) {
			st.Change(books.Schema())
			*other = readBooks(t, st, getBook)
		}},
		{"another epoch", func(t *testing.T, st *askedtest.Store, other **driver.ReadSet) {
			st.BeginEpoch()
			*other = readBooks(t, st, getBook)
		}},
		{"another store", func(t *testing.T, _ *askedtest.Store, other **driver.ReadSet) {
			*other = readBooks(t, newAskedStore(t), getBook)
		}},
		{"a store with versions", func(t *testing.T, _ *askedtest.Store, other **driver.ReadSet) {
			*other = readBooks(t, newRowStore(t), getBook)
		}},
		{"an incomplete one", func(_ *testing.T, _ *askedtest.Store, other **driver.ReadSet) { (*other).MarkUntracked() }},
		{"a condition that has ended", func(_ *testing.T, _ *askedtest.Store, other **driver.ReadSet) {
			(*other).While(func() bool { return false })
		}},
	} {
		st := newAskedStore(t)
		reads, other := readBooks(t, st, both), readBooks(t, st, getBook)
		c.spoil(t, st, &other)
		if reads.Merge(other); reads.Complete() || reads.Valid(t.Context()) {
			t.Errorf("%s was merged", c.name)
		}
	}
	reads := readBooks(t, newRowStore(t), getBook)
	if reads.Merge(readBooks(t, newAskedStore(t), getBook)); reads.Complete() {
		t.Error("an asked store was merged with one that has versions")
	}
}

// The size grows with the tables and the reads.
func TestAsked_Size(t *testing.T) {
	st := newAskedStore(t)
	one, two, empty := readBooks(t, st, getBook).Size(), readBooks(t, st, both).Size(), new(driver.ReadSet).Size()
	if empty <= 0 || one < empty+200 || two < one+128 {
		t.Errorf("%d bytes when empty, %d for a read, %d for reads of two tables", empty, one, two)
	}
}
