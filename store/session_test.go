package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

var errTest = errors.New("failed on purpose")

func TestJoinWithoutASessionRunsNothing(t *testing.T) {
	joined, err := store.Join(t.Context(), memory.New(), true, func(context.Context, store.Tx) error {
		t.Error("the function runs")
		return errTest
	})
	if joined || err != nil {
		t.Errorf("Join without a session: %v, %v", joined, err)
	}
}

func TestJoinIsOfOneStore(t *testing.T) {
	first, second := memory.New(), memory.New()
	ctx, session := store.NewSession(t.Context(), first, nil, true)
	if joined, _ := store.Join(ctx, second, true, nil); joined {
		t.Error("a transaction joins that of another store")
	}
	ran := false
	joined, err := store.Join(ctx, first, true, func(context.Context, store.Tx) error { ran = true; return nil })
	if !joined || err != nil || !ran || session.Failed() != nil {
		t.Errorf("Join: %v, %v, ran %v, failed %v", joined, err, ran, session.Failed())
	}
}

func TestTheFirstFailureOfAJoinedUpdateStays(t *testing.T) {
	st := memory.New()
	ctx, session := store.NewSession(t.Context(), st, nil, true)
	fail := func(err error, writable bool) {
		store.Join(ctx, st, writable, func(context.Context, store.Tx) error { return err })
	}
	fail(errors.New("of a view"), false)
	if err := session.Failed(); err != nil {
		t.Errorf("a joined View that fails leaves %v", err)
	}
	fail(errTest, true)
	fail(errors.New("second"), true)
	fail(nil, true)
	if err := session.Failed(); err != errTest {
		t.Errorf("Failed returns %v, want the first error", err)
	}
}

func TestAJoinedUpdateThatPanicsFails(t *testing.T) {
	st := memory.New()
	ctx, session := store.NewSession(t.Context(), st, nil, true)
	func() {
		defer func() { recover() }()
		store.Join(ctx, st, true, func(context.Context, store.Tx) error { panic(errTest) })
	}()
	if session.Failed() == nil {
		t.Error("a joined Update that panicked leaves no failure")
	}
}

func TestAnUpdateInsideAViewIsReadOnly(t *testing.T) {
	st := memory.New()
	ctx, session := store.NewSession(t.Context(), st, nil, false)
	joined, err := store.Join(ctx, st, true, nil)
	if !joined || err != store.ErrReadOnly || session.Failed() != nil {
		t.Errorf("Join: %v, %v, failed %v", joined, err, session.Failed())
	}
}

// AfterCommit belongs to the innermost transaction that may write.
func TestAfterCommitOfNestedStores(t *testing.T) {
	first, second := memory.New(), memory.New()
	var ran []string
	note := func(what string) func() { return func() { ran = append(ran, what) } }
	err := first.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		store.AfterCommit(ctx, note("first"))
		err := second.Update(ctx, func(ctx context.Context, _ store.Tx) error {
			store.AfterCommit(ctx, note("second"))
			return nil
		})
		ran = append(ran, "second committed")
		if err != nil {
			return err
		}
		err = second.View(ctx, func(ctx context.Context, _ store.Tx) error {
			store.AfterCommit(ctx, note("view of second"))
			return nil
		})
		ran = append(ran, "end of first")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"second", "second committed", "end of first", "first", "view of second"}
	if diff := cmp.Diff(want, ran); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	conflict := error(&store.ConflictError{Table: "users", Columns: []string{"shop", "email"}})
	bad := error(&store.TextError{Column: "name"})
	for _, c := range []struct {
		err, is error
		want    bool
	}{
		{conflict, store.ErrConflict, true}, {conflict, store.ErrBadText, false},
		{bad, store.ErrBadText, true}, {bad, store.ErrNotFound, false},
		{store.ErrOutcomeUnknown, store.ErrUnavailable, true}, {store.ErrUnavailable, store.ErrOutcomeUnknown, false},
	} {
		if got := errors.Is(c.err, c.is); got != c.want {
			t.Errorf("%v is %v: %v", c.err, c.is, got)
		}
	}
	for err, want := range map[error]string{
		conflict: "store: users has a row with the same shop, email",
		bad:      "store: name is not valid UTF-8 or holds a NUL",
	} {
		if err.Error() != want {
			t.Errorf("the error reads %q, want %q", err, want)
		}
	}
}

func TestJoinFindsTheOuterOfTwoStores(t *testing.T) {
	first, second := memory.New(), memory.New()
	ctx, _ := store.NewSession(t.Context(), first, nil, true)
	ctx, _ = store.NewSession(ctx, second, nil, false)
	ran := 0
	run := func(context.Context, store.Tx) error { ran++; return nil }
	for _, st := range []store.Store{first, second} {
		if joined, err := store.Join(ctx, st, false, run); !joined || err != nil {
			t.Errorf("Join: %v, %v", joined, err)
		}
	}
	if ran != 2 {
		t.Errorf("%d functions ran, want 2", ran)
	}
	if joined, err := store.Join(ctx, second, true, run); !joined || !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a write joins a View: %v, %v", joined, err)
	}
}

func TestWhatAnUpdateReadsIsNotFollowed(t *testing.T) {
	trace := new(store.ReadSet)
	st := memory.New()
	err := st.Update(store.WithReadSet(t.Context(), trace), func(context.Context, store.Tx) error { return errTest })
	if !errors.Is(err, errTest) {
		t.Fatal(err)
	}
	if trace.Complete() {
		t.Error("what an Update read, which may be its own change, is followed after it was rolled back")
	}
}
