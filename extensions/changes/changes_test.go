package changes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// TestMain runs several tests at once, since streams wait.
func TestMain(m *testing.M) {
	fasttest.Waiting()
	os.Exit(m.Run())
}

func open(t testing.TB, st store.Store, o changes.Options, clock *apitest.Clock) *shop.Shop {
	t.Helper()
	options := &shop.Options{Changes: o, Options: shopapi.Options{Edition: shopapi.MultiVendor}}
	if clock != nil {
		options.Clock = clock.Now
	}
	s, err := shop.New(t.Context(), st, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// must returns v, or ends the test.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// since returns what the log has after a cursor, each change as "op entity/id [fields]".
func since(ctx context.Context, t testing.TB, l *changes.Log, cursor string, f changes.Filter) (list []string) {
	t.Helper()
	for c, err := range l.Since(ctx, cursor, f) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s %s/%s", c.Op, c.Entity, c.ID)
		if c.Fields != nil {
			text += fmt.Sprint(" ", c.Fields)
		}
		list = append(list, text)
	}
	return list
}

func category(name string) categories.Category {
	return categories.Category{Summary: categories.Summary{Name: name, CompanyID: 1}}
}

func TestE4_OneRowPerObjectAndTransaction(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := open(t, st, changes.Options{Mode: changes.On}, nil)
		ctx := t.Context()
		c := must[categories.Category](t)(s.Categories.Create(ctx, category("Cups")))
		from := must[string](t)(s.Changes.Position(ctx))
		rename := func(name string) error {
			_, err := s.Categories.Update(ctx, c.CategoryID, func(c *categories.Category) error { c.Name = name; return nil })
			return err
		}
		if err := rename("Mugs"); err != nil {
			t.Fatal(err)
		}
		if err := rename("Mugs"); err != nil { // changes nothing
			t.Fatal(err)
		}
		err := st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
			for _, change := range []func(*categories.Category){
				func(c *categories.Category) { c.Name = "Jugs" },
				func(c *categories.Category) { c.Position = 7 },
			} {
				if _, err := s.Categories.Update(ctx, c.CategoryID, func(c *categories.Category) error { change(c); return nil }); err != nil {
					return err
				}
			}
			gone, err := s.Categories.Create(ctx, category("Gone"))
			if err != nil {
				return err
			}
			return s.Categories.Delete(ctx, gone.CategoryID)
		})
		if err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused")
		err = st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
			if err := s.Categories.Delete(ctx, c.CategoryID); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if err := s.Categories.Delete(ctx, c.CategoryID); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"updated categories/1 [category]",
			"updated categories/1 [category position]",
			"deleted categories/1",
		}
		if diff := cmp.Diff(want, since(ctx, t, s.Changes, from, changes.Filter{})); diff != "" {
			t.Errorf("E4: the log (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[2:], since(ctx, t, s.Changes, from, changes.Filter{Operations: []string{changes.Deleted}})); diff != "" {
			t.Errorf("E4: the deletions (-want +got):\n%s", diff)
		}
	})
}

func TestE4_EverybodySeesTheirOwn(t *testing.T) {
	t.Parallel()
	s := open(t, shoptest.Memory(t), changes.Options{Mode: changes.On}, nil)
	from := must[string](t)(s.Changes.Position(t.Context()))
	as := func(typ shopapi.UserType, company int64, privileges ...string) context.Context {
		u := &shopapi.User{ID: 10 + company, Type: typ, CompanyID: company, Privileges: map[string]bool{}}
		for _, name := range privileges {
			u.Privileges[name] = true
		}
		return shopapi.WithUser(t.Context(), u)
	}
	two := as(shopapi.Vendor, 2, "view_catalog", "manage_catalog")
	own := must[categories.Category](t)(s.Categories.Create(two, category("Theirs")))
	must[categories.Category](t)(s.Categories.Create(t.Context(), category("The shop's")))
	all := []string{"created categories/1", "created categories/2"}
	for name, c := range map[string]struct {
		ctx  context.Context
		want []string
	}{
		"the program":                {t.Context(), all},
		"an administrator":           {as(shopapi.Administrator, 0, "view_catalog"), all},
		"one without the privilege":  {as(shopapi.Administrator, 0, "view_users"), nil},
		"the vendor":                 {two, []string{"created categories/" + shopapi.FormatID(own.CategoryID)}},
		"another vendor":             {as(shopapi.Vendor, 3, "view_catalog"), nil},
		"a vendor without privilege": {as(shopapi.Vendor, 2), nil},
	} {
		if diff := cmp.Diff(c.want, since(c.ctx, t, s.Changes, from, changes.Filter{})); diff != "" {
			t.Errorf("E4: %s sees (-want +got):\n%s", name, diff)
		}
	}
	for c, err := range s.Changes.Since(as(shopapi.Administrator, 0, "view_catalog"), from, changes.Filter{}) {
		if err != nil || c.UserID != 0 {
			t.Errorf("E4: without view_users the log names the user %d, %v", c.UserID, err)
		}
	}
}

func TestE4_PrunedCursor(t *testing.T) {
	t.Parallel()
	clock := apitest.NewClock(time.Unix(1_700_000_000, 0))
	st := shoptest.Memory(t)
	s := open(t, st, changes.Options{Mode: changes.On, Keep: time.Hour}, clock)
	ctx := t.Context()
	start := must[string](t)(s.Changes.Position(ctx))
	for range 150 {
		must[categories.Category](t)(s.Categories.Create(ctx, category("Old")))
	}
	clock.Advance(2 * time.Hour)
	for range 60 {
		must[categories.Category](t)(s.Categories.Create(ctx, category("New")))
	}
	gone := func(cursor string) *changes.GoneError {
		_, err := s.Changes.Page(ctx, cursor, changes.Filter{}, 1)
		var e *changes.GoneError
		if !errors.As(err, &e) {
			t.Errorf("E4: since %s: %v, want a GoneError", cursor, err)
			return &changes.GoneError{}
		}
		return e
	}
	e := gone(start)
	if got := since(ctx, t, s.Changes, changes.Oldest, changes.Filter{}); len(got) < 60 || len(got) >= 210 {
		t.Errorf("E4: %d changes are kept of 150 old and 60 new ones", len(got))
	}
	if p := must[changes.Page](t)(s.Changes.Page(ctx, changes.Oldest, changes.Filter{}, 1)); p.LastSeq != e.FirstSeq {
		t.Errorf("E4: first_seq is %s, and the oldest change is %s", e.FirstSeq, p.LastSeq)
	}
	gone("another.1")
	last := must[string](t)(s.Changes.Position(ctx))
	gone(last + "0")
	if err := s.Changes.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	gone(last)
	after := must[string](t)(s.Changes.Position(ctx))
	must[categories.Category](t)(s.Categories.Create(ctx, category("After")))
	if got := since(ctx, t, s.Changes, after, changes.Filter{}); len(got) != 1 {
		t.Errorf("E4: after the new log began it has %v", got)
	}
	for _, cursor := range []string{"7", "-1", "x.y", "x.-1", ".1", "x.01"} {
		_, err := s.Changes.Page(ctx, cursor, changes.Filter{}, 1)
		shoptest.WantStatus(t, "since "+cursor, err, 400)
	}
}

func TestE4_FollowWaits(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := open(t, st, changes.Options{Mode: changes.On}, nil)
		const writers, each = 4, 10
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		position := must[string](t)(s.Changes.Position(ctx))
		for range writers {
			go func() {
				for range each {
					if _, err := s.Categories.Create(ctx, category("Cups")); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		var seen []string
		for c, err := range s.Changes.Follow(ctx, position, changes.Filter{Entities: []string{"categories"}}) {
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, c.ID)
			if len(seen) == writers*each {
				break
			}
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != writers*each {
			t.Errorf("E4: %d objects are told of, want %d", n, writers*each)
		}
	})
}

func TestE4_OffAndOnAgain(t *testing.T) {
	t.Parallel()
	st := memory.New()
	if s := open(t, st, changes.Options{}, nil); s.Changes != nil {
		t.Error("E4: the log is on without being switched on")
	}
	s := open(t, st, changes.Options{Mode: changes.On}, nil)
	first := must[string](t)(s.Changes.Position(t.Context()))
	stored := open(t, st, changes.Options{}, nil)
	must[categories.Category](t)(stored.Categories.Create(t.Context(), category("Cups")))
	if got := since(t.Context(), t, s.Changes, first, changes.Filter{}); len(got) != 1 {
		t.Errorf("E4: a process without the option wrote %v", got)
	}
	open(t, st, changes.Options{Mode: changes.Off}, nil)
	again := open(t, st, changes.Options{Mode: changes.On}, nil)
	var gone *changes.GoneError
	if _, err := again.Changes.Page(t.Context(), first, changes.Filter{}, 1); !errors.As(err, &gone) {
		t.Errorf("E4: a position of the old log: %v", err)
	}
}
