package docs_test

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// queueReminders writes a row of the host's with each new call request, and refuses
// numbers that the shop does not call.
func queueReminders(requests *callrequests.CallRequests) {
	requests.BeforeSave(func(ctx context.Context, tx store.Tx, old, after *callrequests.CallRequest) error {
		if strings.HasPrefix(after.Phone, "+870") {
			return shopapi.Invalid("phone", "must not be that of a satellite telephone")
		}
		if old != nil {
			return nil
		}
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, "INSERT INTO reminders (phone) VALUES (?)", after.Phone)
		return err
	})
}

// fillPageTitles gives products without a page title their name and brand.
func fillPageTitles(goods *products.Products, brand string) {
	goods.BeforeSave(func(_ context.Context, _ store.Tx, old, after *products.Product) error {
		if after.PageTitle == "" {
			after.PageTitle = after.Name + " by " + brand
		}
		return nil
	})
}

// queueNewProducts writes an outbox row that names each new product.
func queueNewProducts(goods *products.Products) {
	goods.AfterSave(func(ctx context.Context, tx store.Tx, old, after *products.Product) error {
		if old != nil {
			return nil
		}
		conn, err := sqlite.ConnOf(tx)
		if err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, "INSERT INTO outbox (product_id) VALUES (?)", after.ProductID)
		return err
	})
}

// createReminders makes the host's own tables in the file of the store.
func createReminders(ctx context.Context, st *sqlite.Store) error {
	_, err := st.DB().ExecContext(ctx, "CREATE TABLE IF NOT EXISTS reminders (id INTEGER PRIMARY KEY, phone TEXT NOT NULL)")
	if err == nil {
		_, err = st.DB().ExecContext(ctx, "CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL)")
	}
	return err
}

// A searchIndex is a thing outside of the store that follows its changes.
type searchIndex interface {
	Refresh(entity, id string)
	Remove(entity, id string)
	Rebuild()
}

// follow updates the index with each committed change.
func follow(index searchIndex) func(context.Context, shopapi.Event) {
	return func(_ context.Context, e shopapi.Event) {
		switch e.Operation {
		case shopapi.OpLost: // more changes than the queue holds
			index.Rebuild()
		case shopapi.OpDelete:
			index.Remove(e.Entity, e.ID)
		default:
			index.Refresh(e.Entity, e.ID)
		}
	}
}

// accessLog writes a line for each request, refused ones too.
func accessLog(logger *slog.Logger) func(*http.Request, shopapi.Completion) {
	return func(req *http.Request, c shopapi.Completion) {
		logger.InfoContext(req.Context(), "request",
			"entity", c.Entity, "operation", c.Operation, "parents", c.Parents,
			"status", c.Status, "bytes", c.Bytes, "duration", c.Duration, "cached", c.Cached)
	}
}

// spans begins a tracing span that is named after what a request asks for.
func spans(api *shopapi.API, begin func(name string) (end func())) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name := "other"
		if route, ok := api.Match(req); ok {
			name = route.Entity + " " + string(route.Operation)
		}
		defer begin(name)()
		api.ServeHTTP(w, req)
	})
}

// A fakeIndex records the calls of a searchIndex.
type fakeIndex struct {
	mu   sync.Mutex
	told []string
}

func (i *fakeIndex) note(what string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.told = append(i.told, what)
}

func (i *fakeIndex) Refresh(entity, id string) { i.note("refresh " + entity + " " + id) }
func (i *fakeIndex) Remove(entity, id string)  { i.note("remove " + entity + " " + id) }
func (i *fakeIndex) Rebuild()                  { i.note("rebuild") }

// TestE13_HooksOfProducts sets a field before a product is written, and queues its id after.
func TestE13_HooksOfProducts(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := createReminders(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	s := apitest.NewWithStore(t, st, nil)
	fillPageTitles(s.Products, "Kiln")
	queueNewProducts(s.Products)
	s.Post("/api/categories", `{"category": "Clay", "company_id": 1}`)
	a := s.Post("/api/products", `{"product": "Mug", "category_ids": [1], "price": "9"}`)
	var id int64
	if err := st.DB().QueryRowContext(t.Context(), "SELECT product_id FROM outbox").Scan(&id); err != nil || a.Status != 201 {
		t.Fatalf("POST is answered %d %s; outbox: %v", a.Status, a.Body, err)
	}
	p, err := s.Products.Get(t.Context(), id)
	if err != nil || p.PageTitle != "Mug by Kiln" || len(p.CategoryIDs) != 1 {
		t.Errorf("product %d has the title %q, %v", id, p.PageTitle, err)
	}
}

func TestHooksEventsAndMetrics(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := createReminders(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	index, lines := &fakeIndex{}, &strings.Builder{}
	s := apitest.NewWithStore(t, st, &shop.Options{Options: shopapi.Options{
		Observer:  follow(index),
		Completed: accessLog(slog.New(slog.NewTextHandler(lines, nil))),
	}})
	queueReminders(s.CallRequests)
	var begun []string
	s.Client.Handler = spans(s.API, func(name string) func() {
		begun = append(begun, name)
		return func() {}
	})

	if a := s.Post("/api/call_requests", `{"phone": "+1"}`); a.Status != 201 {
		t.Fatalf("POST is answered %d %s", a.Status, a.Body)
	}
	if a := s.Post("/api/call_requests", `{"phone": "+870"}`); a.Status != 400 || !strings.Contains(a.Body, `"phone":`) {
		t.Errorf("what the hook refuses is answered %d %s", a.Status, a.Body)
	}
	if a := s.Delete("/api/call_requests/1"); a.Status != 204 {
		t.Errorf("DELETE is answered %d %s", a.Status, a.Body)
	}
	s.Get("/api/nothing")
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	var reminders int
	if err := st.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM reminders").Scan(&reminders); err != nil || reminders != 1 {
		t.Errorf("there are %d reminders (%v), want that of the call request that was filed", reminders, err)
	}
	if got := strings.Join(index.told, ", "); got != "refresh call_requests 1, remove call_requests 1" {
		t.Errorf("the index was told %q", got)
	}
	if got := strings.Join(begun, ", "); got != "call_requests create, call_requests create, call_requests delete, other" {
		t.Errorf("the spans are %q", got)
	}
	for _, want := range []string{
		"entity=call_requests operation=create parents=[] status=201",
		"entity=call_requests operation=create parents=[] status=400",
	} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no line %s in\n%s", want, lines)
		}
	}
}
