package shop_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/taxes"
)

// TestE4_Mirror: the changes that readers of each kind receive while several writers change the
// shop, applied to an empty mirror, make the shop that the readers may see.
// SHOPAPI_MIRROR is the number of steps of each writer.
func TestE4_Mirror(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := mirroredShop(t, st, shopapi.MultiVendor)
		newMirrors(t, s).
			followAsRoot().
			follow("a clerk", s.User("view_catalog")).
			follow("a vendor", s.UserOf(2, "view_catalog", "view_orders")).
			run(st)
	})
}

// TestE4_MirrorOfStorefronts is [TestE4_Mirror] where companies are storefronts, for their
// administrators, and for those of the whole shop with few privileges.
func TestE4_MirrorOfStorefronts(t *testing.T) {
	t.Parallel()
	st := shoptest.Memory(t)
	s := mirroredShop(t, st, shopapi.MultiStorefront)
	newMirrors(t, s).
		followAsRoot().
		follow("the administrator of a storefront", s.UserOf(2, everyPrivilege(s)...)).
		follow("an administrator of a storefront who sees the catalogue", s.UserOf(2, "view_catalog")).
		follow("a porter", s.User("view_orders")).
		follow("one who sees users", s.User("view_users", "view_usergroups")).
		run(st)
}

// TestE4_MirrorOfWholeEntities: changes of more than 1,000 objects at once are told by one change
// of the whole entity, and readers who read it again have the shop.
func TestE4_MirrorOfWholeEntities(t *testing.T) {
	t.Parallel()
	st := shoptest.Memory(t)
	s := mirroredShop(t, st, shopapi.MultiVendor)
	tax, err := s.Taxes.Create(t.Context(), taxes.Tax{Name: "VAT"})
	if err != nil {
		t.Fatal(err)
	}
	goods := make([]products.Product, shopapi.MaxRecorded+1)
	for i := range goods {
		goods[i].Name, goods[i].CategoryIDs, goods[i].TaxIDs, goods[i].CompanyID = "Cup", []int64{1}, shopapi.IDList(shopapi.FormatID(tax.TaxID)), int64(1+i%100/99)
	}
	if _, err := s.Products.CreateAll(t.Context(), goods); err != nil {
		t.Fatal(err)
	}
	m := newMirrors(t, s)
	m.follow("a vendor", s.UserOf(2, "view_catalog")).follow("a clerk", s.User("view_taxes"))
	if err := s.Taxes.Delete(t.Context(), tax.TaxID); err != nil {
		t.Fatal(err)
	}
	m.compare()
	if !m.list[0].every["products"] || len(m.list[0].last) > 0 || m.list[1].every["products"] || m.list[1].last["taxes/1"] != changes.Deleted {
		t.Errorf("E4: of a tax of many products the vendor is told %v, %v and the clerk %v", m.list[0].every, m.list[0].last, m.list[1].last)
	}
}

// mirroredShop opens a shop with the log, and with what the writers need.
func mirroredShop(t *testing.T, st store.Store, edition shopapi.Edition) *apitest.Shop {
	t.Helper()
	s := apitest.NewWithStore(t, st, &shop.Options{
		Options: shopapi.Options{Edition: edition}, Changes: changes.Options{Mode: changes.On}, Batch: true,
	})
	s.UserOf(2)
	for _, payload := range [][2]string{
		{"payments", `{"payment": "Invoice", "company_id": 1}`},
		{"shippings", `{"shipping": "Courier", "company_id": 1, "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`},
		{"categories", `{"category": "Cups", "company_id": 1}`},
		{"features", `{"description": "Size", "company_id": 1, "feature_type": "S", "purpose": "group_catalog_item",
			"variants": [{"variant": "1"}, {"variant": "2"}, {"variant": "3"}, {"variant": "4"}, {"variant": "5"}]}`},
	} {
		if a := s.Post("/api/2.0/"+payload[0], payload[1]); a.Status != http.StatusCreated {
			t.Fatal(a.Body)
		}
	}
	return s
}

// everyPrivilege returns the names of all privileges.
func everyPrivilege(s *apitest.Shop) (names []string) {
	for _, d := range s.Descriptions() {
		names = append(names, d.Privileges.View, d.Privileges.Manage)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// mirrors follow one shop until its writers are done.
type mirrors struct {
	shop    *apitest.Shop
	t       *testing.T
	server  *httptest.Server
	list    []*mirror
	readers sync.WaitGroup
	last    atomic.Pointer[string] // the position after the last change
}

func newMirrors(t *testing.T, s *apitest.Shop) *mirrors {
	m := &mirrors{shop: s, t: t, server: httptest.NewServer(s)}
	m.last.Store(new(string))
	t.Cleanup(m.server.Close)
	return m
}

// followAsRoot adds three mirrors of root, one for each way of reading.
func (m *mirrors) followAsRoot() *mirrors {
	root := m.shop.As(apitest.RootEmail, m.shop.Key)
	return m.
		followBy("a reader who polls", root, func(r *mirror) { r.pages("&limit=7", m.end) }).
		followBy("a reader who waits", root, func(r *mirror) { r.pages("&wait=1", m.end) }).
		followBy("a reader of a stream", root, func(r *mirror) { r.stream(m.t.Context(), m.server, m.end) })
}

// end returns the position after the last change once the writers are done, before that "".
func (m *mirrors) end() string { return *m.last.Load() }

// follow adds the mirror of a user.
func (m *mirrors) follow(name string, c *apitest.Client) *mirrors {
	return m.followBy(name, c, func(r *mirror) { r.pages("&wait=1&limit=20", m.end) })
}

func (m *mirrors) followBy(name string, c *apitest.Client, run func(r *mirror)) *mirrors {
	r := newMirror(m.t, name, c)
	m.list = append(m.list, r)
	r.start()
	m.readers.Go(func() { run(r) })
	return m
}

// run has four writers change the shop, and compares the mirrors with it.
func (m *mirrors) run(st store.Store) {
	steps := mirrorSteps(m.t)
	m.write(st, steps)
	m.compare()
	if n := len(m.list[0].last); n < steps/2 {
		m.t.Errorf("E4: %d steps of each writer changed %d objects", steps, n)
	}
}

// mirrorSteps is the number of steps of each writer: the variable of the environment
// SHOPAPI_MIRROR, or few.
func mirrorSteps(t *testing.T) int {
	steps := 50
	if _, err := fmt.Sscan(os.Getenv("SHOPAPI_MIRROR"), &steps); err != nil && os.Getenv("SHOPAPI_MIRROR") != "" {
		t.Fatal(err)
	}
	return steps
}

func (m *mirrors) write(st store.Store, steps int) {
	var writers sync.WaitGroup
	if _, concurrent := st.(*postgres.Store); concurrent {
		writers.Go(func() { m.writeSlowly(st) })
	}
	known := &ids{of: map[string][]string{"categories": {"1"}}}
	for i := range 4 {
		writers.Go(func() {
			w := &mirrorWriter{m.shop, m.t, rand.New(rand.NewPCG(7, uint64(i))), known}
			w.run(steps)
		})
	}
	writers.Wait()
}

// writeSlowly is a transaction that begins before those of the other writers, and ends after many
// of them.
func (m *mirrors) writeSlowly(st store.Store) {
	err := st.Update(m.t.Context(), func(ctx context.Context, _ store.Tx) error {
		_, err := m.shop.Taxes.Create(ctx, taxes.Tax{Name: "Slow"})
		time.Sleep(300 * time.Millisecond)
		return err
	})
	if err != nil {
		m.t.Error(err)
	}
}

// compare waits until the mirrors have all changes, and compares each with what its user sees.
func (m *mirrors) compare() {
	m.t.Helper()
	position := newMirror(m.t, "", m.shop.Client).position()
	m.last.Store(&position)
	m.readers.Wait()
	truths := map[string]*mirror{} // by user
	for _, r := range m.list {
		if truths[r.Email] == nil {
			truths[r.Email] = newMirror(m.t, "truth", r.Client)
			truths[r.Email].start()
		}
		r.compare(truths[r.Email])
	}
}
