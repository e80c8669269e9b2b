package shopapi_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A page is a row of the entity pages below.
type page struct {
	PageID int64  `json:"page_id,string" store:"key" bind:"-"`
	Name   string `json:"page"`
}

var pageTable = store.MustTable[page]("pages")

// Pages is an entity over a store that reports its changes.
type pages struct {
	st    store.Store
	api   *shopapi.API
	after func() error // runs in the transaction, after the change was reported
	quiet bool         // does not report
}

func (e *pages) Describe() shopapi.Description {
	return shopapi.Description{Name: "pages", IDField: "page_id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
}

func (e *pages) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var p page
	err := e.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		p = page{}
		if err := r.Bind(&p); err != nil {
			return err
		}
		if err := pageTable.Insert(tx, &p); err != nil {
			return err
		}
		if !e.quiet {
			e.api.Changed(ctx, "pages", shopapi.OpCreate, shopapi.FormatID(p.PageID))
		}
		if e.after != nil {
			return e.after()
		}
		return nil
	})
	return shopapi.Reply{ID: shopapi.FormatID(p.PageID)}, err
}

func (e *pages) Delete(ctx context.Context, _ *shopapi.Request, id string) error {
	key, err := shopapi.ParseID("page", id)
	if err != nil {
		return err
	}
	return e.st.Update(ctx, func(_ context.Context, tx store.Tx) error { return pageTable.DeleteKey(tx, key) })
}

// observed returns a shop with pages, and the events that its observer receives.
func observed(t *testing.T, observe func(context.Context, shopapi.Event)) (*shop, *pages) {
	t.Helper()
	st := memory.New()
	if err := st.Migrate(t.Context(), pageTable.Schema()); err != nil {
		t.Fatal(err)
	}
	s := newShop(t, func(o *shopapi.Options) { o.Observer = observe })
	e := &pages{st: st, api: s.API}
	if err := s.Register(e); err != nil {
		t.Fatal(err)
	}
	return s, e
}

// flush waits until the observer has received all events.
func (s *shop) flush() {
	s.t.Helper()
	if err := s.Flush(s.t.Context()); err != nil {
		s.t.Error(err)
	}
}

// Each committed change causes one event, whether the entity reports it or not.
func TestObserver_OneEventPerChange(t *testing.T) {
	var told []shopapi.Event
	s, e := observed(t, func(_ context.Context, e shopapi.Event) {
		e.User = nil
		told = append(told, e)
	})
	s.do("POST", "/api/pages", "page=a").want(201)
	e.quiet = true
	s.do("POST", "/api/pages", "page=b").want(201)
	s.do("DELETE", "/api/pages/1", "").want(204)
	s.do("PUT", "/api/aisles/2", "name=x").want(200)
	s.do("GET", "/api/aisles/2", "").want(200)
	s.do("DELETE", "/api/pages/9", "").want(404)
	s.do("PUT", "/api/aisles/9", "name=x").want(404)
	s.flush()
	want := []shopapi.Event{
		{Entity: "pages", ID: "1", Operation: shopapi.OpCreate},
		{Entity: "pages", ID: "2", Operation: shopapi.OpCreate},
		{Entity: "pages", ID: "1", Operation: shopapi.OpDelete},
		{Entity: "aisles", ID: "2", Operation: shopapi.OpUpdate},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// A change that is rolled back causes no event.
func TestObserver_Rollback(t *testing.T) {
	s, e := observed(t, func(_ context.Context, e shopapi.Event) { t.Errorf("told of %+v", e) })
	e.after = func() error { return shopapi.Invalid("page", "must not be kept") }
	s.do("POST", "/api/pages", "page=a").want(400)
	e.after = func() error { panic("in the transaction") }
	s.do("POST", "/api/pages", "page=a").want(500)
}

// A committed change causes an event also if the operation then fails.
func TestObserver_FailureAfterCommit(t *testing.T) {
	var told []string
	s, e := observed(t, func(_ context.Context, e shopapi.Event) { told = append(told, e.ID) })
	failing := &failsAfter{pages: e}
	failing.Description = shopapi.Description{Name: "failing", IDField: "page_id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
	if err := s.Register(failing); err != nil {
		t.Fatal(err)
	}
	s.do("POST", "/api/failing", "page=a").want(500)
	s.flush()
	if diff := cmp.Diff([]string{"1"}, told); diff != "" {
		t.Error(diff)
	}
}

type failsAfter struct {
	shopapi.Description
	pages *pages
}

func (f *failsAfter) Describe() shopapi.Description { return f.Description }
func (f *failsAfter) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if _, err := f.pages.Create(ctx, r); err != nil {
		return shopapi.Reply{}, err
	}
	return shopapi.Reply{}, errors.New("failed later")
}

// The observer's context acts for the user who made the change, and is not
// cancelled with the request.
func TestObserver_Context(t *testing.T) {
	var user *shopapi.User
	var event shopapi.Event
	var err error
	s, _ := observed(t, func(ctx context.Context, e shopapi.Event) { user, event, err = shopapi.UserFrom(ctx), e, ctx.Err() })
	s.do("POST", "/api/pages", "page=a").want(201)
	s.flush()
	if user == nil || user.ID != 1 || event.User != user || err != nil {
		t.Errorf("user %+v of the context, %+v of the event, %v", user, event.User, err)
	}

	// Changes made by Go code are delivered too, with nobody asking for it.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Changed(ctx, "pages", shopapi.OpUpdate, "1")
	s.flush()
	if event.Operation != shopapi.OpUpdate || user != nil || err != nil {
		t.Errorf("told of %+v for %+v, %v", event, user, err)
	}
}

// An observer that panics is logged and breaks nothing.
func TestObserver_Panic(t *testing.T) {
	var told int
	s, _ := observed(t, func(context.Context, shopapi.Event) {
		told++
		panic("of the observer")
	})
	s.do("POST", "/api/pages", "page=a").want(201)
	s.do("POST", "/api/pages", "page=b").want(201)
	s.flush()
	if told != 2 || strings.Count(s.log.String(), "of the observer") != 2 {
		t.Errorf("told %d times; log %s", told, s.log)
	}
}

// The observer may itself make changes through the API.
func TestObserver_Reentrant(t *testing.T) {
	var s *shop
	var told []string
	s, _ = observed(t, func(_ context.Context, e shopapi.Event) {
		told = append(told, e.ID)
		if e.ID == "1" {
			s.do("POST", "/api/pages", "page=b").want(201)
		}
	})
	s.do("POST", "/api/pages", "page=a").want(201)
	s.flush() // the first event, and with it the second
	s.flush()
	if diff := cmp.Diff([]string{"1", "2"}, told); diff != "" {
		t.Error(diff)
	}
}

// Events arrive in the order of the commits, one at a time, and none is lost.
func TestObserver_Order(t *testing.T) {
	var told []string
	s, _ := observed(t, func(_ context.Context, e shopapi.Event) { told = append(told, e.ID) })
	const n = 50
	var group sync.WaitGroup
	for range n {
		group.Go(func() { s.do("POST", "/api/pages", "page=x").want(201) })
	}
	group.Wait()
	s.flush()
	var want []string
	for i := range n {
		want = append(want, shopapi.FormatID(int64(i+1)))
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// A slow observer does not delay requests: it is called after the responses.
func TestObserver_SlowerThanTheWriters(t *testing.T) {
	blocked := make(chan struct{})
	var told []string
	s, _ := observed(t, func(_ context.Context, e shopapi.Event) {
		<-blocked
		told = append(told, e.ID)
	})
	for range 20 {
		s.do("POST", "/api/pages", "page=a").want(201)
	}
	close(blocked)
	if err := s.Shutdown(t.Context()); err != nil || len(told) != 20 {
		t.Errorf("after Shutdown (%v) the observer was told %d times, want 20", err, len(told))
	}
}

// Shutdown does not wait longer for the observer than its context allows.
func TestObserver_ShutdownGivesUp(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	s, _ := observed(t, func(context.Context, shopapi.Event) { <-blocked })
	s.do("POST", "/api/pages", "page=a").want(201)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// queued makes many changes wait for an observer, and returns the events that it then
// receives.
func queued(t *testing.T, limit int64, change func(*shop)) []shopapi.Event {
	t.Helper()
	blocked, first := make(chan struct{}), make(chan struct{})
	var told []shopapi.Event
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.Events = limit
		o.Observer = func(_ context.Context, e shopapi.Event) {
			if len(told) == 0 {
				close(first)
				<-blocked
			}
			told = append(told, e)
		}
	})
	s.Changed(t.Context(), "first", shopapi.OpCreate, "1")
	<-first
	change(s)
	close(blocked)
	s.flush()
	return told[1:]
}

// Beyond the limit of the queue the waiting events of one object become one.
func TestObserver_QueueCoalescesEventsOfOneObject(t *testing.T) {
	told := queued(t, 2000, func(s *shop) {
		s.Changed(t.Context(), "pages", shopapi.OpCreate, "1")
		for range 100 {
			s.Changed(t.Context(), "pages", shopapi.OpUpdate, "1")
			s.Changed(t.Context(), "pages", shopapi.OpUpdate, "2")
		}
		s.Changed(t.Context(), "pages", shopapi.OpDelete, "2")
	})
	created := 0
	for _, e := range told {
		if e.Operation == shopapi.OpLost {
			t.Fatalf("events of two objects were lost: %+v", e)
		}
		if e.ID == "1" && e.Operation == shopapi.OpCreate {
			created++
		}
	}
	if last := told[len(told)-1]; len(told) > 20 || created == 0 || last.Operation != shopapi.OpDelete || last.ID != "2" {
		t.Errorf("told of %d events, %d of them the creation, last %+v", len(told), created, last)
	}
}

// If that is not enough, one event replaces all lost ones; later events are delivered
// again.
func TestObserver_QueueReportsLostChanges(t *testing.T) {
	const n = 1000
	told := queued(t, 2000, func(s *shop) {
		for i := range n {
			s.Changed(t.Context(), "pages", shopapi.OpUpdate, shopapi.FormatID(int64(i+1)))
		}
	})
	lost := 0
	for _, e := range told {
		lost += e.Lost
	}
	if told[0].Operation != shopapi.OpLost || told[0].Entity != "" || lost+len(told)-1 != n {
		t.Errorf("told of %d events, of %d lost ones, first %+v; want %d in all", len(told), lost, told[0], n)
	}
}

// A payloadReader notes whether reads have a payload.
type payloadReader struct {
	*things
	had *[]bool
}

func (e payloadReader) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	*e.had = append(*e.had, r.Payload != nil)
	return e.things.Get(ctx, r, id)
}

// The read that a precondition needs is a GET: it has no payload.
func TestPreconditions_ReadWithoutPayload(t *testing.T) {
	s := newShop(t)
	var had []bool
	if err := s.Register(payloadReader{newThings("boxes", &s.trace), &had}); err != nil {
		t.Fatal(err)
	}
	s.do("POST", "/api/boxes", `{"name": "a"}`, asJSON).want(201)
	s.do("PUT", "/api/boxes/1", `{"name": "b"}`, asJSON, with("If-Match", "*")).want(200)
	if len(had) == 0 || slices.Contains(had, true) {
		t.Errorf("reads with a payload: %v", had)
	}
}
