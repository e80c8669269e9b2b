package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/shopapi/shopapi/apitest"
)

const pollTime = 15 * time.Second

// TestE12_Tasks does the commonest work of a shop's staff by clicking and typing on the
// visible elements of the screen, within a bound of clicks and keys.
func TestE12_Tasks(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	now := time.Now()
	s.Clock.Set(time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.Local).Add(-36 * time.Hour)) // of last month, on each day of this one
	for range 2 {
		s.Post("/api/2.0/orders", `{"user_id": 1, "payment_id": 1, "shipping_id": 1, "products": {"3": {"amount": 2}}}`)
	}
	s.Clock.Set(now)
	s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "Deutsch"}`)
	group := s.Post("/api/2.0/usergroups", `{"usergroup": "Order desk", "type": "A", "status": "A"}`).Field("usergroup_id")
	s.Post("/api/2.0/users", `{"user_type": "C", "email": "lee@example.org", "firstname": "Lee", "lastname": "Customer", "b_firstname": "Lee", "b_lastname": "Customer", "b_address": "Quay 1",
		"b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150", "s_firstname": "Lee", "s_lastname": "Customer", "s_address": "Quay 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}`)
	b := openSignedIn(t, s, "Products")

	run := func(name, page string, do func(*hand)) {
		t.Run(name, func(t *testing.T) {
			b.in(t).visit("#/taxes") // so that the page is loaded anew
			b.in(t).visit(page)
			do(b.task(t))
		})
	}

	run("order by number", "#/", func(h *hand) {
		h.click("site-search input", "")
		h.types("12")
		h.sees("site-search [role=option]", "Order 12")
		h.types(kb.Enter)
		h.sees("h1", "Order 12")
		h.within(2, 6)
	})
	run("status", "#/orders/12", func(h *hand) {
		h.waits(`document.querySelector("section[aria-labelledby=lines] td.picture img") !== null`, "a picture of a line")
		h.choose("#new-status", "B")
		h.sees(".status-bar", "Tell the customer")
		h.click(".status-bar button", "Change status")
		h.sees("h1 .chip", "Backordered")
		h.within(3, 0)
		if got := s.Get("/api/2.0/orders/12").Field("status"); got != "B" {
			h.t.Errorf("the order has the status %s", got)
		}
	})
	run("ship", "#/orders/12", func(h *hand) {
		h.click("summary", "Ship")
		h.click("#tracking", "")
		h.types("AB123456789")
		h.click("button", "Ship these")
		h.sees(".shipment", "AB123456789")
		h.sees("section", "Everything is shipped")
		h.within(5, 12)
	})
	run("price and stock from the list", "#/", func(h *hand) {
		h.click("nav a", "Products")
		h.click("quick-edit[data-field=price] button", "")
		h.types("31.5" + kb.Enter)
		h.sees("#status", "Saved")
		h.click("quick-edit[data-field=amount] button", "")
		h.types("44" + kb.Enter)
		h.sees("quick-edit[data-field=amount]", "44")
		h.within(4, 10)
	})
	run("product with category and two images", "#/", func(h *hand) {
		h.click("nav a", "Products")
		h.click("a.button", "New")
		h.click("#field-product", "")
		h.types("Ash jug")
		h.click("#field-category_ids input", "")
		h.picks("cup", "Cups")
		h.click("#field-price", "")
		h.types("24.9")
		h.click("button", "Create")
		h.sees("h1", "Ash jug")
		for range 2 {
			h.click("#image-address", "")
			h.types("/drawing.svg" + kb.Enter)
			h.sees("#status", "Saved")
			h.clearStatus()
		}
		h.waits(`document.querySelectorAll(".pictures-editor img").length === 2`, "two images")
		h.within(14, 60)
	})
	run("staff with group", "#/", func(h *hand) {
		h.click("nav a", "Users")
		h.click("a.button", "New")
		h.click("label.check", "Order desk")
		h.click("#field-email", "")
		h.types("kim@example.org")
		h.click("button", "Create")
		h.sees("h1", "kim@example.org")
		h.within(8, 35)
		made := s.Get("/api/2.0/users?email=kim@example.org").Body
		if !strings.Contains(made, `"user_type":"A"`) {
			h.t.Errorf("the new user is %s", made)
		}
		h.waits(`document.querySelector("section[aria-labelledby=groups] input").checked`, "membership in group "+group)
	})
	run("phone order of two lines", "#/", func(h *hand) {
		h.click("nav a", "Orders")
		h.click("a.button", "New")
		h.click("object-picker[entity=users] input", "")
		h.picks("lee", "Lee Customer")
		h.click("object-picker[entity=products] input", "")
		h.picks("Celadon", "Celadon")
		h.waits(`document.querySelectorAll(".order-lines > li").length === 1`, "a line")
		h.picks("Cobalt", "Cobalt")
		h.waits(`document.querySelectorAll(".order-lines > li").length === 2`, "two lines")
		h.click("button", "Place order")
		h.sees("#status", "placed")
		h.sees("h1", "Order ")
		h.within(16, 50)
	})
	run("German text", "#/products/1", func(h *hand) {
		h.click(".languages a", "Deutsch")
		h.waits(`document.querySelector(".languages [aria-current]")?.innerText === "Deutsch"`, "the German texts")
		h.click("#field-product", "")
		h.do(chromedp.Evaluate(`document.querySelector("#field-product").select()`, nil)) // three clicks of a person
		h.clicks += 2
		h.types("Tasse")
		h.click("button", "Save")
		h.sees("#status", "Saved")
		h.within(7, len("Tasse"))
		if got := s.Get("/api/2.0/products/1?sl=de").Field("product"); got != "Tasse" {
			h.t.Errorf("the German name is %q", got)
		}
	})
	run("review approved and answered", "#/", func(h *hand) {
		s.Put("/api/2.0/discussions/1", `{"status": "D"}`)
		const reply = "Thank you!"
		h.click("nav a", "Reviews")
		h.click("th.label a", "")
		h.sees("header a", "Celadon mug")
		h.click("button", "Approve")
		h.sees("h1 .chip", "Active")
		h.click("textarea[name=reply]", "")
		h.types(reply)
		h.click("button", "Publish the answer")
		h.sees("#status", "published")
		h.within(6, len(reply))
		if all := s.Get("/api/2.0/products/1/discussions").Body; !strings.Contains(all, reply) {
			h.t.Errorf("the product has the reviews %s", all)
		}
	})
	run("revenue of last month", "#/", func(h *hand) {
		now := time.Now()
		month := time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.Local)
		h.sees(".months li", month.Format("January 2006"))
		h.sees(".months li", money(revenue(s, month, month.AddDate(0, 1, 0))))
		h.within(2, 0)
	})
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// revenue is the sum of the orders from a time until before another that hold what they sold.
func revenue(s *apitest.Shop, from, to time.Time) (cents int64) {
	s.T.Helper()
	var list struct {
		Orders []struct{ Total, Status string }
	}
	a := s.Get(fmt.Sprintf("/api/2.0/orders?period=C&time_from=%d&time_to=%d&items_per_page=1000", from.Unix(), to.Unix()-1))
	if err := json.Unmarshal([]byte(a.Body), &list); err != nil || len(list.Orders) < 2 {
		s.T.Fatalf("the orders of the month are %s (%v)", a.Body, err)
	}
	for _, o := range list.Orders {
		if !strings.Contains("FDI", o.Status) { // failed, declined and cancelled orders give it back
			amount, err := strconv.ParseFloat(o.Total, 64)
			if err != nil {
				s.T.Fatal(err)
			}
			cents += int64(math.Round(100 * amount))
		}
	}
	return cents
}

// money is an amount as the console shows it in English.
func money(cents int64) string {
	whole := strconv.FormatInt(cents/100, 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return fmt.Sprintf("%s.%02d", whole, cents%100)
}
