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
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
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
			run(s, st)
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
		run(s, st)
}

// TestE4_MirrorOfWholeEntities: changes of more than 1,000 objects at once are reported by one change
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
	m.during(func() {
		if err := s.Taxes.Delete(t.Context(), tax.TaxID); err != nil {
			t.Error(err)
		}
	})
	vendor, clerk := m.readers[0], m.readers[1]
	if !vendor.every["products"] || len(vendor.last) > 0 || clerk.every["products"] || clerk.last["taxes/1"] != changes.Deleted {
		t.Errorf("E4: of a tax of many products the vendor is told %v, %v and the clerk %v", vendor.every, vendor.last, clerk.last)
	}
}

// mirroredShop opens a shop with the log, and with what the writers need.
func mirroredShop(t *testing.T, st store.Store, edition shopapi.Edition) *apitest.Shop {
	t.Helper()
	s := apitest.NewWithStore(t, st, mirroredOptions(edition))
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
	t       *testing.T
	root    *apitest.Client
	address func() string // of a server for streams
	breaks  bool          // processes of the shop are killed, so that requests may fail
	readers []reader
	known   *ids
	last    atomic.Pointer[string] // the position after the last change
}

// A reader is a mirror with its way of reading.
type reader struct {
	*mirror
	run func()
}

func newMirrors(t *testing.T, s *apitest.Shop) *mirrors {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return &mirrors{
		t: t, root: s.As(apitest.RootEmail, s.Key), address: func() string { return server.URL },
		known: &ids{of: map[string][]string{"categories": {"1"}}},
	}
}

// followAsRoot adds three mirrors of root, one for each way of reading.
func (m *mirrors) followAsRoot() *mirrors {
	polls, waits, streams := m.mirrorOf("a reader who polls", m.root), m.mirrorOf("a reader who waits", m.root), m.mirrorOf("a reader of a stream", m.root)
	m.readers = append(m.readers,
		reader{polls, func() { polls.pages("&limit=7", m.end) }},
		reader{waits, func() { waits.pages("&wait=1", m.end) }},
		reader{streams, func() { streams.stream(m.t.Context(), m.address, m.breaks, m.end) }},
	)
	return m
}

// follow adds the mirror of a user.
func (m *mirrors) follow(name string, c *apitest.Client) *mirrors {
	r := m.mirrorOf(name, c)
	m.readers = append(m.readers, reader{r, func() { r.pages("&wait=1&limit=20", m.end) }})
	return m
}

func (m *mirrors) mirrorOf(name string, c *apitest.Client) *mirror {
	r := newMirror(m.t, name, c)
	r.start()
	return r
}

// end returns the position after the last change once the writers are done, before that "".
func (m *mirrors) end() string { return *m.last.Load() }

// during has the readers read while write changes the shop, and compares the mirrors with it. Each
// reader begins at the position that it stored.
func (m *mirrors) during(write func()) {
	m.t.Helper()
	m.last.Store(new(string))
	var readers sync.WaitGroup
	for _, r := range m.readers {
		readers.Go(r.run)
	}
	write()
	position := newMirror(m.t, "", m.root).position()
	m.last.Store(&position)
	readers.Wait()
	truths := map[string]*mirror{} // by user
	for _, r := range m.readers {
		if truths[r.Email] == nil {
			truths[r.Email] = m.mirrorOf("truth", r.Client)
		}
		r.compare(truths[r.Email])
	}
}

// run has four writers change the shop, and compares the mirrors with it.
func (m *mirrors) run(s *apitest.Shop, st store.Store) {
	m.t.Helper()
	steps := mirrorSteps(m.t)
	m.during(func() {
		var writers sync.WaitGroup
		if _, concurrent := st.(*postgres.Store); concurrent {
			writers.Go(func() {
				if err := writeSlowly(m.t, s, st); err != nil {
					m.t.Error(err)
				}
			})
		}
		for i := range 4 {
			writers.Go(func() {
				w := &mirrorWriter{Client: m.root, rnd: rand.New(rand.NewPCG(7, uint64(i))), known: m.known}
				w.inGo = func() error { return writeInGo(m.t, s) }
				w.run(steps)
			})
		}
		writers.Wait()
	})
	if n := len(m.readers[0].last); n < steps/2 {
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

func writeInGo(t *testing.T, s *apitest.Shop) error {
	_, err := s.Categories.CreateAll(t.Context(), []categories.Category{
		{Summary: categories.Summary{Name: "Go", CompanyID: 1}}, {Summary: categories.Summary{Name: "Go too", CompanyID: 2}},
	})
	return err
}

// writeSlowly is a transaction that begins before those of the other writers, and ends after many
// of them.
func writeSlowly(t *testing.T, s *apitest.Shop, st store.Store) error {
	return st.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		_, err := s.Taxes.Create(ctx, taxes.Tax{Name: "Slow"})
		time.Sleep(300 * time.Millisecond)
		return err
	})
}
