package products_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// users can sign in.
var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// A shop is an API with categories and products.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"categories", "products"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = func() any { return s.dump() }
		s.API.FixSetting(shopapi.SettingAllowNegativeAmount, "Y")
	},
}

// newBareShop is a shop in which nothing is registered.
func newBareShop(t testing.TB, st store.Store, options shopapi.Options) *shop {
	t.Helper()
	options.Authenticator = users
	s := &shop{Shop: shoptest.New(t, st, options)}
	s.API.FixSetting(shopapi.SettingAllowNegativeAmount, "Y")
	return s
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop { return &shop{s.As(email)} }

// in is the same shop in a subtest.
func (s *shop) in(t testing.TB) *shop { return &shop{s.In(t)} }

// addCategory creates a category and returns its id.
func (s *shop) addCategory(name string, parent, company int64) int64 {
	s.Helper()
	c, err := s.Categories.Create(context.Background(), categories.Category{
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
	decode(s, s.Call(201, "POST", "/products", fmt.Sprintf(body, args...)), &reply)
	return reply.ID
}

func at(id int64) string { return fmt.Sprintf("/products/%d", id) }

// put changes a product.
func (s *shop) put(status int, id int64, body string, args ...any) string {
	s.Helper()
	return s.Call(status, "PUT", at(id), fmt.Sprintf(body, args...))
}

// wants checks fields of a product as a client sees it; the values are JSON.
func (s *shop) wants(id int64, fields map[string]string) {
	s.Helper()
	got := s.Object(at(id))
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
	decode(s, s.Call(200, "GET", path, ""), &p)
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
	list, _, err := s.Categories.Find(context.Background(), categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	counts := map[string]int64{}
	for _, c := range list {
		counts[c.Name] = c.ProductCount
	}
	return counts
}

// A contents is every product, as the host's own code reads them, and how many of
// them each category counts.
type contents struct {
	Products []products.Product
	Counts   map[string]int64
}

// dump is all that the host's own code reads.
func (s *shop) dump() contents {
	s.Helper()
	list, _, err := s.Products.Find(context.Background(), products.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	all := make([]products.Product, len(list))
	for i, p := range list {
		if all[i], err = s.Products.Get(context.Background(), p.ProductID); err != nil {
			s.Fatal(err)
		}
	}
	return contents{all, s.counts()}
}

var (
	decode     = shoptest.Decode
	sameJSON   = shoptest.SameJSON
	wantStatus = shoptest.WantStatus
)
