package sqlite_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A summary collects a title in each transaction, and adds one page with the titles of all
// transactions of a group.
type summary struct {
	st         *sqlite.Store
	title      string
	prepareErr error
	end        func() error // runs after the page was added
	committed  func()       // runs after the commit of the page
}

func (s *summary) End() error { return errors.New("a member of a group ended alone") }

func (s *summary) Prepare() error { return s.prepareErr }

func (s *summary) EndGroup(ctx context.Context, endings []driver.Ending) error {
	title := "of"
	for _, e := range endings {
		title += " " + e.(*summary).title
	}
	err := s.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if s.committed != nil {
			store.AfterCommit(ctx, s.committed)
		}
		return pages.Insert(tx, &page{Title: title})
	})
	if s.end != nil && err == nil {
		err = s.end()
	}
	return err
}

// summarized inserts a page, and has its title in the summary.
func summarized(s *summary) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		if _, ok := driver.AtEnd(ctx, s.st, "summary", func() driver.Ending { return s }); !ok {
			return errors.New("no transaction to end")
		}
		return pages.Insert(tx, &page{Title: s.title})
	}
}

func TestAGroupEndsOnceForItsMembers(t *testing.T) {
	st, failed := openPages(t, file(t), nil), errors.New("on purpose")
	st.SetCareful(10) // so that the order is known
	errs := batch(t, st,
		member{fn: summarized(&summary{st: st, title: "a"})},
		member{fn: summarized(&summary{st: st, title: "b", prepareErr: failed})},
		member{fn: summarized(&summary{st: st, title: "c"})},
		member{fn: insert("d")},
	)
	for i, want := range []error{nil, failed, nil, nil} {
		if !errors.Is(errs[i], want) {
			t.Errorf("member %d: %v, want %v", i, errs[i], want)
		}
	}
	wantTitles(t, st, "a", "c", "d", "of a c")
}

func TestAGroupWhoseEndFailsFails(t *testing.T) {
	failed := errors.New("on purpose")
	for name, end := range map[string]func() error{
		"error": func() error { return failed },
		"panic": func() error { panic(failed) },
	} {
		t.Run(name, func(t *testing.T) {
			st := openPages(t, file(t), nil)
			errs := batch(t, st,
				member{fn: summarized(&summary{st: st, title: "a", end: end})},
				member{fn: summarized(&summary{st: st, title: "b"})},
				member{fn: insert("c")},
			)
			// The helper recovers from the panic of the first member, which leads and has no error then.
			want := []bool{name == "error", true, true}
			var got []bool
			for _, err := range errs {
				got = append(got, err != nil)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("errors %v (-want +got):\n%s", errs, diff)
			}
			wantTitles(t, st)
			if err := add(t.Context(), st, "later"); err != nil {
				t.Fatal(err)
			}
			wantTitles(t, st, "later")
		})
	}
}

// No member returns before the commit of its group, and then the functions run that wait for it.
func TestMembersReturnAfterTheCommit(t *testing.T) {
	st := openPages(t, file(t), nil)
	var returned atomic.Bool
	committed := 0
	first := &summary{st: st, title: "a", committed: func() { committed++ }, end: func() error {
		for range 10_000 {
			runtime.Gosched() // a member that does not wait returns meanwhile
		}
		if returned.Load() {
			t.Error("a member has returned before the commit")
		}
		return nil
	}}
	for _, err := range batch(t, st,
		member{fn: summarized(first), returned: func() { returned.Store(true) }},
		member{fn: insert("b")},
	) {
		if err != nil {
			t.Error(err)
		}
	}
	if committed != 1 {
		t.Errorf("the function after the commit ran %d times, want once", committed)
	}
}

// A member whose function failed may have seen what is not committed then: it returns that the
// commit failed.
func TestARefusedMemberReturnsThatItsGroupFailed(t *testing.T) {
	st := openPages(t, file(t), nil)
	refused, failed := errors.New("there is a page a"), errors.New("on purpose")
	errs := batch(t, st,
		member{fn: summarized(&summary{st: st, title: "a", end: func() error { return failed }})},
		member{fn: func(context.Context, store.Tx) error { return refused }},
		member{fn: insert("c")},
	)
	for i, err := range errs {
		if !errors.Is(err, failed) {
			t.Errorf("member %d: %v, want %v", i, err, failed)
		}
	}
}

// What the end of a group changes makes cached counts and answers stale, as other changes do.
func TestWhatAGroupEndsWithIsSeen(t *testing.T) {
	st := openPages(t, file(t), nil)
	var reads driver.ReadSet
	wantCount := func(ctx context.Context, want int64) {
		t.Helper()
		err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
			n, err := pages.Count(tx, store.Equal("title", store.String("of a")))
			if n != want {
				t.Errorf("%d pages, want %d", n, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	wantCount(driver.WithReadSet(t.Context(), &reads), 0)
	if !reads.Valid(t.Context()) {
		t.Fatal("a count is stale before a change")
	}
	for _, err := range batch(t, st, member{fn: summarized(&summary{st: st, title: "a"})}, member{fn: insert("b")}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if reads.Valid(t.Context()) {
		t.Error("a count is valid after the end of a group changed it")
	}
	wantCount(t.Context(), 1)
}
