package shop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/taxes"
)

// mirrored are the entities of a mirror with the names of their ids.
var mirrored = map[string]string{
	"categories": "category_id", "products": "product_id", "pages": "page_id", "users": "user_id", "usergroups": "usergroup_id",
	"discussions": "post_id", "taxes": "tax_id", "payments": "payment_id", "shippings": "shipping_id", "orders": "order_id",
	"shipments": "shipment_id", "features": "feature_id", "options": "option_id",
}

// computed are the fields of objects whose changes do not count as changes of the object, by
// entity (docs/changes.md has this list).
var computed = map[string][]string{
	"categories": {"product_count"},
	"products":   {"product_features", "sales_amount", "seo_path", "average_rating", "discussion_type", "popularity"},
	"users":      {"company_name"},
}

// A mirror follows the log as a user, and has what GET of each changed object answered.
type mirror struct {
	*apitest.Client
	name    string
	objects map[string]string // by entity/id
	last    map[string]string // the last operation that it received, by entity/id
	cursor  string
}

func newMirror(t *testing.T, name string, c *apitest.Client) *mirror {
	return &mirror{c.In(t), name, map[string]string{}, map[string]string{}, ""}
}

// read returns an object without its computed fields, "" where it is none.
func (m *mirror) read(entity, id string) string {
	a := m.Get("/api/2.0/" + entity + "/" + id)
	if a.Status != http.StatusOK {
		return ""
	}
	var object map[string]any
	a.Decode(&object)
	for _, field := range computed[entity] {
		delete(object, field)
	}
	text, err := json.Marshal(object)
	if err != nil {
		m.T.Error(err)
	}
	return string(text)
}

// list returns the ids of all objects that the user of the mirror sees, none of an entity
// that the user may not list.
func (m *mirror) list(entity string) (ids []string) {
	query := "?items_per_page=1000&page=1"
	if entity == "options" {
		return nil // a list is of one product
	}
	a := m.Get("/api/2.0/" + entity + query)
	if a.Status != http.StatusOK {
		return nil
	}
	var list any
	a.Decode(&list)
	if envelope, ok := list.(map[string]any); ok && envelope[entity] != nil {
		list = envelope[entity]
	}
	var objects []any
	switch list := list.(type) {
	case []any:
		objects = list
	case map[string]any:
		objects = slices.Collect(maps.Values(list))
	}
	for _, object := range objects {
		if fields, ok := object.(map[string]any); ok && fields[mirrored[entity]] != nil {
			ids = append(ids, fmt.Sprint(fields[mirrored[entity]]))
		}
	}
	return ids
}

// apply brings the mirror up to date with a change.
func (m *mirror) apply(c *changes.Change) {
	m.cursor = c.Seq
	if mirrored[c.Entity] == "" || c.Parent != nil && c.Entity == "usergroups" {
		return
	}
	if c.ID == changes.Every {
		m.fill(c.Entity)
		return
	}
	at := c.Entity + "/" + c.ID
	m.last[at] = c.Op
	delete(m.objects, at)
	if c.Op == changes.Deleted {
		return
	}
	if object := m.read(c.Entity, c.ID); object != "" {
		m.objects[at] = object
	}
}

// fill reads an entity whole.
func (m *mirror) fill(entity string) {
	for at := range m.objects {
		if strings.HasPrefix(at, entity+"/") {
			delete(m.objects, at)
		}
	}
	for _, id := range m.list(entity) {
		if object := m.read(entity, id); object != "" {
			m.objects[entity+"/"+id] = object
		}
	}
}

// start gets the position and then reads the shop.
func (m *mirror) start() {
	m.cursor = m.position()
	for entity := range mirrored {
		m.fill(entity)
	}
}

func (m *mirror) position() string { return m.Get("/api/2.0/changes?since=now").Field("last_seq") }

// page reads the changes after the cursor, which it stores once they are applied.
func (m *mirror) page(query string) {
	a := m.Get("/api/2.0/changes?since=" + m.cursor + query)
	var sent struct {
		Changes []changes.Change
		LastSeq string `json:"last_seq"`
	}
	if a.Status != http.StatusOK {
		m.T.Errorf("%s: %d %s", m.name, a.Status, a.Body)
		return
	}
	a.Decode(&sent)
	for i := range sent.Changes {
		m.apply(&sent.Changes[i])
	}
	m.cursor = sent.LastSeq
}

// pages follows by requests with a query until the cursor is at the position that end
// says, once it says one.
func (m *mirror) pages(query string, end func() string) {
	for {
		last := end()
		m.page(query)
		if m.cursor == last || m.T.Failed() {
			return
		}
	}
}

// stream follows by event streams, each of which it leaves after some events.
func (m *mirror) stream(ctx context.Context, server *httptest.Server, user, key string, end func() string) {
	for !m.T.Failed() && m.cursor != end() {
		m.someEvents(ctx, server, user, key, end)
	}
}

func (m *mirror) someEvents(ctx context.Context, server *httptest.Server, user, key string, end func() string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/2.0/changes", nil)
	if err != nil {
		m.T.Error(err)
		return
	}
	req.SetBasicAuth(user, key)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-Id", m.cursor)
	resp, err := server.Client().Do(req)
	if err != nil {
		m.T.Error(err)
		return
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for events := 0; events < 12 && m.cursor != end() && lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var c changes.Change
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			m.T.Error(err)
			return
		}
		m.apply(&c)
		events++
	}
}

// compare compares the mirror with what GET answers now, and the last operation of each
// object with what the user may see of it.
func (m *mirror) compare() {
	want := map[string]string{}
	truth := newMirror(m.T.(*testing.T), "truth", m.Client)
	for entity := range mirrored {
		truth.fill(entity)
	}
	for at, object := range truth.objects {
		want[at] = object
	}
	for at := range m.objects {
		if strings.HasPrefix(at, "options/") {
			want[at] = truth.read("options", strings.TrimPrefix(at, "options/"))
		}
	}
	if diff := cmp.Diff(want, m.objects); diff != "" {
		m.T.Errorf("E4: what %s was told makes another shop (-shop +mirror):\n%s", m.name, diff)
	}
	for at, op := range m.last {
		if _, sees := want[at]; sees != (op != changes.Deleted) {
			m.T.Errorf("E4: %s was told that %s was %s, and sees it: %v", m.name, at, op, sees)
		}
	}
}

// A mirrorWriter changes a shop at random.
type mirrorWriter struct {
	*apitest.Shop
	t   *testing.T
	rnd *rand.Rand
}

// ids are the ids of the objects that the writers made, by entity.
type ids struct {
	mu sync.Mutex
	of map[string][]string
}

func (i *ids) add(entity, id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.of[entity] = append(i.of[entity], id)
}

func (i *ids) pick(rnd *rand.Rand, entity string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.of[entity]) == 0 {
		return "1"
	}
	return i.of[entity][rnd.IntN(len(i.of[entity]))]
}

// step makes one request, or a call from Go. A change of an object that another writer has
// deleted is refused, which is not a failure.
func (w *mirrorWriter) step(known *ids) {
	pick := func(entity string) string { return known.pick(w.rnd, entity) }
	n := w.rnd.IntN(1_000_000)
	post := func(entity, body string) {
		if a := w.send("POST", entity, body); a.Status == http.StatusCreated {
			known.add(entity, a.Field(mirrored[entity]))
		}
	}
	choices := []func(){
		func() { post("categories", fmt.Sprintf(`{"category": "C%d", "parent_id": %s}`, n, pick("categories"))) },
		func() { post("categories", fmt.Sprintf(`{"category": "R%d", "company_id": %d}`, n, 1+n%2)) },
		func() {
			w.send("PUT", "categories/"+pick("categories"), fmt.Sprintf(`{"parent_id": %s}`, pick("categories")))
		},
		func() {
			w.send("PUT", "categories/"+pick("categories"), fmt.Sprintf(`{"category": "N%d", "company_id": %d}`, n, 1+n%2))
		},
		func() { w.send("DELETE", "categories/"+pick("categories"), "") },
		func() {
			post("products", fmt.Sprintf(`{"product": "P%d", "price": "%d", "amount": 50, "category_ids": [%s, %s], "company_id": %d, "tax_ids": ["%s"]}`,
				n, n%100, pick("categories"), pick("categories"), 1+n%2, pick("taxes")))
		},
		func() {
			w.send("PUT", "products/"+pick("products"), fmt.Sprintf(`{"price": "%d", "amount": %d}`, n%100, n%50))
		},
		func() {
			w.send("PUT", "products/"+pick("products")+"?sl=en", fmt.Sprintf(`{"full_description": "D%d"}`, n))
		},
		func() { w.send("DELETE", "products/"+pick("products"), "") },
		func() { post("pages", fmt.Sprintf(`{"page": "P%d", "page_type": "T", "company_id": %d}`, n, 1+n%2)) },
		func() {
			w.send("PUT", "pages/"+pick("pages"), fmt.Sprintf(`{"status": "H", "usergroup_ids": "%s"}`, pick("usergroups")))
		},
		func() {
			post("users", fmt.Sprintf(`{"email": "u%d@example.org", "user_type": "C", "company_id": 1}`, n))
		},
		func() { w.send("PUT", "users/"+pick("users")+"/usergroups/"+pick("usergroups"), `{"status": "A"}`) },
		func() { w.send("PUT", "users/"+pick("users"), fmt.Sprintf(`{"firstname": "F%d"}`, n)) },
		func() { w.send("DELETE", "users/"+pick("users"), "") },
		func() { post("usergroups", fmt.Sprintf(`{"usergroup": "G%d", "type": "C", "status": "A"}`, n)) },
		func() { w.send("DELETE", "usergroups/"+pick("usergroups"), "") },
		func() { post("taxes", fmt.Sprintf(`{"tax": "T%d"}`, n)) },
		func() { w.send("DELETE", "taxes/"+pick("taxes"), "") },
		func() {
			post("discussions", fmt.Sprintf(`{"object_type": "P", "object_id": %s, "name": "N%d", "message": "M", "rating_value": "%d"}`, pick("products"), n, 1+n%5))
		},
		func() { w.send("PUT", "discussions/"+pick("discussions"), `{"status": "D"}`) },
		func() {
			post("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 1, "shipping_id": 1, "products": {"%s": {"amount": 1}, "%s": {"amount": 2}}}`,
				pick("users"), pick("products"), pick("products")))
		},
		func() { w.send("PUT", "orders/"+pick("orders"), fmt.Sprintf(`{"status": "%c"}`, "OPCI"[n%4])) },
		func() { w.send("DELETE", "orders/"+pick("orders"), "") },
		func() {
			post("options", fmt.Sprintf(`{"product_id": %s, "option_name": "O%d", "option_type": "S", "variants": [{"variant_name": "a"}]}`, pick("products"), n))
		},
		func() {
			w.send("POST", "batch", fmt.Sprintf(`{"requests": [{"method": "POST", "url": "pages", "body": {"page": "B%d", "page_type": "T"}},
				{"method": "PUT", "url": "products/%s", "body": {"status": "H"}}, {"method": "DELETE", "url": "pages/%s"}]}`, n, pick("products"), pick("pages")))
		},
		func() {
			_, err := w.Categories.CreateAll(w.t.Context(), []categories.Category{
				{Summary: categories.Summary{Name: "Go", CompanyID: 1}}, {Summary: categories.Summary{Name: "Go too", CompanyID: 2}},
			})
			if err != nil {
				w.t.Error(err)
			}
		},
	}
	choices[w.rnd.IntN(len(choices))]()
}

func (w *mirrorWriter) send(method, address, body string) *apitest.Answer {
	a := w.In(w.t).Do(method, "/api/2.0/"+address, "application/json", body)
	if a.Status >= http.StatusInternalServerError {
		w.t.Errorf("%s %s %s: %d %s", method, address, body, a.Status, a.Body)
	}
	return a
}

// TestE4_Mirror: the changes that readers of each kind receive while several writers change the
// shop, applied to an empty mirror, make the shop that the readers may see.
// SHOPAPI_MIRROR is the number of steps of each writer.
func TestE4_Mirror(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		steps := 40
		if _, err := fmt.Sscan(os.Getenv("SHOPAPI_MIRROR"), &steps); err != nil && os.Getenv("SHOPAPI_MIRROR") != "" {
			t.Fatal(err)
		}
		s := apitest.NewWithStore(t, st, &shop.Options{
			Options: shopapi.Options{Edition: shopapi.MultiVendor}, Changes: changes.Options{Mode: changes.On}, Batch: true,
		})
		clerk := s.User("view_catalog")
		vendor := s.UserOf(2, "view_catalog", "view_orders")
		for _, payload := range [][2]string{
			{"payments", `{"payment": "Invoice"}`},
			{"shippings", `{"shipping": "Courier", "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`},
			{"categories", `{"category": "Cups"}`},
		} {
			if a := s.Post("/api/2.0/"+payload[0], payload[1]); a.Status != http.StatusCreated {
				t.Fatal(a.Body)
			}
		}
		mirrorShop(t, s, st, steps, clerk, vendor)
	})
}

func mirrorShop(t *testing.T, s *apitest.Shop, st store.Store, steps int, clerk, vendor *apitest.Client) {
	server := httptest.NewServer(s)
	defer server.Close()
	var mu sync.Mutex
	var last string
	end := func() string {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
	ctx := t.Context()
	var readers sync.WaitGroup
	var mirrors []*mirror
	follow := func(name string, c *apitest.Client, run func(m *mirror)) {
		m := newMirror(t, name, c)
		m.start()
		mirrors = append(mirrors, m)
		readers.Go(func() { run(m) })
	}
	follow("a reader who polls", s.Client, func(m *mirror) { m.pages("&limit=7", end) })
	follow("a reader who waits", s.Client, func(m *mirror) { m.pages("&wait=1", end) })
	follow("a reader of a stream", s.Client, func(m *mirror) { m.stream(ctx, server, apitest.RootEmail, s.Key, end) })
	follow("a clerk", clerk, func(m *mirror) { m.pages("&wait=1", end) })
	follow("a vendor", vendor, func(m *mirror) { m.pages("&limit=20", end) })

	var writers sync.WaitGroup
	if _, concurrent := st.(*postgres.Store); concurrent {
		writers.Go(func() { // a transaction that began before the others and ends after many of them
			err := st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
				_, err := s.Taxes.Create(ctx, taxes.Tax{Name: "Slow"})
				time.Sleep(300 * time.Millisecond)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	known := &ids{of: map[string][]string{"categories": {"1"}}}
	for i := range 4 {
		writers.Go(func() {
			w := &mirrorWriter{s, t, rand.New(rand.NewPCG(7, uint64(i)))}
			for range steps {
				w.step(known)
			}
		})
	}
	writers.Wait()
	position := newMirror(t, "", s.Client).position()
	mu.Lock()
	last = position
	mu.Unlock()
	readers.Wait()
	for _, m := range mirrors {
		m.compare()
	}
	if n := len(mirrors[0].last); n < steps {
		t.Errorf("%d steps of each writer changed %d objects", steps, n)
	}
}
