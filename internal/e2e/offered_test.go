package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

// TestE12_Offered: each page that the menu offers to a user with few rights, the first object
// of each list and the pages below it are shown, the API refuses none of their requests, and a
// form that is shown can be saved.
func TestE12_Offered(t *testing.T) {
	t.Parallel()
	one := func(privileges ...string) func(*apitest.Shop) *apitest.Client {
		return func(s *apitest.Shop) *apitest.Client { return s.User(privileges...) }
	}
	ofCompany := func(s *apitest.Shop) *apitest.Client { return s.UserOf(2, allPrivileges(s)...) }
	for name, c := range map[string]struct {
		edition shopapi.Edition
		user    func(*apitest.Shop) *apitest.Client
		menu    string // its links
		unseen  string // what a page names and the user may not see
		forms   int    // to change objects with a name
	}{
		"orders":    {shopapi.SingleStore, one("view_orders"), "Orders,Shipments,Carts", "", 0},
		"catalogue": {shopapi.SingleStore, one("view_catalog", "manage_catalog"), "Products,Categories,Features,Options,Combinations,Exceptions,Variations,Variation groups", "", 3},
		"vendor": {shopapi.MultiVendor, ofCompany, "Orders,Shipments,Callback requests,Users,User groups,Reviews," +
			"Products,Categories,Features,Options,Combinations,Exceptions,Variations,Variation groups,Master products," +
			"Pages,Languages,Language texts,Vendors,Payment methods,Shipping methods,Taxes,Statuses", "/categories/1", 4},
		"storefront's administrator": {shopapi.MultiStorefront, ofCompany, "Orders,Shipments,Callback requests,Carts,Users,User groups,Reviews," +
			"Products,Categories,Features,Options,Combinations,Exceptions,Variations,Variation groups," +
			"Pages,Blocks,Languages,Language texts,Stores,Payment methods,Shipping methods,Taxes,Statuses,Settings", "", 6},
	} {
		t.Run(name, func(t *testing.T) {
			opts := everything()
			opts.Edition = c.edition
			s := apitest.New(t, opts)
			s.Clock.Set(time.Now())
			user := c.user(s)
			fill(t, s)
			b := open(t, s, desk, tall)
			loaded := b.traffic()
			b.signIn(user.Email, user.Key)
			first, _, _ := strings.Cut(c.menu, ",")
			b.sees("nav a", first)
			links := evaluate[[]string](b, `[...document.querySelectorAll("nav a")].map(a => a.getAttribute("href"))`)
			titles := evaluate[string](b, `[...document.querySelectorAll("nav a")].map(a => a.innerText.replace(/ \d+$/, "")).join()`)
			if titles != c.menu {
				t.Errorf("the menu has %s, want %s", titles, c.menu)
			}
			shows := func(address string) {
				b.visit(address)
				if problem := evaluate[string](b, `document.querySelector("#page .problem")?.innerText || ""`); problem != "" {
					t.Errorf("%s says %q", address, problem)
				}
			}
			var forms []string // that were saved
			for _, link := range links {
				shows(link)
				for _, below := range evaluate[[]string](b, `[document.querySelector("#page th.label a, .tree a")?.getAttribute("href"), document.querySelector("#page a[data-key=n]")?.getAttribute("href")].filter(Boolean)`) {
					shows(below)
					if saved, words := b.rename(); saved {
						forms = append(forms, below)
						if !strings.HasPrefix(words, "Saved") {
							t.Errorf("saving %s says %q", below, words)
						}
					}
					for _, tab := range evaluate[[]string](b, `[...document.querySelectorAll(".tabs a")].map(a => a.getAttribute("href"))`) {
						shows(tab)
					}
				}
			}
			t.Logf("saved %q", forms)
			if len(forms) < c.forms {
				t.Errorf("%d forms can be saved, want %d", len(forms), c.forms)
			}
			_, refused, _ := loaded.read()
			for _, address := range refused {
				if c.unseen != "" && strings.HasSuffix(address, c.unseen) {
					continue // a category of the whole shop, which the product is in
				}
				t.Errorf("the page asked for what is refused: %s", address)
			}
			if heard := b.heard(); len(heard) > 0 {
				t.Errorf("the browser complains: %q", heard)
			}
		})
	}
}

// rename changes the name of the object of the page and saves it, and returns what the page says.
// It reports whether there is a form with a name.
func (b *browser) rename() (saved bool, words string) {
	b.t.Helper()
	const change = `(() => {
		const names = ["product", "category", "page", "tax", "payment", "shipping", "description", "option_name", "company", "usergroup", "firstname", "message"];
		const field = names.map((name) => document.querySelector("#change [name=" + name + "]")).find((e) => e?.checkVisibility());
		if (!field || location.hash.endsWith("/new")) return false;
		document.querySelector("#status").replaceChildren();
		field.value += "s";
		document.querySelector("#change button.primary").click();
		return true;
	})()`
	if !evaluate[bool](b, change) {
		return false, ""
	}
	const said = `document.querySelector("#status p, #change .problem, #change .error")`
	b.do(chromedp.Poll(said+" !== null", nil, chromedp.WithPollingTimeout(pollTime)))
	return true, evaluate[string](b, said+".innerText")
}

// allPrivileges returns the privileges that entities need.
func allPrivileges(s *apitest.Shop) (names []string) {
	for _, d := range s.Descriptions() {
		names = append(names, d.Privileges.View, d.Privileges.Manage)
	}
	return names
}

// fill gives a shop one object of each entity of its daily work. In an edition with several
// companies most of them belong to the second.
func fill(t *testing.T, s *apitest.Shop) {
	t.Helper()
	company, storefront := "", ""
	if s.API.Edition() != shopapi.SingleStore {
		company = `"company_id": 2, `
	}
	if s.API.Edition() == shopapi.MultiStorefront {
		storefront = company
	}
	for _, post := range [][2]string{
		{"taxes", `{"tax": "VAT"}`},
		{"features", `{` + storefront + `"description": "Glaze", "feature_type": "S", "purpose": "find_products", "variants": [{"variant": "Ash"}]}`},
		{"payments", `{` + storefront + `"payment": "Bank transfer"}`},
		{"shippings", `{` + storefront + `"shipping": "Parcel"}`},
		{"categories", `{` + storefront + `"category": "Cups"}`},
		{"products", `{` + company + `"product": "Clay mug", "category_ids": [1], "price": "9.50", "amount": 50}`},
		{"options", `{` + company + `"product_id": 1, "option_name": "Size", "option_type": "S", "inventory": "Y", "variants": {"1": {"variant_name": "Small"}}}`},
		{"products/1/discussions", `{"name": "Ana", "message": "Keeps tea warm.", "rating_value": 5}`},
		{"orders", `{` + storefront + `"payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}}, "user_id": 0, "user_data": {"email": "kim@example.com",
			"b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
			"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`},
	} {
		if a := s.Post("/api/2.0/"+post[0], post[1]); a.Status != 201 {
			t.Fatalf("%s answers %d %s", post[0], a.Status, a.Body)
		}
	}
}
