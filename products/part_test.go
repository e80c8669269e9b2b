package products_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A shelfRow is where a host keeps a product.
type shelfRow struct {
	ShelfID   int64  `json:"shelf_id" store:"key"`
	ProductID int64  `json:"product_id"`
	Place     string `json:"place"`
}

var shelves = store.MustTable[shelfRow]("host_shelves", store.Index{Columns: []string{"product_id"}, Unique: true})

// shelving is a host's part of products: the field shelf, with a rule and a filter.
type shelving struct{}

var (
	_ products.Loader   = shelving{}
	_ products.Binder   = shelving{}
	_ products.Checker  = shelving{}
	_ products.Writer   = shelving{}
	_ products.Filterer = shelving{}
)

func (shelving) PartName() string { return "shelf" }

func (shelving) LoadProducts(_ context.Context, tx store.Tx, r products.Reading, list ...*products.Summary) error {
	if r.Purpose != products.Values {
		return nil
	}
	ids := make([]int64, len(list))
	byID := map[int64]*products.Summary{}
	for i, p := range list {
		ids[i], byID[p.ProductID] = p.ProductID, p
	}
	return shelves.Each(tx, store.Query{Where: []store.Cond{store.InInts("product_id", ids...)}}, func(s *shelfRow) error {
		byID[s.ProductID].SetAdded("shelf", s.Place)
		return nil
	})
}

func (shelving) BindProduct(_ context.Context, payload *shopapi.Payload, p *products.Summary) error {
	if !payload.Has("shelf") {
		return nil
	}
	var sent struct {
		Place string `json:"shelf"`
	}
	if err := (&shopapi.Request{Payload: payload}).Bind(&sent); err != nil {
		return err
	}
	p.SetAdded("shelf", sent.Place)
	return nil
}

func (shelving) CheckProduct(_ context.Context, _ store.Tx, _, after *products.Summary, problems *shopapi.Problems) error {
	if place, ok := after.AddedValue("shelf").(string); ok {
		problems.Length("shelf", place, 5)
	}
	return nil
}

func (shelving) WriteProduct(_ context.Context, tx store.Tx, before, after *products.Product) error {
	place, ok := after.AddedValue("shelf").(string)
	if !ok || before.AddedValue("shelf") == place {
		return nil
	}
	if _, err := shelves.Delete(tx, store.Equal("product_id", store.Int(after.ProductID))); err != nil {
		return err
	}
	return shelves.Insert(tx, &shelfRow{ProductID: after.ProductID, Place: place})
}

func (shelving) FilterProducts(w *resource.Where, f *products.Filter) {
	if place := f.Parameters.Get("shelf"); place != "" {
		w.Add(store.InQuery("product_id", shelves.Schema(), "product_id", store.Equal("place", store.String(place))))
	}
}

// A host's part adds a field to products: it is bound, checked, stored, answered and
// filtered by, like the fields of the library's parts.
func TestUse_HostPart(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		if err := s.Store.Migrate(t.Context(), shelves.Schema()); err != nil {
			t.Fatal(err)
		}
		if err := s.Products.Use(shelving{}); err != nil {
			t.Fatal(err)
		}
		cups := s.addCategory("Cups", 0, 1)
		mug := s.add(`{"product": "Mug", "category_ids": [%d], "shelf": "A3"}`, cups)
		bowl := s.add(`{"product": "Bowl", "category_ids": [%d]}`, cups)
		s.wants(mug, map[string]string{"shelf": `"A3"`, "product": `"Mug"`})
		s.put(200, mug, `{"shelf": "B12"}`)
		s.put(200, mug, `{"price": "9.50"}`)
		s.wants(mug, map[string]string{"shelf": `"B12"`, "price": `"9.50"`})
		s.Refuses("PUT", at(bowl), `{"shelf": "too far"}`, "shelf")
		if got := s.names("/products?shelf=B12"); got != "Mug" {
			t.Errorf("the shelf B12 has %q, want the mug", got)
		}
		if got := s.names("/products"); got != "Bowl Mug" {
			t.Errorf("the shop has %q, want both products", got)
		}
		if list := s.page("/products").Products; list[1]["shelf"] != "B12" || list[0]["shelf"] != nil {
			t.Errorf("the list shows the shelves %v and %v", list[0]["shelf"], list[1]["shelf"])
		}
	})
}

// Two parts with one name would be one part to products.
func TestUse_RefusesTheSameNameTwice(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	if err := s.Products.Use(shelving{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Products.Use(shelving{}); err == nil {
		t.Error("a second part with the same name is added")
	}
}
