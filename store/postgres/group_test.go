package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A groupWorld is a store with two counters, and a table to which members of groups add rows.
type groupWorld struct {
	*postgres.Store
	t     *testing.T
	admin *pgx.Conn
}

// A noted is a row that a member adds.
type noted struct {
	NoteID int64  `json:"note_id" store:"key"`
	Text   string `json:"text"`
}

var noteds = store.MustTable[noted]("noteds")

func newGroupWorld(t *testing.T) *groupWorld {
	t.Helper()
	dsn := pgtest.DSN(t)
	w := &groupWorld{openCounters(t, dsn), t, nil}
	if err := w.Migrate(t.Context(), noteds.Schema()); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.admin, err = pgx.Connect(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.admin.Close(context.Background()) })
	return w
}

func (w *groupWorld) exec(sql string, args ...any) {
	if _, err := w.admin.Exec(context.Background(), sql, args...); err != nil {
		w.t.Errorf("%s: %v", sql, err)
	}
}

// A step is a part of a member.
type step func(ctx context.Context, tx store.Tx, run int) error

// plus adds to the counter with a key, and a row.
func plus(key int64) step {
	return func(_ context.Context, tx store.Tx, _ int) error {
		err := counters.Alter(tx, func(row []store.Value) { row[1] = store.Int(row[1].Int() + 1) }, store.InInts("counter_id", key))
		if err != nil {
			return err
		}
		return noteds.Insert(tx, &noted{Text: "added"})
	}
}

// increment adds to a counter as read and written whole.
func increment(key int64) step {
	return func(_ context.Context, tx store.Tx, _ int) error {
		if err := count(tx, key); err != nil {
			return err
		}
		return noteds.Append(tx, noted{Text: "incremented"})
	}
}

func then(steps ...step) step {
	return func(ctx context.Context, tx store.Tx, run int) error {
		for _, s := range steps {
			if err := s(ctx, tx, run); err != nil {
				return err
			}
		}
		return nil
	}
}

func fails(err error) step { return func(context.Context, store.Tx, int) error { return err } }

// reads reads the counter 1, which must have the number.
func (w *groupWorld) reads(want int64) step {
	return func(_ context.Context, tx store.Tx, _ int) error {
		if c, err := counters.Get(tx, 1); err != nil || c.Number != want {
			w.t.Errorf("the counter is %d, %v, want %d", c.Number, err, want)
		}
		return nil
	}
}

// ahead reads the counters ahead.
func ahead(_ context.Context, tx store.Tx, _ int) error {
	store.ReadAhead(tx,
		func() { _, _ = counters.Get(tx, 1) },
		func() { _, _ = counters.Select(tx, store.Query{Where: []store.Cond{store.InInts("counter_id", 1, 2)}}) },
	)
	return nil
}

// counts reads at once.
func counts(_ context.Context, tx store.Tx, _ int) error { _, err := noteds.Count(tx); return err }

// together is unread for members that read the counters ahead.
func (w *groupWorld) together(ctxs map[int]context.Context, steps ...step) []error {
	w.t.Helper()
	after := make([]step, len(steps))
	for i, s := range steps {
		after[i] = then(ahead, s)
	}
	return w.unread(ctxs, after...)
}

// unread carries out Updates that wait for each other, so that they are one group, and returns
// their errors.
func (w *groupWorld) unread(ctxs map[int]context.Context, steps ...step) []error {
	w.t.Helper()
	release, begun := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for i := range int64(postgres.MaxAlone) {
		wg.Go(func() {
			err := w.Update(w.t.Context(), func(_ context.Context, tx store.Tx) error {
				if err := store.TakeTurnsTogether(tx, counters.Schema(), 1000+i); err != nil {
					return err
				}
				begun <- struct{}{}
				<-release
				return nil
			})
			if err != nil {
				w.t.Error(err)
			}
		})
		<-begun
	}
	errs := make([]error, len(steps))
	for i, s := range steps {
		ctx := w.t.Context()
		if ctxs[i] != nil {
			ctx = ctxs[i]
		}
		wg.Go(func() {
			errs[i] = errors.New("the goroutine has ended")
			run := 0
			defer func() {
				if r := recover(); r != nil {
					errs[i] = fmt.Errorf("panic: %v", r)
				}
			}()
			errs[i] = w.Update(ctx, func(ctx context.Context, tx store.Tx) error {
				run++
				if err := store.TakeTurnsTogether(tx, counters.Schema(), 1, 2); err != nil {
					return err
				}
				return s(ctx, tx, run)
			})
		})
		for w.WaitingTogether() < i+1 {
			if w.MostTogether() == 1 {
				close(release)
				w.t.Fatal("the store has no groups any more")
			}
			runtime.Gosched()
		}
	}
	close(release)
	wg.Wait()
	return errs
}

// want compares the counters and the number of rows with what they must be.
func (w *groupWorld) want(first, second int64, rows int) {
	w.t.Helper()
	var got [3]int64
	err := w.View(w.t.Context(), func(_ context.Context, tx store.Tx) error {
		list, err := counters.Select(tx, store.Query{})
		if err != nil {
			return err
		}
		got[0], got[1] = list[0].Number, list[1].Number
		got[2], err = noteds.Count(tx)
		return err
	})
	if want := [3]int64{first, second, int64(rows)}; err != nil || got != want {
		w.t.Errorf("the counters and the number of rows are %v, %v, want %v", got, err, want)
	}
}

// transactions is in how many transactions the rows were added.
func (w *groupWorld) transactions() (n int) {
	w.t.Helper()
	if err := w.admin.QueryRow(w.t.Context(), "SELECT count(DISTINCT xmin::text) FROM noteds").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *groupWorld) succeed(errs []error) {
	w.t.Helper()
	for i, err := range errs {
		if err != nil {
			w.t.Errorf("member %d: %v", i, err)
		}
	}
}

// Updates that wait for each other are committed in one transaction, and each sees the changes of those before.
func TestGroup_OneTransaction(t *testing.T) {
	w := newGroupWorld(t)
	w.succeed(w.together(nil, plus(1), then(w.reads(1), plus(1)), then(w.reads(2), increment(1)), then(w.reads(3), plus(2)), increment(2), plus(1)))
	w.want(4, 2, 6)
	if n := w.transactions(); n != 1 {
		t.Errorf("there are %d transactions, want 1", n)
	}
	w.succeed(w.together(nil, plus(1), plus(1)))
	w.want(6, 2, 8)
	keys := map[int64]bool{}
	err := w.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		return noteds.Each(tx, store.Query{}, func(n *noted) error {
			keys[n.NoteID] = true
			return nil
		})
	})
	if err != nil || len(keys) != 8 {
		t.Errorf("there are %d keys, %v", len(keys), err)
	}
}

// A member that fails changes nothing, whatever it has done; the others are committed.
func TestGroup_Refused(t *testing.T) {
	refused := errors.New("refused")
	readsAfter := func(_ context.Context, tx store.Tx, _ int) error { _, err := noteds.Count(tx); return err }
	deletes := func(_ context.Context, tx store.Tx, _ int) error { _, err := noteds.Delete(tx); return err }
	for name, failing := range map[string]step{
		"before it writes":            fails(refused),
		"after writes that wait":      then(plus(1), increment(2), fails(refused)),
		"after writes that were sent": then(plus(1), readsAfter, increment(2), fails(refused)),
		"after it has deleted rows":   then(increment(2), deletes, readsAfter, plus(1), fails(refused)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			errs := w.together(nil, failing, plus(1), failing, then(plus(2), readsAfter), failing, then(w.reads(1), plus(1)))
			got := make([]bool, len(errs))
			for i, err := range errs {
				got[i] = errors.Is(err, refused)
				if err != nil && !got[i] {
					t.Error(err)
				}
			}
			if want := []bool{true, false, true, false, true, false}; !slices.Equal(got, want) {
				t.Errorf("refused are %v, want %v", got, want)
			}
			w.want(2, 1, 3)
			if n := w.transactions(); n > 2 { // a savepoint has a number of its own
				t.Errorf("there are %d transactions", n)
			}
		})
	}
}

// Where the transaction of a group fails, its members run again, and none is lost.
func TestGroup_FailedTransaction(t *testing.T) {
	for name, fail := range map[string]func(w *groupWorld){
		"another transaction changes a row": func(w *groupWorld) { w.exec("UPDATE counters SET number = number + 100 WHERE counter_id = 1") },
		"the connection is killed": func(w *groupWorld) {
			w.exec("UPDATE counters SET number = number + 100 WHERE counter_id = 1")
			w.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			once := func(_ context.Context, _ store.Tx, run int) error {
				if run == 1 {
					fail(w)
				}
				return nil
			}
			w.succeed(w.together(nil, plus(1), then(increment(1), once), plus(1), plus(2)))
			w.want(103, 1, 4)
			w.succeed(w.together(nil, plus(1), plus(1), plus(1)))
			w.want(106, 1, 7)
		})
	}
}

// A client that goes away does not hurt the others, nor does a function that panics or ends its goroutine.
func TestGroup_MemberThatEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(cancel context.CancelFunc) step
		want string
	}{
		"cancelled": {func(cancel context.CancelFunc) step {
			return func(ctx context.Context, _ store.Tx, _ int) error { cancel(); <-ctx.Done(); return nil }
		}, "context canceled"},
		"panics": {func(context.CancelFunc) step {
			return func(context.Context, store.Tx, int) error { panic("broken") }
		}, "panic: broken"},
		"ends": {func(context.CancelFunc) step {
			return func(context.Context, store.Tx, int) error { runtime.Goexit(); return nil }
		}, "the goroutine has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			first, cancel1 := context.WithCancel(t.Context())
			third, cancel3 := context.WithCancel(t.Context())
			readsAfter := func(_ context.Context, tx store.Tx, _ int) error { _, err := noteds.Count(tx); return err }
			errs := w.together(map[int]context.Context{0: first, 2: third},
				then(plus(1), c.end(cancel1)), plus(1), then(increment(1), readsAfter, c.end(cancel3)), plus(2))
			var got []string
			for _, err := range errs {
				got = append(got, fmt.Sprint(err))
			}
			if diff := cmp.Diff([]string{c.want, "<nil>", c.want, "<nil>"}, got); diff != "" {
				t.Error(diff)
			}
			w.want(1, 1, 2)
		})
	}
}

// A client that goes away while it waits for a group gets an error at once.
func TestGroup_CancelledWhileWaiting(t *testing.T) {
	w := newGroupWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begun := make(chan struct{})
	slow := func(context.Context, store.Tx, int) error {
		close(begun)
		<-ctx.Done()
		for w.WaitingTogether() > 0 {
			runtime.Gosched()
		}
		return nil
	}
	var late error
	var wg sync.WaitGroup
	wg.Go(func() {
		<-begun
		late = w.Update(ctx, func(_ context.Context, tx store.Tx) error {
			if err := store.TakeTurnsTogether(tx, counters.Schema(), 1); err != nil {
				return err
			}
			return count(tx, 1)
		})
	})
	w.succeed(w.together(nil, then(slow, plus(1)), plus(1)))
	wg.Wait()
	if !errors.Is(late, context.DeadlineExceeded) {
		t.Errorf("got %v", late)
	}
	w.want(2, 0, 2)
}

// Triggers of the host run for the changes of each Update.
func TestGroup_TriggersOfHost(t *testing.T) {
	w := newGroupWorld(t)
	w.exec(`CREATE FUNCTION twice() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.number := NEW.number + 1; RETURN NEW; END'`)
	w.exec(`CREATE TRIGGER twice BEFORE UPDATE ON counters FOR EACH ROW EXECUTE FUNCTION twice()`)
	w.succeed(w.together(nil, plus(1), increment(1), plus(1), plus(2)))
	w.want(6, 2, 4)
}

// The host may run SQL in an Update that waits with others.
func TestGroup_HostSQL(t *testing.T) {
	w := newGroupWorld(t)
	own := func(ctx context.Context, tx store.Tx, _ int) error {
		host, err := postgres.TxOf(tx)
		if err != nil {
			return err
		}
		_, err = host.Exec(ctx, "UPDATE counters SET number = number + 10 WHERE counter_id = 2")
		return err
	}
	w.succeed(w.together(nil, plus(2), then(plus(1), own), own, plus(2)))
	w.want(1, 22, 3)
}

// A cached answer is stale once a group has changed a row of it.
func TestGroup_CachedAnswers(t *testing.T) {
	w := newGroupWorld(t)
	w.succeed(w.together(nil, plus(1), plus(1))) // so that a question was asked before
	read := func(key int64) *driver.ReadSet {
		reads := new(driver.ReadSet)
		err := w.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
			_, err := counters.Get(tx, key)
			return err
		})
		if err != nil || !reads.Complete() {
			t.Fatal(err, reads.Complete())
		}
		return reads
	}
	refused := errors.New("refused")
	readsAfter := func(_ context.Context, tx store.Tx, _ int) error { _, err := noteds.Count(tx); return err }
	for name, steps := range map[string][]step{
		"writes that wait":              {plus(1), increment(1), plus(1)},
		"with a member that is refused": {plus(1), then(plus(2), fails(refused)), plus(1)},
		"with a member that reads":      {plus(1), then(plus(1), readsAfter), then(plus(2), readsAfter, fails(refused)), plus(1)},
	} {
		changed, same := read(1), read(2)
		for _, err := range w.together(nil, steps...) {
			if err != nil && err != refused {
				t.Error(err)
			}
		}
		if changed.Valid(t.Context()) {
			t.Errorf("%s: an answer with the row that was changed is valid", name)
		}
		if !same.Valid(t.Context()) {
			t.Errorf("%s: an answer with a row that was not changed is invalid", name)
		}
	}
}

// collected stores a row at the end of a transaction, or of a group of them.
type collected struct {
	w      *groupWorld
	groups *[]int
}

func (c *collected) End() error     { return c.EndGroup(c.w.t.Context(), []driver.Ending{c}) }
func (c *collected) Prepare() error { return nil }

func (c *collected) EndGroup(ctx context.Context, endings []driver.Ending) error {
	*c.groups = append(*c.groups, len(endings))
	return c.w.Update(ctx, func(_ context.Context, tx store.Tx) error {
		for range endings {
			if err := noteds.Append(tx, noted{Text: "collected"}); err != nil {
				return err
			}
		}
		return nil
	})
}

// What members that succeed collect is stored at once, at the end of the group. Functions that run after the commit
// run in the order of the members, and a panic is the panic of its member.
func TestGroup_Ends(t *testing.T) {
	w := newGroupWorld(t)
	var groups []int
	var hooks []int
	member := func(n int, err error) step {
		return func(ctx context.Context, tx store.Tx, _ int) error {
			driver.AtEnd(ctx, w.Store, "collected", func() driver.Ending { return &collected{w, &groups} })
			store.AfterCommit(ctx, func() {
				if hooks = append(hooks, n); n == 2 {
					panic("hook")
				}
			})
			return then(plus(1), fails(err))(ctx, tx, 1)
		}
	}
	refused := errors.New("refused")
	var got []string
	for _, err := range w.together(nil, member(0, nil), member(1, refused), member(2, nil), member(3, nil)) {
		got = append(got, fmt.Sprint(err))
	}
	if diff := cmp.Diff([]string{"<nil>", "refused", "panic: hook", "<nil>"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 2, 3}, hooks); diff != "" {
		t.Errorf("after the commit: %s", diff)
	}
	if diff := cmp.Diff([]int{3}, groups); diff != "" {
		t.Errorf("the ends of groups: %s", diff)
	}
	w.want(3, 0, 6)
}
