package e2e

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
)

// A state is a page as staff works with it, after clicks and typing. do needs no words of the
// console, so that it works in each of its languages.
type state struct {
	name, address string
	caption       string        // in docs/pages.md
	do            func(h *hand) // after the page is loaded
	at            string        // the element that a picture begins with, the top of the page without one
	is            pictureOf     // which pictures there are
}

type pictureOf int

const (
	both  pictureOf = iota // of a desk and of a phone
	paper                  // as it is printed
	none
)

// newStaffShop returns the shop of newFullShop with orders of a customer. One order has an invoice
// and a credit memo of a part.
func newStaffShop(t *testing.T) *apitest.Shop {
	t.Helper()
	s := newFullShop(t)
	post := func(entity, body string) *apitest.Answer {
		t.Helper()
		a := s.Post("/api/2.0/"+entity, body)
		if a.Status >= 300 {
			t.Fatalf("POST %s answers %d %s", entity, a.Status, a.Body)
		}
		return a
	}
	post("users", `{"user_type": "C", "email": "lee@example.org", "firstname": "Lee", "lastname": "Customer", "b_firstname": "Lee", "b_lastname": "Customer", "b_address": "Quay 1",
		"b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150", "s_firstname": "Lee", "s_lastname": "Customer", "s_address": "Quay 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}`)
	for range 2 {
		post("orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"product_id": 7, "amount": 3}, "2": {"product_id": 4, "amount": 1}}}`)
	}
	for setting, value := range map[string]string{"company_name": "Kiln & Co", "company_address": "Harbour Road 7", "company_city": "Bergen", "company_zipcode": "5003", "company_country": "NO"} {
		if a := s.Put("/api/2.0/settings/"+settingID(s, setting), fmt.Sprintf(`{"value": %q}`, value)); a.Status != 200 {
			t.Fatal(a.Body)
		}
	}
	order := orderOfLee(s)
	s.Put("/api/2.0/orders/"+order, `{"status": "P", "notes": "Please ring twice.", "details": "Pays by bank transfer."}`)
	post("orders/"+order+"/issue_invoice", `{}`)
	post("orders/"+order+"/issue_credit_memo", `{"total": "5.00"}`)
	return s
}

// orderOfLee is the newest order of the customer of newStaffShop.
func orderOfLee(s *apitest.Shop) string {
	_, rest, _ := strings.Cut(s.Get("/api/2.0/orders?user_id=2&items_per_page=1").Body, `"order_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// settingID is the id of a setting with a name.
func settingID(s *apitest.Shop, name string) string {
	form := regexp.MustCompile(`"object_id":"(\d+)"[^{}]*?"name":"` + name + `"`)
	if m := form.FindStringSubmatch(s.Get("/api/2.0/settings?items_per_page=100").Body); m != nil {
		return m[1]
	}
	return name
}

// states are the pages of newStaffShop.
func states(s *apitest.Shop) []state {
	order := "#/orders/" + orderOfLee(s)
	prints := func(button string) func(h *hand) {
		return func(h *hand) {
			h.do(chromedp.Evaluate(`window.print = () => {}`, nil))
			h.click("section[aria-labelledby=papers] "+button, "")
			h.emulates("print")
			h.waits(`document.querySelector("#paper td") !== null`, "a paper")
			h.do(chromedp.Evaluate(`document.querySelector("#paper").style.padding = "3rem"`, nil)) // the margins of a printer
		}
	}
	other := 42 // the price that somebody else enters
	ticks := func(h *hand) {
		for _, row := range []int{2, 3, 5} {
			h.click(fmt.Sprintf("tbody tr:nth-child(%d) .tick input", row), "")
		}
	}
	return []state{
		{name: "first-page", address: "#/", caption: "First page: the work to do and the sums"},
		{name: "search", address: "#/", caption: "One search finds orders, products, customers and pages", do: func(h *hand) {
			h.click("site-search input", "")
			h.types("lee")
			h.sees("site-search [role=option]", "Lee")
		}},
		{name: "palette", address: "#/products/2", caption: "Ctrl+K: pages and actions by their names", do: func(h *hand) {
			h.click("button[aria-keyshortcuts]", "⌘")
			h.waits(`document.querySelectorAll("command-palette [role=option]").length > 5`, "all commands")
		}},
		{name: "shortcuts", address: "#/orders", is: none, do: func(h *hand) {
			h.presses("?")
			h.waits(`document.querySelector("dialog[open]") !== null`, "the keys")
		}},
		{name: "orders", address: "#/orders", caption: "Orders: find, filter, tick, export"},
		{name: "order", address: order, caption: "An order: lines, status, customer, addresses"},
		{name: "ship", address: order, caption: "An order is shipped: ticked lines and a tracking number", at: "section[aria-labelledby=shipping]", do: func(h *hand) {
			h.click(".ship summary", "")
			h.click("#tracking", "")
			h.types("AB123456789")
		}},
		{name: "history", address: order, caption: "What happened to an order", at: "section[aria-labelledby=timeline]"},
		{name: "papers", address: order, caption: "Papers of an order, and a credit memo", at: "section[aria-labelledby=papers]", do: func(h *hand) {
			h.click(".credit summary", "")
			h.waits(`document.querySelector(".credit input") !== null`, "a credit memo")
		}},
		{name: "invoice", address: order, caption: "An invoice as it is printed", is: paper, do: prints("li button")},
		{name: "credit-memo", address: order, caption: "A credit memo as it is printed", is: paper, do: prints("li:last-child button")},
		{name: "packing-slip", address: order, caption: "A packing slip as it is printed", is: paper, do: prints(".actions button")},
		{name: "new-order", address: "#/orders/new", caption: "An order by phone, with its price before it is placed", do: func(h *hand) {
			h.click("object-picker[entity=users] input", "")
			h.picks("lee", "Lee Customer")
			for i, name := range []string{"Celadon", "Cobalt"} {
				h.click("object-picker[entity=products] input", "")
				h.picks(name, name)
				h.waits(fmt.Sprintf(`document.querySelectorAll(".order-lines > li").length === %d`, i+1), "a line")
			}
			h.waits(`document.querySelector("#order .totals .total") !== null`, "a price")
		}},
		{name: "products", address: "#/products", caption: "Products: price and stock are changed in the list"},
		{name: "bulk", address: "#/products", caption: "Ticked products are changed at once", do: ticks},
		{name: "product", address: "#/products/2", caption: "A product: images, texts, price"},
		{name: "tree", address: "#/products/2", is: none, do: func(h *hand) {
			h.click("object-picker[name=category_ids] .tree-button", "")
			h.waits(`document.querySelector("tree-picker [role=treeitem][aria-selected=true]") !== null`, "the category")
		}},
		{name: "texts", address: "#/products/2", caption: "The texts of a product in all languages", at: ".texts", do: func(h *hand) {
			h.click(".texts summary", "")
			h.waits(`document.querySelectorAll(".texts textarea").length > 4`, "the texts")
		}},
		{name: "options", address: "#/products/2", caption: "Options, and the stock of each combination", at: "section[aria-labelledby=options]"},
		{name: "variations", address: "#/products/3", caption: "Variations: products that differ in a feature", at: "section[aria-labelledby=variations]"},
		{name: "conflict", address: "#/products/5", caption: "Two people changed the same price", at: ".field:has(#field-price)", do: func(h *hand) {
			h.do(chromedp.SetValue("#field-price", "39.5", chromedp.ByQuery))
			other++
			s.Put("/api/2.0/products/5", fmt.Sprintf(`{"price": "%d"}`, other))
			h.do(chromedp.Focus("#change button.primary", chromedp.ByQuery), chromedp.KeyEvent("\r"))
			h.waits(`document.querySelector("#field-price-error") !== null`, "the other price")
		}},
		{name: "categories", address: "#/categories", caption: "The tree of categories"},
		{name: "page", address: "#/pages/1", caption: "A page of the storefront: text as it looks"},
		{name: "reviews", address: "#/discussions", caption: "Reviews"},
		{name: "review", address: "#/discussions/1", caption: "A review: approve and answer"},
		{name: "users", address: "#/users", caption: "Customers and staff"},
		{name: "customer", address: "#/users/2", caption: "A customer, with their orders"},
		{name: "staff", address: "#/users/1", caption: "A member of the staff: groups and API keys"},
		{name: "key", address: "#/users/1", is: none, do: func(h *hand) {
			h.click("#key-note", "")
			h.types("till")
			h.click("section[aria-labelledby=keys] form button", "")
			h.waits(`document.querySelector("code.key") !== null`, "the key")
		}},
		{name: "revoke", address: "#/users/1", is: none, do: func(h *hand) {
			h.click("section[aria-labelledby=keys] button.danger", "")
			h.waits(`document.querySelector("dialog[open]") !== null`, "the question")
		}},
		{name: "new-staff", address: "#/users/new", caption: "A new employee gets a group"},
		{name: "settings", address: "#/settings", caption: "A list that follows from its description"},
		{name: "new-webhook", address: "#/webhooks/new", caption: "A form that follows from its description"},
	}
}

// emulates shows the page on a medium, "" for the screen, in the browser's colours.
func (b *browser) emulates(medium string) {
	b.t.Helper()
	b.do(emulation.SetEmulatedMedia().WithMedia(medium).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: cmp.Or(b.scheme, "light")}}))
}

// opens brings the page to a state, from wherever it was.
func (b *browser) opens(st state) {
	b.t.Helper()
	b.do(chromedp.Evaluate(`document.querySelectorAll("dialog, #paper").forEach(e => e.remove());
		[...document.forms].forEach(f => { if (f.formState) f.formState.isDone = true; });`, nil))
	b.emulates("")
	b.visit("#/taxes") // so that the page is loaded anew
	b.visit(st.address)
	if st.do != nil {
		st.do(&hand{browser: b})
	}
	if st.at != "" {
		b.do(chromedp.Evaluate(fmt.Sprintf(`scrollTo(0, document.querySelector(%q).getBoundingClientRect().top + scrollY - 12)`, st.at), nil))
	}
}
