package driver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

var errTest = errors.New("failed on purpose")

func TestJoinWithoutASessionRunsNothing(t *testing.T) {
	joined, err := driver.Join(t.Context(), memory.New(), true, func(context.Context, store.Tx) error {
		t.Error("the function runs")
		return errTest
	})
	if joined || err != nil {
		t.Errorf("Join without a session: %v, %v", joined, err)
	}
}

func TestJoinIsOfOneStore(t *testing.T) {
	first, second := memory.New(), memory.New()
	ctx, session := driver.NewSession(t.Context(), first, nil, true)
	if joined, _ := driver.Join(ctx, second, true, nil); joined {
		t.Error("a transaction joins that of another store")
	}
	ran := false
	joined, err := driver.Join(ctx, first, true, func(context.Context, store.Tx) error { ran = true; return nil })
	if !joined || err != nil || !ran || session.Finish() != nil {
		t.Errorf("Join: %v, %v, ran %v, failed %v", joined, err, ran, session.Finish())
	}
}

func TestTheFirstFailureOfAJoinedUpdateStays(t *testing.T) {
	st := memory.New()
	ctx, session := driver.NewSession(t.Context(), st, nil, true)
	fail := func(err error, writable bool) {
		driver.Join(ctx, st, writable, func(context.Context, store.Tx) error { return err })
	}
	fail(errors.New("of a view"), false)
	if err := session.Finish(); err != nil {
		t.Errorf("a joined View that fails leaves %v", err)
	}
	fail(errTest, true)
	fail(errors.New("second"), true)
	fail(nil, true)
	if err := session.Finish(); err != errTest {
		t.Errorf("Failed returns %v, want the first error", err)
	}
}

func TestAJoinedUpdateThatPanicsFails(t *testing.T) {
	st := memory.New()
	ctx, session := driver.NewSession(t.Context(), st, nil, true)
	func() {
		defer func() { recover() }()
		driver.Join(ctx, st, true, func(context.Context, store.Tx) error { panic(errTest) })
	}()
	if session.Finish() == nil {
		t.Error("a joined Update that panicked leaves no failure")
	}
}

func TestAnUpdateInsideAViewIsReadOnly(t *testing.T) {
	st := memory.New()
	ctx, session := driver.NewSession(t.Context(), st, nil, false)
	joined, err := driver.Join(ctx, st, true, nil)
	if !joined || err != store.ErrReadOnly || session.Finish() != nil {
		t.Errorf("Join: %v, %v, failed %v", joined, err, session.Finish())
	}
}

func TestJoinFindsTheOuterOfTwoStores(t *testing.T) {
	first, second := memory.New(), memory.New()
	ctx, _ := driver.NewSession(t.Context(), first, nil, true)
	ctx, _ = driver.NewSession(ctx, second, nil, false)
	ran := 0
	run := func(context.Context, store.Tx) error { ran++; return nil }
	for _, st := range []store.Store{first, second} {
		if joined, err := driver.Join(ctx, st, false, run); !joined || err != nil {
			t.Errorf("Join: %v, %v", joined, err)
		}
	}
	if ran != 2 {
		t.Errorf("%d functions ran, want 2", ran)
	}
	if joined, err := driver.Join(ctx, second, true, run); !joined || !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a write joins a View: %v, %v", joined, err)
	}
}

func TestReadsOfAnUpdateAreUntracked(t *testing.T) {
	reads := new(driver.ReadSet)
	st := memory.New()
	err := st.Update(driver.WithReadSet(t.Context(), reads), func(context.Context, store.Tx) error { return errTest })
	if !errors.Is(err, errTest) {
		t.Fatal(err)
	}
	if reads.Complete() {
		t.Error("what an Update read, which may be its own change, is complete after it was rolled back")
	}
}
