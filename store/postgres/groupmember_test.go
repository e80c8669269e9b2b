//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A member may read without reading ahead.
func TestGroup_ReadsAtOnce(t *testing.T) {
	for name, at := range map[string]step{
		"a row":           increment(1),
		"a number":        then(counts, plus(1)),
		"after a new row": then(plus(1), counts),
	} {
		t.Run(name, func(t *testing.T) {
			w := newGroupWorld(t)
			w.succeed(w.unread(nil, at, then(ahead, plus(1)), at, then(ahead, w.reads(3), plus(2))))
			w.want(3, 1, 4)
			if n := w.transactions(); n > 3 { // a savepoint has a number of its own
				t.Errorf("there are %d transactions", n)
			}
		})
	}
}

// A member does not wait for rows that it names later.
func TestGroup_TakesTurnsAgain(t *testing.T) {
	w := newGroupWorld(t)
	again := func(_ context.Context, tx store.Tx, _ int) error { return store.TakeTurns(tx, counters.Schema(), 2, 1) }
	w.succeed(w.unread(nil, then(again, ahead, plus(1)), then(again, ahead, plus(1))))
	w.succeed(w.together(nil, plus(1), plus(2)))
	w.want(3, 1, 4)
}

// A member finds the changes of one that runs more statements than the log of changes has room for.
func TestGroup_ManyStatements(t *testing.T) {
	w := newGroupWorld(t)
	many := []step{plus(1)}
	for range 70 {
		many = append(many, func(_ context.Context, tx store.Tx, _ int) error {
			return noteds.Insert(tx, &noted{Text: "one of many"})
		}, counts)
	}
	own := func(_ context.Context, tx store.Tx, _ int) error { // that no other member reads ahead
		store.ReadAhead(tx, func() { _, _ = counters.Select(tx, store.Query{Where: []store.Cond{store.InInts("counter_id", 1)}}) })
		return nil
	}
	w.succeed(w.unread(nil, then(ahead, plus(2)), then(ahead, then(many...)), then(own, plus(1)), then(ahead, w.reads(2), plus(1))))
	w.want(3, 1, 74)
}

// A limited is a row with numbers that may be null.
type limited struct {
	LimitedID int64  `json:"limited_id" store:"key"`
	Least     *int64 `json:"least"`
	Most      *int64 `json:"most"`
}

var limiteds = store.MustTable[limited]("limiteds")

// Members that change different numbers of two rows leave the others null.
func TestGroup_NullNumbers(t *testing.T) {
	w := newGroupWorld(t)
	if err := w.Migrate(t.Context(), limiteds.Schema()); err != nil {
		t.Fatal(err)
	}
	one := int64(1)
	err := w.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return limiteds.InsertAll(tx, []limited{{}, {}})
	})
	if err != nil {
		t.Fatal(err)
	}
	set := func(key int64, change func(*limited)) step {
		return func(_ context.Context, tx store.Tx, _ int) error {
			store.ReadAhead(tx, func() { _, _ = limiteds.Get(tx, key) })
			l, err := limiteds.Get(tx, key)
			if err != nil {
				return err
			}
			change(&l)
			return limiteds.Update(tx, &l)
		}
	}
	w.succeed(w.unread(nil, set(1, func(l *limited) { l.Least = &one }), set(2, func(l *limited) { l.Most = &one })))
	var n int
	if err := w.admin.QueryRow(t.Context(), "SELECT count(DISTINCT xmin::text) FROM limiteds").Scan(&n); err != nil || n != 1 {
		t.Errorf("there are %d transactions, %v, want 1", n, err)
	}
	var got []limited
	err = w.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
		got, err = limiteds.Select(tx, store.Query{})
		return err
	})
	if diff := cmp.Diff([]limited{{1, &one, nil}, {2, nil, &one}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// mistaken counts rows by a condition that does not make sense, which panics.
func mistaken(tx store.Tx) { _, _ = counters.Count(tx, store.Cond{Op: store.OpNot, Column: "number"}) }

// A mistake in what a member reads ahead is a panic of that member alone.
func TestGroup_PanicsWhileReadingAhead(t *testing.T) {
	w := newGroupWorld(t)
	panics := func(_ context.Context, tx store.Tx, _ int) error {
		store.ReadAhead(tx, func() { mistaken(tx) })
		return nil
	}
	errs := w.unread(nil, then(ahead, plus(1)), panics, then(ahead, plus(2)))
	if err := errs[1]; err == nil || !strings.HasPrefix(err.Error(), "panic: ") {
		t.Errorf("got %v, want a panic", err)
	}
	w.succeed([]error{errs[0], errs[2]})
	w.want(1, 1, 2)
}

// A panic in the first query of a transaction does not lose the connection.
func TestTx_PanicsInFirstQuery(t *testing.T) {
	st := openCounters(t, pgtest.DSN(t)+"&pool_max_conns=1")
	for range 2 {
		for name, run := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{"View": st.View, "Update": st.Update} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s does not panic", name)
					}
				}()
				_ = run(t.Context(), func(_ context.Context, tx store.Tx) error { mistaken(tx); return nil })
			}()
		}
	}
	if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return count(tx, 1) }); err != nil {
		t.Error(err)
	}
}

// The connection of a group is used again where all members are refused, or run again.
func TestGroup_KeepsConnection(t *testing.T) {
	refused := errors.New("refused")
	alone := func(_ context.Context, tx store.Tx, _ int) error { _, err := postgres.TxOf(tx); return err }
	for name, member := range map[string]step{"refused": fails(refused), "by itself": alone} {
		t.Run(name, func(t *testing.T) {
			w := &groupWorld{Store: openCounters(t, pgtest.DSN(t)+"&pool_max_conns=1"), t: t}
			pid := func() (pid string) {
				err := w.View(t.Context(), func(ctx context.Context, tx store.Tx) error {
					own, err := postgres.TxOf(tx)
					if err != nil {
						return err
					}
					return own.QueryRow(ctx, "SELECT pg_backend_pid()::text").Scan(&pid)
				})
				if err != nil {
					t.Fatal(err)
				}
				return pid
			}
			first := pid()
			for range 2 { // the third group would be the last
				for _, err := range w.together(nil, member, member, member) {
					if err != nil && !errors.Is(err, refused) {
						t.Error(err)
					}
				}
			}
			if got := pid(); got != first {
				t.Errorf("the connection is %s, and was %s", got, first)
			}
		})
	}
}

// Close waits for a group also after its clients have gone away.
func TestGroup_Close(t *testing.T) {
	w := newGroupWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan struct{})
	var ran atomic.Bool
	leaves := func(ctx context.Context, tx store.Tx, _ int) error {
		store.AfterCommit(ctx, func() {
			cancel()
			go func() {
				defer close(closed)
				if err := w.Close(); err != nil || !ran.Load() {
					t.Errorf("closed, %v, before the group has ended", err)
				}
			}()
			for w.View(context.Background(), func(context.Context, store.Tx) error { return nil }) == nil {
				runtime.Gosched() // until the store is closed
			}
			for range 1000 {
				runtime.Gosched()
			}
			ran.Store(true)
		})
		return plus(1)(ctx, tx, 1)
	}
	for i, err := range w.together(map[int]context.Context{0: ctx, 1: ctx}, leaves, plus(1)) {
		if !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("member %d: %v", i, err)
		}
	}
	<-closed
}

// A member that has read many rows may write one several times, and read in between.
func TestGroup_RemembersRows(t *testing.T) {
	w := newGroupWorld(t)
	err := w.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return counters.InsertAll(tx, make([]counter, 100)) })
	if err != nil {
		t.Fatal(err)
	}
	reads := func(_ context.Context, tx store.Tx, _ int) error {
		for key := range int64(100) {
			if _, err := counters.Get(tx, key+1); err != nil {
				return err
			}
		}
		return nil
	}
	set := func(n int64) step {
		return func(_ context.Context, tx store.Tx, _ int) error {
			return counters.Update(tx, &counter{CounterID: 1, Number: n})
		}
	}
	w.succeed(w.together(nil, then(reads, set(1), counts, set(0)), plus(1)))
	w.want(1, 0, 1)
}

// Updates that a group cannot carry out run by themselves from the start, after a few groups.
func TestGroup_GivesUp(t *testing.T) {
	w := newGroupWorld(t)
	alone := func(_ context.Context, tx store.Tx, _ int) error { _, err := postgres.TxOf(tx); return err }
	groups := 0
	for ; groups < 3 && w.MostTogether() > 1; groups++ { // slow members make groups smaller too
		w.succeed(w.together(nil, alone, alone, plus(1)))
	}
	if n := w.MostTogether(); n != 1 {
		t.Errorf("the next group has %d members", n)
	}
	w.want(int64(groups), 0, groups)
}

// A foreign key of the host may delete rows that another Update has read ahead.
func TestGroup_ForeignKeysOfHost(t *testing.T) {
	w := newGroupWorld(t)
	if err := w.Migrate(t.Context(), limiteds.Schema()); err != nil {
		t.Fatal(err)
	}
	w.exec("ALTER TABLE limiteds ADD FOREIGN KEY (least) REFERENCES counters ON DELETE CASCADE")
	w.exec("INSERT INTO limiteds (least) VALUES (2)")
	limit := func(tx store.Tx) error { _, err := limiteds.Get(tx, 1); return err }
	deletes := func(_ context.Context, tx store.Tx, _ int) error {
		_, err := counters.Delete(tx, store.Equal("counter_id", store.Int(2)))
		return err
	}
	var referring, referred error
	reads := func(_ context.Context, tx store.Tx, _ int) error {
		store.ReadAhead(tx, func() { _ = limit(tx) })
		referring = limit(tx)
		_, referred = counters.Get(tx, 2)
		return nil
	}
	w.succeed(w.unread(nil, then(ahead, deletes), reads))
	if referring != referred { // both rows are there, or neither is: Updates that run again may change their order
		t.Errorf("reading the referring row returned %v, and the referred one %v", referring, referred)
	}
}

// interrupted loses the response to the COMMIT of a group.
type interrupted struct{ p *proxy }

func (i interrupted) End() error     { return nil }
func (i interrupted) Prepare() error { return nil }

func (i interrupted) EndGroup(context.Context, []driver.Ending) error {
	i.p.holdResponses()
	time.AfterFunc(300*time.Millisecond, func() {
		i.p.cut()
		i.p.resume()
	})
	return nil
}

// Where the outcome of a group is unknown, a member that was refused is refused nevertheless.
func TestGroup_OutcomeUnknown(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t, pgtest.Options{})
	p := newProxy(t, routes[0].to(t, s))
	w := &groupWorld{Store: openCounters(t, p.dsn()), t: t}
	refused := errors.New("refused")
	interrupts := func(ctx context.Context, tx store.Tx, _ int) error {
		driver.AtEnd(ctx, w.Store, "interrupted", func() driver.Ending { return interrupted{p} })
		return count(tx, 1)
	}
	errs := w.together(nil, interrupts, fails(refused), func(_ context.Context, tx store.Tx, _ int) error { return count(tx, 2) })
	for i, want := range []error{store.ErrOutcomeUnknown, refused, store.ErrOutcomeUnknown} {
		if !errors.Is(errs[i], want) {
			t.Errorf("member %d: got %v, want %v", i, errs[i], want)
		}
	}
}
