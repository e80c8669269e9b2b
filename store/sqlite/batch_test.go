package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

type member struct {
	ctx context.Context // nil for a context that never ends
	fn  func(context.Context, store.Tx) error

	returned func()    // is called after Update has returned, nil for nothing
	panicked func(any) // is called with the value with which Update has panicked, nil for nothing
}

// batch makes Updates wait behind a running one, in order, so that they commit together.
// It returns their errors; the error of a member that panicked or ended its goroutine is
// nil.
func batch(t *testing.T, st *sqlite.Store, members ...member) []error {
	t.Helper()
	return batches(t, st, time.Hour, members...)
}

// batches is batch with batches that take members for some time.
func batches(t *testing.T, st *sqlite.Store, time time.Duration, members ...member) []error {
	t.Helper()
	st.SetBatchTime(time)
	inside, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := st.Update(context.Background(), func(context.Context, store.Tx) error {
			close(inside)
			<-leave
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	errs := make([]error, len(members))
	for i, m := range members {
		if m.ctx == nil {
			m.ctx = context.Background()
		}
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil && m.panicked != nil {
					m.panicked(v)
				}
			}()
			errs[i] = st.Update(m.ctx, m.fn)
			if m.returned != nil {
				m.returned()
			}
		})
		for st.Waiting() != i+1 {
			runtime.Gosched()
		}
	}
	close(leave)
	wg.Wait()
	return errs
}

// eachWay runs a test with batches whose members have savepoints, and with batches without. There
// a failure lets earlier members run again, so that the order of the rows is not known.
func eachWay(t *testing.T, test func(t *testing.T, careful int)) {
	t.Run("Savepoints", func(t *testing.T) { test(t, 10) })
	t.Run("NoSavepoints", func(t *testing.T) { test(t, 0) })
}

// wantSorted is wantTitles in any order.
func wantSorted(t *testing.T, st store.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(titles(t, st)))); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
}

func insert(title string) func(context.Context, store.Tx) error {
	return func(_ context.Context, tx store.Tx) error { return pages.Insert(tx, &page{Title: title}) }
}

func TestWaitingUpdatesCommitTogether(t *testing.T) {
	st := openPages(t, file(t), nil)
	var seen []int // by a hook, which runs after the commit
	var members []member
	for i := range 5 {
		members = append(members, member{fn: func(ctx context.Context, tx store.Tx) error {
			store.AfterCommit(ctx, func() { seen = append(seen, len(titles(t, st))) })
			return pages.Insert(tx, &page{Title: fmt.Sprint(i)})
		}})
	}
	for i, err := range batch(t, st, members...) {
		if err != nil {
			t.Errorf("Update %d: %v", i, err)
		}
	}
	if want := []int{5, 5, 5, 5, 5}; !slices.Equal(seen, want) {
		t.Errorf("the hooks see %v rows, want %v: all were committed at once", seen, want)
	}
	wantTitles(t, st, "0", "1", "2", "3", "4")
}

// What has changed is committed after a while, even if more Updates wait.
func TestABatchEnds(t *testing.T) {
	st := openPages(t, file(t), nil)
	var seen []int
	var members []member
	for i := range 3 {
		members = append(members, member{fn: func(ctx context.Context, tx store.Tx) error {
			store.AfterCommit(ctx, func() { seen = append(seen, len(titles(t, st))) })
			return pages.Insert(tx, &page{Title: fmt.Sprint(i)})
		}})
	}
	for i, err := range batches(t, st, 0, members...) {
		if err != nil {
			t.Errorf("Update %d: %v", i, err)
		}
	}
	if len(seen) != 3 || seen[0] != 1 {
		t.Errorf("the hooks see %v rows, want 1 first: its batch had no time for others", seen)
	}
	wantTitles(t, st, "0", "1", "2")
}

// Slow hooks do not make batches longer, as a slow disk does.
func TestHooksDoNotCountAsCommit(t *testing.T) {
	st := openPages(t, file(t), nil)
	var commit []time.Duration
	hooked := member{fn: func(ctx context.Context, tx store.Tx) error {
		store.AfterCommit(ctx, func() { commit = append(commit, st.CommitTime()) })
		return pages.Insert(tx, &page{Title: "a"})
	}}
	for i, err := range batch(t, st, hooked, hooked) {
		if err != nil {
			t.Errorf("Update %d: %v", i, err)
		}
	}
	if len(commit) != 2 || commit[0] == 0 || commit[1] != commit[0] || st.CommitTime() != commit[0] {
		t.Errorf("the commit took %v in the hooks, and %v after them, want the same", commit, st.CommitTime())
	}
}

func TestAMemberThatFailsFailsAlone(t *testing.T) {
	failed := errors.New("failed on purpose")
	for _, c := range []struct {
		name string
		end  func(ctx context.Context, st store.Store) error
		want error
	}{
		{"Error", func(context.Context, store.Store) error { return failed }, failed},
		{"Panic", func(context.Context, store.Store) error { panic("on purpose") }, nil},
		{"Goexit", func(context.Context, store.Store) error { runtime.Goexit(); return nil }, nil},
		{"GoexitThenPanic", func(context.Context, store.Store) error {
			defer panic("on purpose") // the goroutine ends, whoever recovers
			runtime.Goexit()
			return nil
		}, nil},
		{"JoinedUpdate", func(ctx context.Context, st store.Store) error {
			_ = st.Update(ctx, func(context.Context, store.Tx) error { return failed })
			return nil
		}, failed},
	} {
		for at := range 3 {
			t.Run(fmt.Sprintf("%s/%d", c.name, at), func(t *testing.T) {
				eachWay(t, func(t *testing.T, careful int) {
					st := openPages(t, file(t), nil)
					st.SetCareful(careful)
					var returned atomic.Int64
					count := func() { returned.Add(1) }
					members := []member{{fn: insert("a"), returned: count}, {fn: insert("b"), returned: count}}
					members = slices.Insert(members, at, member{fn: func(ctx context.Context, tx store.Tx) error {
						if err := pages.Insert(tx, &page{Title: "lost"}); err != nil {
							return err
						}
						return c.end(ctx, st)
					}})
					for i, err := range batch(t, st, members...) {
						if i == at && !errors.Is(err, c.want) || i != at && err != nil {
							t.Errorf("Update %d returns %v", i, err)
						}
					}
					if n := returned.Load(); n != 2 {
						t.Errorf("%d of the 2 other Updates have returned", n)
					}
					wantSorted(t, st, "a", "b")
					if err := add(t.Context(), st, "c"); err != nil {
						t.Fatal(err)
					}
					wantSorted(t, st, "a", "b", "c")
				})
			})
		}
	}
}

// A panic reaches the caller of the member, with the frames that lead to it.
func TestAMemberPanicsInItsCaller(t *testing.T) {
	st := openPages(t, file(t), nil)
	var value any
	var stack string
	batch(t, st, member{fn: insert("a")}, member{
		fn:       func(context.Context, store.Tx) error { panic("on purpose") },
		panicked: func(v any) { value, stack = v, string(debug.Stack()) },
	}, member{fn: insert("b")})
	if value != "on purpose" {
		t.Errorf("the panic is %v", value)
	}
	for _, frame := range []string{"TestAMemberPanicsInItsCaller", "sqlite_test.batch"} {
		if !strings.Contains(stack, frame) {
			t.Errorf("the stack lacks %s:\n%s", frame, stack)
		}
	}
	wantSorted(t, st, "a", "b")
}

// A panic of a hook reaches the caller of its member. The hooks of the other members run.
func TestAHookPanicsInItsCaller(t *testing.T) {
	for at := range 3 {
		st := openPages(t, file(t), nil)
		var ran, panicked atomic.Int64
		var members []member
		for i := range 3 {
			members = append(members, member{
				fn: func(ctx context.Context, tx store.Tx) error {
					store.AfterCommit(ctx, func() {
						if ran.Add(1); i == at {
							panic("on purpose")
						}
					})
					return pages.Insert(tx, &page{Title: fmt.Sprint(i)})
				},
				panicked: func(any) { panicked.Add(int64(1 + i)) },
			})
		}
		for i, err := range batch(t, st, members...) {
			if err != nil {
				t.Errorf("Update %d: %v", i, err)
			}
		}
		if ran.Load() != 3 || panicked.Load() != int64(1+at) {
			t.Errorf("%d hooks ran, want 3, and Update %d panicked, want %d alone", ran.Load(), panicked.Load()-1, at)
		}
		wantTitles(t, st, "0", "1", "2")
	}
}

// Members of a batch have no savepoints until one fails that has written. The members before
// it run once more, and further batches have savepoints.
func TestAMemberThatFailsUndoesOthersOnce(t *testing.T) {
	st, failed := openPages(t, file(t), nil), errors.New("failed on purpose")
	fails := func(writes bool) member {
		return member{fn: func(_ context.Context, tx store.Tx) error {
			if writes {
				return errors.Join(failed, pages.Insert(tx, &page{Title: "lost"}))
			}
			return failed
		}}
	}
	for _, c := range []struct {
		name   string
		writes bool
		runs   int // of the earlier member
	}{
		{"before its first write", false, 1},
		{"after it", true, 2},
		{"after it, again", true, 1},
	} {
		runs := 0
		errs := batch(t, st, member{fn: func(ctx context.Context, tx store.Tx) error {
			runs++
			return insert("a")(ctx, tx)
		}}, fails(c.writes), member{fn: insert("b")})
		if errs[0] != nil || !errors.Is(errs[1], failed) || errs[2] != nil {
			t.Errorf("a member fails %s: %v", c.name, errs)
		}
		if runs != c.runs {
			t.Errorf("a member fails %s: the one before it ran %d times, want %d", c.name, runs, c.runs)
		}
	}
	wantSorted(t, st, "a", "a", "a", "b", "b", "b")
}

// A member may fail because of what a member before it has changed. Its error is returned
// after the commit, so that the caller finds that change.
func TestAMemberThatFailsWaitsForTheCommit(t *testing.T) {
	st, taken, returned := openPages(t, file(t), nil), errors.New("the title is taken"), make(chan struct{})
	var found []string
	errs := batch(t, st,
		member{fn: insert("a")},
		member{
			fn: func(_ context.Context, tx store.Tx) error {
				if n, err := pages.Count(tx, store.Equal("title", store.String("a"))); n != 1 || err != nil {
					return fmt.Errorf("%d rows: %w", n, err)
				}
				return taken
			},
			returned: func() { found = titles(t, st); close(returned) },
		},
		member{fn: func(context.Context, store.Tx) error {
			select { // an Update that does not wait returns now
			case <-returned:
			case <-time.After(100 * time.Millisecond):
			}
			return nil
		}})
	if !slices.Equal(found, []string{"a"}) || !errors.Is(errs[1], taken) {
		t.Errorf("after the error %v the titles are %v, want a", errs[1], found)
	}
}

func TestCancelledInTheQueue(t *testing.T) {
	st := openPages(t, file(t), nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		go func() {
			done <- st.Update(ctx, func(context.Context, store.Tx) error {
				t.Error("the function runs")
				return nil
			})
		}()
		for st.Waiting() != 1 {
			runtime.Gosched()
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) { // while this one still writes
			t.Errorf("a cancelled Update returns %v", err)
		}
		return pages.Insert(tx, &page{Title: "a"})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTitles(t, st, "a")
}

func TestCancelledInItsTurn(t *testing.T) {
	eachWay(t, func(t *testing.T, careful int) {
		st := openPages(t, file(t), nil)
		st.SetCareful(careful)
		ctx, cancel := context.WithCancel(t.Context())
		members := []member{{fn: insert("a")}, {ctx: ctx, fn: func(ctx context.Context, tx store.Tx) error {
			err := pages.Insert(tx, &page{Title: "b"})
			cancel()
			return err
		}}, {ctx: ctx, fn: insert("c")}, {fn: insert("d")}}
		errs := batch(t, st, members...)
		for i, cancelled := range []bool{false, true, true, false} {
			if errors.Is(errs[i], context.Canceled) != cancelled {
				t.Errorf("Update %d returns %v", i, errs[i])
			}
		}
		wantSorted(t, st, "a", "d")
	})
}

// If the disk is full in the middle of a batch, the database contains exactly the
// acknowledged changes.
func TestFullDisk(t *testing.T) {
	st := openPages(t, file(t), nil)
	if err := st.Exec("PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	names := []string{"a", strings.Repeat("x", 200_000), "b"}
	var members []member
	for _, name := range names {
		members = append(members, member{fn: insert(name)})
	}
	errs := batch(t, st, members...)
	var want []string
	for i, err := range errs {
		if err == nil {
			want = append(want, names[i])
		} else if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Update %d: %v, want ErrUnavailable", i, err)
		}
	}
	if errs[1] == nil {
		t.Fatal("the disk is not full")
	}
	// Members that ran before the disk was full run again, beside the ones that wait still.
	got := titles(t, st)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}

	if err := st.Exec("PRAGMA max_page_count = 2000"); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), st, "c"); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, st); len(got) != len(want)+1 || got[len(want)] != "c" {
		t.Errorf("with more room the titles are %q", got)
	}
}

func TestManyWriters(t *testing.T) {
	st := openPages(t, file(t), nil)
	const writers, each = 16, 25
	var wg sync.WaitGroup
	var keys sync.Map
	for range writers {
		wg.Go(func() {
			for range each {
				p := page{Title: "x"}
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					p.PageID = 0
					return pages.Insert(tx, &p)
				})
				if _, twice := keys.LoadOrStore(p.PageID, true); err != nil || twice {
					t.Errorf("key %d given twice: %v; %v", p.PageID, twice, err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(titles(t, st)); n != writers*each {
		t.Errorf("%d rows, want %d", n, writers*each)
	}
}

// The rows of a member that fails do not change the counts in memory.
func TestAMemberThatFailsIsNotCounted(t *testing.T) {
	eachWay(t, func(t *testing.T, careful int) {
		st, failed := openPages(t, file(t), nil), errors.New("failed on purpose")
		st.SetCareful(careful)
		count := func() (n int64) {
			t.Helper()
			err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
				n, err = tx.Count(pages.Schema(), nil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if err := add(t.Context(), st, "a"); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 1 {
			t.Fatalf("%d pages, want 1", n)
		}
		batch(t, st, member{fn: insert("b")}, member{fn: func(_ context.Context, tx store.Tx) error {
			return errors.Join(failed, pages.Insert(tx, &page{Title: "lost"}))
		}}, member{fn: insert("c")})
		if n := count(); n != 3 {
			t.Errorf("%d pages are counted, want 3", n)
		}
	})
}
