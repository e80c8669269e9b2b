package products_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// now is what the clock of every test shows first.
const now = 1_700_000_000

// users that can sign in, by e-mail.
var users = entitytest.Users{
	"root@example.com":    {ID: 1, Email: "root", Type: shopapi.Administrator, Root: true},
	"reader@example.com":  {ID: 2, Email: "reader", Type: shopapi.Administrator, Privileges: map[string]bool{"view_catalog": true}},
	"vendor2@example.com": {ID: 3, Email: "vendor2", Type: shopapi.Vendor, CompanyID: 2, Privileges: map[string]bool{"view_catalog": true, "manage_catalog": true}},
	"vendor3@example.com": {ID: 4, Email: "vendor3", Type: shopapi.Vendor, CompanyID: 3, Privileges: map[string]bool{"view_catalog": true, "manage_catalog": true}},
}

// A shop is an API with categories and products, and the user of its requests.
type shop struct {
	testing.TB
	api   *shopapi.API
	st    store.Store
	tree  *categories.Categories
	goods *products.Products
	email string
	clock *atomic.Int64
	log   *eventLog
}

// An eventLog is what the observer was told.
type eventLog struct {
	mu   sync.Mutex
	list []string
}

func (l *eventLog) add(e shopapi.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	by := "the host"
	if e.User != nil {
		by = e.User.Email
	}
	l.list = append(l.list, fmt.Sprintf("%s %s %s by %s", e.Operation, e.Entity, e.ID, by))
}

// told returns what the observer was told since the last call.
func (s *shop) told() []string {
	s.Helper()
	if err := s.api.Flush(s.Context()); err != nil {
		s.Error(err)
	}
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	told := s.log.list
	s.log.list = nil
	return told
}

// everyStore runs a test over each store that needs nothing outside the process,
// in a shop with the options.
func everyStore(t *testing.T, options shopapi.Options, test func(t *testing.T, s *shop)) {
	t.Helper()
	entitytest.EachStore(t, func(t *testing.T, st store.Store) { test(t, newShop(t, st, options)) })
}

func newShop(t testing.TB, st store.Store, options shopapi.Options) *shop {
	t.Helper()
	s := newBareShop(t, st, options)
	var err error
	if s.tree, err = categories.Register(context.Background(), s.api, st); err != nil {
		t.Fatal(err)
	}
	if s.goods, err = products.Register(context.Background(), s.api, st, s.tree); err != nil {
		t.Fatal(err)
	}
	return s
}

// newBareShop is a shop in which nothing is registered.
func newBareShop(t testing.TB, st store.Store, options shopapi.Options) *shop {
	s := &shop{TB: t, st: st, email: "root@example.com", clock: &atomic.Int64{}, log: &eventLog{}}
	s.clock.Store(now)
	options.Clock = func() time.Time { return time.Unix(s.clock.Load(), 0) }
	options.Observer = func(_ context.Context, e shopapi.Event) { s.log.add(e) }
	options.Authenticator = users
	s.api = shopapi.New(&options)
	return s
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop {
	other := *s
	other.email = email
	return &other
}

// send sends a request; a body that begins with { is JSON, any other a form. Paths
// go on from /api/2.0.
func (s *shop) send(method, path, body string) *httptest.ResponseRecorder {
	return entitytest.Send(s.api, s.email, entitytest.Key, method, "/api/2.0"+path, body)
}

// call sends a request that is to be answered with the status, and returns the
// body.
func (s *shop) call(status int, method, path, body string) string {
	s.Helper()
	w := s.send(method, path, body)
	if w.Code != status {
		s.Fatalf("%s %s %.200s: status %d, want %d; body %.500s", method, path, body, w.Code, status, w.Body)
	}
	return w.Body.String()
}

// addCategory creates a category and returns its id.
func (s *shop) addCategory(name string, parent, company int64) int64 {
	s.Helper()
	c, err := s.tree.Create(context.Background(), categories.Category{
		Summary: categories.Summary{Name: name, ParentID: parent, CompanyID: company},
	})
	if err != nil {
		s.Fatal(err)
	}
	return c.CategoryID
}

// add creates a product over the wire and returns its id.
func (s *shop) add(body string, args ...any) int64 {
	s.Helper()
	var reply struct {
		ID int64 `json:"product_id,string"`
	}
	decode(s, s.call(201, "POST", "/products", fmt.Sprintf(body, args...)), &reply)
	return reply.ID
}

func at(id int64) string { return fmt.Sprintf("/products/%d", id) }

// put changes a product.
func (s *shop) put(status int, id int64, body string, args ...any) string {
	s.Helper()
	return s.call(status, "PUT", at(id), fmt.Sprintf(body, args...))
}

// detail reads one product as a client sees it.
func (s *shop) detail(id int64) map[string]any {
	s.Helper()
	var m map[string]any
	decode(s, s.call(200, "GET", at(id), ""), &m)
	return m
}

// wants checks fields of a product as a client sees it; the values are JSON.
func (s *shop) wants(id int64, fields map[string]string) {
	s.Helper()
	got := s.detail(id)
	for name, text := range fields {
		var want any
		decode(s, text, &want)
		if diff := cmp.Diff(want, got[name]); diff != "" {
			s.Errorf("%s of product %d differs (-want +got):\n%s", name, id, diff)
		}
	}
}

// A page is the answer to a list.
type page struct {
	Products []map[string]any `json:"products"`
	Params   map[string]any   `json:"params"`
}

func (s *shop) page(path string) (p page) {
	s.Helper()
	decode(s, s.call(200, "GET", path, ""), &p)
	return p
}

// names reads a list and returns the names of its products, with spaces between.
func (s *shop) names(path string) string {
	s.Helper()
	p := s.page(path)
	texts := make([]string, len(p.Products))
	for i, item := range p.Products {
		texts[i] = fmt.Sprint(item["product"])
	}
	return strings.Join(texts, " ")
}

// counts returns the product_count of each category, by name.
func (s *shop) counts() map[string]int64 {
	s.Helper()
	list, _, err := s.tree.Find(context.Background(), categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	counts := map[string]int64{}
	for _, c := range list {
		counts[c.Name] = c.ProductCount
	}
	return counts
}

// refuses checks that a request is answered 400, that the answer names the fields,
// and that no product and no count of products changed.
func (s *shop) refuses(method, path, body string, fields ...string) {
	s.Helper()
	before, counts := s.dump(), s.counts()
	var answer struct {
		Message string
		Status  int
		Errors  map[string]string
	}
	decode(s, s.call(400, method, path, body), &answer)
	if answer.Message == "" || answer.Status != 400 {
		s.Errorf("%s %s %.200s: an error without message or status: %+v", method, path, body, answer)
	}
	for _, f := range fields {
		if answer.Errors[f] == "" {
			s.Errorf("%s %s %.200s: the errors do not name %s: %v", method, path, body, f, answer.Errors)
		}
	}
	if len(answer.Errors) != len(fields) {
		s.Errorf("%s %s %.200s: errors %v, want only %v", method, path, body, answer.Errors, fields)
	}
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		s.Errorf("%s %s %.200s: the products changed (-before +after):\n%s", method, path, body, diff)
	}
	if diff := cmp.Diff(counts, s.counts()); diff != "" {
		s.Errorf("%s %s %.200s: the counts changed (-before +after):\n%s", method, path, body, diff)
	}
}

// dump is every product, as the host's own code reads them.
func (s *shop) dump() []products.Product {
	s.Helper()
	list, _, err := s.goods.Find(context.Background(), products.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	all := make([]products.Product, len(list))
	for i, p := range list {
		if all[i], err = s.goods.Get(context.Background(), p.ProductID); err != nil {
			s.Fatal(err)
		}
	}
	return all
}

var (
	decode     = entitytest.Decode
	sameJSON   = entitytest.SameJSON
	wantStatus = entitytest.WantStatus
)
