package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// TestConsole_Vendor: a vendor with every privilege sees no control for operations that
// the edition closes to vendors.
func TestConsole_Vendor(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	vendor := s.UserOf(2, allPrivileges(s)...)
	fill(t, s)
	own := vendor.Post("/api/2.0/features", `{"description": "Clay", "feature_type": "S", "purpose": "find_products", "variants": [{"variant": "Red"}]}`).Field("feature_id")

	b := open(t, s, desk, tall)
	b.signIn(vendor.Email, vendor.Key)
	b.sees("nav a", "Products")
	links := evaluate[string](b, `document.querySelector("nav").innerText`)
	for _, closed := range []string{"Settings", "Blocks", "Carts", "Reviews"} {
		if strings.Contains(links, closed) {
			t.Errorf("%s is closed to vendors, and the menu has it", closed)
		}
	}
	for _, c := range []struct{ address, title, controls string }{
		{"#/taxes", "Taxes", ""},
		{"#/taxes/1", "VAT", ""},
		{"#/payments/1", "Bank transfer", ""},
		{"#/statuses", "Statuses", ""},
		{"#/statuses/1", "Processed", ""},
		{"#/languages", "Languages", ""},
		{"#/usergroups", "User groups", ""},
		{"#/features", "Features", "New"},
		{"#/features/1", "Glaze", ""}, // the whole shop's
		{"#/features/" + own, "Clay", "form,Save,Back,Delete"},
		{"#/shippings/1", "Parcel", ""},
		{"#/products", "Products", "New,quick edit"},
		{"#/products/1", "Clay mug", "Duplicate,form,Add by address,Save,Back,Change options,Delete"},
		{"#/products/1/discussions", "Reviews", "New"},
		{"#/orders", "Orders", ""},
		{"#/orders/1", "Order 1", "form,Save note"},
		{"#/vendors", "Vendors", ""},
		{"#/vendors/2", "Company 2", "form,Save,Back"},
		{"#/master_products", "Master products", ""},
	} {
		t.Run(strings.TrimPrefix(c.address, "#/"), func(t *testing.T) {
			b := b.in(t)
			b.visit(c.address)
			b.sees("h1", c.title)
			if got := b.controls(); got != c.controls {
				t.Errorf("the vendor is shown %q, want %q", got, c.controls)
			}
		})
	}
	b.goTo("#/products/1")
	b.click(".tabs a", "Reviews")
	b.sees("td", "Keeps tea warm")
	b.goTo("#/taxes/new")
	b.sees(".problem", "privileges")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	b.do(chromedp.SetValue("#field-price", "11", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#status", "Saved")
	if price := mug(s, "price"); price != "11.00" {
		t.Errorf("the price is %s", price)
	}
	b.visit("#/discussions")
	b.sees(".problem", "only under a product")
	b.visit("#/orders/1")
	b.click("summary", "All fields")
	b.do(chromedp.SetValue("#field-total", "1.00", chromedp.ByQuery), chromedp.SetValue("#field-details", "Fragile.", chromedp.ByQuery))
	b.click("#change button", "Save")
	b.sees("#status", "Saved, but not Total.") // vendors change the status and the notes
	if o := s.Get("/api/2.0/orders/1"); o.Field("total") != "9.50" || o.Field("details") != "Fragile." {
		t.Errorf("the order is of %s, with the note %q", o.Field("total"), o.Field("details"))
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// TestConsole_Reader: users with only privileges to view see no control for changes on
// any page.
func TestConsole_Reader(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var views []string
	for _, d := range s.Descriptions() {
		views = append(views, d.Privileges.View)
	}
	reader := s.User(views...)
	b := open(t, s, desk, tall)
	b.signIn(reader.Email, reader.Key)
	b.sees("nav a", "Products")
	for _, d := range s.Descriptions() {
		if !slices.Contains(d.Operations, shopapi.OpList) {
			continue
		}
		addresses := []string{"#/" + d.Name}
		if slices.Contains(d.Operations, shopapi.OpGet) && s.Get("/api/2.0/"+d.Name+"/1").Status == 200 {
			addresses = append(addresses, "#/"+d.Name+"/1")
		}
		for _, address := range addresses {
			b.visit(address)
			if got := b.controls(); got != "" {
				t.Errorf("%s shows %q", address, got)
			}
		}
	}
	b.goTo("#/products/new")
	b.sees(".problem", "privileges")
}

// A vendor opens a review of one of their products from the list of reviews.
func TestConsole_VendorReviews(t *testing.T) {
	t.Parallel()
	o := everything()
	o.Edition = shopapi.MultiVendor
	s := apitest.New(t, o)
	vendor := s.UserOf(2, "view_discussions", "manage_discussions", "view_catalog", "manage_catalog")
	for _, post := range [][2]string{
		{"categories", `{"category": "Cups"}`},
		{"products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50", "company_id": 2}`},
		{"products/1/discussions", `{"name": "Ana", "message": "Keeps tea warm.", "rating_value": 5}`},
	} {
		if a := s.Post("/api/2.0/"+post[0], post[1]); a.Status != 201 {
			t.Fatalf("%s answers %d %s", post[0], a.Status, a.Body)
		}
	}
	b := open(t, s, desk, tall)
	b.signIn(vendor.Email, vendor.Key)
	b.click("nav a", "Reviews")
	b.click("th.label a", "Ana")
	b.sees("h1", "Ana")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
