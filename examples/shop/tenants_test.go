package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// TestDemo_Companies: in its edition each vendor or storefront of the demo sees only its
// own people, goods, pages, orders and shipments; and the rows of the shop are
// consistent.
func TestDemo_Companies(t *testing.T) {
	for name, edition := range map[string]shopapi.Edition{"vendors": shopapi.MultiVendor, "stores": shopapi.MultiStorefront} {
		t.Run(name, func(t *testing.T) {
			st := memory.New()
			sh, err := shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{Edition: edition}})
			if err != nil {
				t.Fatal(err)
			}
			if err := sh.Store.Migrate(t.Context(), demos.Schema()); err != nil {
				t.Fatal(err)
			}
			f := newFiller(t.Context(), sh)
			if err := f.fill(t.Context(), sizeOf(1, 5), io.Discard); err != nil {
				t.Fatal(err)
			}
			for i, one := range tenants {
				found, _, err := sh.Users.Find(t.Context(), users.Filter{Email: one.email})
				if err != nil || len(found) != 1 {
					t.Fatalf("%d users have the address %s: %v", len(found), one.email, err)
				}
				key, err := sh.Users.GenerateKey(t.Context(), found[0].UserID)
				if err != nil {
					t.Fatal(err)
				}
				c := (&apitest.Client{T: t, Handler: sh}).As(one.email, key)
				company, pages, goods := i+2, 1, len(one.goods)
				if edition == shopapi.MultiVendor {
					goods += len(commonGoods)
				}
				for _, x := range []struct {
					entity, field string
					want          int
				}{
					{name, "company_id", 1}, {"products", "product_id", goods}, {"orders", "order_id", tenantOrders},
					{"shipments", "shipment_id", 1}, {"users", "user_id", 2}, {"pages", "page_id", pages},
				} {
					a := c.Get("/api/2.0/" + x.entity + "?items_per_page=1000")
					if n := strings.Count(a.Body, `{"`+x.field+`":`); a.Status != 200 || n != x.want {
						t.Errorf("%s sees %d %s, want %d: %d %.300s", one.name, n, x.entity, x.want, a.Status, a.Body)
					}
					own := fmt.Sprintf(`"company_id":"%d"`, company)
					if x.entity != "shipments" && strings.Count(a.Body, `"company_id":"`) != strings.Count(a.Body, own) {
						t.Errorf("%s sees %s of other companies: %.300s", one.name, x.entity, a.Body)
					}
				}
				if other := tenants[1-i]; strings.Contains(c.Get("/api/2.0/products?items_per_page=1000").Body, other.goods[0]) {
					t.Errorf("%s sees what %s sells", one.name, other.name)
				}
			}
			if edition == shopapi.MultiVendor {
				if _, total, err := sh.Orders.Find(t.Context(), orders.Filter{IncludeParents: true}); err != nil || total != int64(4*5+3*tenantOrders) {
					t.Errorf("there are %d orders with those that sum up others: %v", total, err)
				}
			}
			checkOffers(t, sh)
			err = shopcheck.Check(t.Context(), st, func(v shopcheck.Violation) { t.Error(v) })
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// checkOffers: both vendors offer each common product, at different prices, and one
// offer is sold out.
func checkOffers(t *testing.T, sh *shop.Shop) {
	t.Helper()
	if sh.MasterProducts == nil {
		return
	}
	sold, common := 0, 0
	for master, err := range sh.MasterProducts.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		common++
		offers, _, err := sh.Products.Find(t.Context(), products.Filter{Name: master.Name})
		if err != nil || len(offers) != len(tenants) {
			t.Fatalf("there are %d offers of %s: %v", len(offers), master.Name, err)
		}
		if offers[0].MasterProductID != master.ProductID || offers[1].MasterProductID != master.ProductID {
			t.Errorf("the products called %s are offers of the products %d and %d, not of %d", master.Name, offers[0].MasterProductID, offers[1].MasterProductID, master.ProductID)
		}
		if offers[0].CompanyID == offers[1].CompanyID || offers[0].Price.Equal(offers[1].Price) {
			t.Errorf("the offers of %s are %s of vendor %d and %s of vendor %d", master.Name, offers[0].Price, offers[0].CompanyID, offers[1].Price, offers[1].CompanyID)
		}
		for _, o := range offers {
			if o.Amount == 0 {
				sold++
			}
		}
	}
	if common != len(commonGoods) || sold != 1 {
		t.Errorf("there are %d common products, and %d offers are sold out", common, sold)
	}
}
