package products_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	whole "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// eachMasterShop runs a test over a shop with the category 1 and the common product 1,
// over each store.
func eachMasterShop(t *testing.T, test func(t *testing.T, s *apitest.Shop)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, &whole.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
		wantAnswer(t, s.Post("/api/2.0/categories", `{"category": "Kettles"}`), 201, "")
		wantAnswer(t, s.Post("/api/2.0/master_products", `{"product": "Steel kettle", "price": "35.00", "category_ids": [1], "full_description": "Of steel"}`),
			201, `{"product_id":"1"}`)
		test(t, s)
	})
}

func wantAnswer(t *testing.T, a *apitest.Answer, status int, body string) {
	t.Helper()
	if a.Status != status || body != "" && a.Body != body {
		t.Errorf("answered %d %s, want %d %s", a.Status, a.Body, status, body)
	}
}

// wantFields checks fields of an object.
func wantFields(t *testing.T, a *apitest.Answer, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := a.Field(pairs[i]); got != pairs[i+1] {
			t.Errorf("%s is %q, want %q", pairs[i], got, pairs[i+1])
		}
	}
}

// idsOf are the ids of a list of products.
func idsOf(a *apitest.Answer) string {
	var list struct {
		Products []struct {
			ID string `json:"product_id"`
		}
	}
	a.Decode(&list)
	var found []string
	for _, p := range list.Products {
		found = append(found, p.ID)
	}
	return strings.Join(found, " ")
}

const masters = "/api/2.0/master_products"

func TestMasterProducts_AreMadeReadChangedAndDeleted(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		wantAnswer(t, s.Post(masters, `{"status": "A"}`), 400, "")
		wantFields(t, s.Get(masters+"/1"), "company_id", "0", "price", "35.00", "master_product_id", "0", "master_product_status", "A", "master_product_offers_count", "0")
		wantAnswer(t, s.Put(masters+"/1", `{"status": "H", "company_id": 1}`), 200, `{"product_id":"1"}`)
		wantFields(t, s.Get(masters+"/1"), "company_id", "0", "status", "H")
		if got := idsOf(s.Get(masters)) + "|" + idsOf(s.Get("/api/2.0/categories/1/master_products")); got != "1|1" {
			t.Errorf("the lists hold %s", got)
		}
		wantAnswer(t, s.Put("/api/2.0/products/1", `{"price": "1"}`), 400, "")
		wantAnswer(t, s.Delete("/api/2.0/products/1"), 400, "")
		wantAnswer(t, s.Delete(masters+"/1"), 204, "")
		wantAnswer(t, s.Get(masters+"/1"), 404, "")
	})
}

// The list of products leaves common ones out unless they are asked for.
func TestMasterProducts_AreNoProductsOfTheShop(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		wantAnswer(t, s.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [1]}`), 201, `{"product_id":"2"}`)
		for query, found := range map[string]string{
			"": "2", "?show_master_products_only=true": "1", "?show_master_products_only=false": "2",
		} {
			if got := idsOf(s.Get("/api/2.0/products" + query)); got != found {
				t.Errorf("products%s: %s, want %s", query, got, found)
			}
		}
		wantAnswer(t, s.Get(masters+"/2"), 404, "")
		wantAnswer(t, s.Delete(masters+"/2"), 404, "")
	})
}

// Images that an offer was sent are its master's, and refused if they are wrong (decisions §4, §21).
func TestOffers_RefuseWrongImages(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		s.UserOf(3) // so that the vendor exists
		wantAnswer(t, s.Post(masters+"/1/master_product_offers", `{"company_id": 3}`), 201, `{"product_id":"2"}`)
		for _, address := range []string{masters + "/1/master_product_offers/2", "/api/2.0/products/2"} {
			for _, field := range []string{"main_pair", "image_pairs"} {
				got := s.Put(address, `{"`+field+`": 1.5}`)
				if got.Status != 400 || !strings.Contains(got.Body, `"errors":{"`+field+`":`) {
					t.Errorf("%s of %s: %d %s", field, address, got.Status, got.Body)
				}
			}
		}
		wantAnswer(t, s.Put(masters+"/1/master_product_offers/2", `{"main_pair": {"detailed": {"image_path": "https://shop.example/a.png"}}}`), 200, "")
	})
}

func TestOffers_FollowTheirMaster(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		vendor := s.UserOf(2, "view_catalog", "manage_catalog")
		wantAnswer(t, vendor.Post(masters+"/1/master_product_offers", `{"price": "33.00", "amount": 4, "product": "Mine"}`), 201, `{"product_id":"2"}`)
		wantFields(t, vendor.Get("/api/2.0/products/2"), "product", "Steel kettle", "full_description", "Of steel", "price", "33.00", "amount", "4",
			"company_id", "2", "master_product_id", "1", "master_product_status", "A")
		wantFields(t, s.Get(masters+"/1"), "master_product_offers_count", "1")
		wantAnswer(t, vendor.Post(masters+"/1/master_product_offers", `{"price": "1"}`), 400, "") // one per vendor
		wantAnswer(t, s.Post(masters+"/1/master_product_offers", `{"price": "1"}`), 400, "")      // of which vendor?
		wantAnswer(t, s.UserOf(3, "view_catalog").Get(masters+"/1/master_product_offers/2"), 404, "")
		wantAnswer(t, s.Post(masters+"/1/master_product_offers", `{"company_id": 3}`), 201, `{"product_id":"3"}`)
		wantFields(t, s.Get("/api/2.0/products/3"), "price", "35.00", "company_id", "3")
		if got := idsOf(s.Get(masters+"/1/master_product_offers")) + "|" + idsOf(vendor.Get(masters+"/1/master_product_offers")); got != "2 3|2" {
			t.Errorf("root and the vendor list %s", got)
		}
		wantAnswer(t, vendor.Put(masters+"/1/master_product_offers/2", `{"product": "Mine", "price": "30.00", "product_code": "K-1"}`), 200, "")
		wantAnswer(t, vendor.Put("/api/2.0/products/2", `{"full_description": "Mine", "status": "H"}`), 200, "")
		s.Events()
		wantAnswer(t, s.Put(masters+"/1", `{"product": "Copper kettle", "full_description": "Of copper", "price": "50.00"}`), 200, "")
		if n := len(s.Events()); n != 3 {
			t.Errorf("%d changes are reported, want those of the common product and two offers", n)
		}
		wantFields(t, s.Get("/api/2.0/products/2"), "product", "Copper kettle", "full_description", "Of copper", "price", "30.00",
			"product_code", "K-1", "status", "H")
		wantAnswer(t, s.Delete(masters+"/1"), 204, "")
		wantFields(t, s.Get("/api/2.0/products/2"), "product", "Copper kettle", "full_description", "Of copper", "master_product_id", "0")
		wantAnswer(t, vendor.Put("/api/2.0/products/2", `{"product": "Mine"}`), 200, "")
		wantFields(t, s.Get("/api/2.0/products/2"), "product", "Mine")
	})
}

// Offers have the texts of their master in all languages, when they are made and when it
// changes.
func TestOffers_FollowTheirMasterInAllLanguages(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		vendor := s.UserOf(2, "view_catalog", "manage_catalog")
		german := func(product, description string) {
			t.Helper()
			wantFields(t, s.Get("/api/2.0/products/2?sl=de"), "product", product, "full_description", description)
		}
		wantAnswer(t, s.Put(masters+"/1?sl=de", `{"product": "Stahlkessel", "full_description": "Aus Stahl"}`), 200, "")
		wantAnswer(t, vendor.Post(masters+"/1/master_product_offers", `{"price": "33.00"}`), 201, `{"product_id":"2"}`)
		german("Stahlkessel", "Aus Stahl")
		wantAnswer(t, s.Put(masters+"/1?sl=de", `{"product": "Kupferkessel", "full_description": ""}`), 200, "")
		german("Kupferkessel", "Of steel")
		wantFields(t, s.Get("/api/2.0/products/2"), "product", "Steel kettle")
		wantAnswer(t, vendor.Put("/api/2.0/products/2?sl=de", `{"product": "Meiner", "age_warning_message": "Heiß"}`), 200, "")
		german("Kupferkessel", "Of steel")
		wantFields(t, s.Get("/api/2.0/products/2?sl=de"), "age_warning_message", "Heiß")
		wantAnswer(t, s.Delete(masters+"/1"), 204, "")
		german("Kupferkessel", "Of steel")
	})
}

// Vendors read common products, and make none.
func TestMasterProducts_Vendors(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		vendor := s.UserOf(2, "view_catalog", "manage_catalog")
		wantAnswer(t, vendor.Get(masters+"/1"), 200, "")
		if got := idsOf(vendor.Get(masters)); got != "1" {
			t.Errorf("the vendor lists %s", got)
		}
		wantAnswer(t, vendor.Post(masters, `{"product": "Mine", "price": "1"}`), 403, "")
		wantAnswer(t, vendor.Put(masters+"/1", `{"product": "Mine"}`), 403, "")
		wantAnswer(t, vendor.Delete(masters+"/1"), 403, "")
		wantAnswer(t, vendor.Get("/api/2.0/products/1"), 404, "")
	})
}

// An offer is a product of the shop at any address: hooks of products can refuse its
// changes, and its parts are deleted with it.
func TestOffers_AreProductsOfTheShop(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		s.Products.BeforeSave(func(_ context.Context, _ store.Tx, _, after *products.Product) error {
			if after.Code == "FORBIDDEN" {
				return shopapi.Invalid("product_code", "is not for sale here")
			}
			return nil
		})
		offers := masters + "/1/master_product_offers"
		wantAnswer(t, s.Post(offers, `{"company_id": 1, "product_code": "FORBIDDEN"}`), 400, "")
		wantAnswer(t, s.Post(offers, `{"company_id": 1}`), 201, `{"product_id":"2"}`)
		wantAnswer(t, s.Put(offers+"/2", `{"product_code": "FORBIDDEN"}`), 400, "")
		wantAnswer(t, s.Post("/api/2.0/options", `{"product_id": 2, "option_name": "Size", "option_type": "C"}`), 201, "")
		wantAnswer(t, s.Post("/api/2.0/products/2/discussions", `{"message": "Boils"}`), 201, "")
		s.Events()
		wantAnswer(t, s.Delete(offers+"/2"), 204, "")
		for _, address := range []string{"products/2", "options/1", "discussions/1"} {
			wantAnswer(t, s.Get("/api/2.0/"+address), 404, "")
		}
		if events := s.Events(); !slices.ContainsFunc(events, func(e shopapi.Event) bool {
			return e.Entity == "products" && e.Operation == shopapi.OpDelete && e.ID == "2"
		}) {
			t.Errorf("the observer is told of %v, not of the product", events)
		}
	})
}

// Offers are made in Go by the same rules: with the texts of the common product, one per
// vendor.
func TestOffers_InGo(t *testing.T) {
	eachMasterShop(t, func(t *testing.T, s *apitest.Shop) {
		offer := products.Product{Summary: products.Summary{CompanyID: 1, Price: decimal.MustParse("33.00"), Amount: 4}}
		made, err := s.MasterProducts.Offer(t.Context(), 1, offer)
		if err != nil || made.MasterProductID != 1 || made.Name != "Steel kettle" || made.FullDescription != "Of steel" || made.Price.String() != "33.00" {
			t.Errorf("the offer is %+v: %v", made, err)
		}
		wantFields(t, s.Get(masters+"/1"), "master_product_offers_count", "1")
		for master, status := range map[int64]int{1: 400, 9: 404, made.ProductID: 404} {
			var e *shopapi.Error
			if _, err := s.MasterProducts.Offer(t.Context(), master, offer); !errors.As(err, &e) || e.Status != status {
				t.Errorf("another offer of product %d: %v, want a %d", master, err, status)
			}
		}
	})
}
