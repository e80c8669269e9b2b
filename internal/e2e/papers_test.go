package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestConsole_Papers: staff gives an order its invoice, prints it, credits a piece and then the
// rest, and prints the credit memo.
func TestConsole_Papers(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	s.Put("/api/2.0/orders/12", `{"status": "P"}`)
	b := openSignedIn(t, s, "Orders")
	b.visit("#/orders/12")
	h := b.task(t)
	printed := func(selector, button string) string {
		t.Helper()
		b.do(chromedp.Evaluate(`window.printed = ""; window.print = () => { window.printed = document.querySelector("#paper").textContent; dispatchEvent(new Event("afterprint")); }`, nil))
		h.click("section[aria-labelledby=papers] "+selector, button)
		h.waits(`window.printed !== ""`, "a paper")
		return evaluate[string](b, "window.printed")
	}
	if got := printed("button", "Print invoice"); !strings.Contains(got, "Main St 1") || strings.Contains(got, "Number") {
		t.Errorf("before the invoice has a number, this is printed: %q", got)
	}
	h.click("button", "Give it an invoice number")
	h.sees("#status", "has its number")
	order := s.Get("/api/2.0/orders/12")
	invoice, total := order.Field("invoice_id"), order.Field("total")
	h.sees("section[aria-labelledby=papers]", invoice)
	if got := printed("li button", "Print"); !strings.Contains(got, "Invoice") || !strings.Contains(got, invoice) || !strings.Contains(got, total) {
		t.Errorf("the invoice %s of %s is printed as %q", invoice, total, got)
	}

	h.click("summary", "Issue a credit memo")
	h.click("button", "Credit these")
	h.sees(".credit .problem", "Say what is credited")
	h.click(".credit input[type=number]", "")
	h.types(kb.End + "\b1")
	h.click("button", "Credit these")
	h.click("dialog button", "Not now")
	if memo := s.Get("/api/2.0/orders/12").Field("credit_memo_id"); memo != "" {
		t.Fatalf("a credit memo that nobody wanted: %s", memo)
	}
	h.click("button", "Credit these")
	h.click("dialog button", "Issue it")
	h.sees("#status", "The credit memo is issued")
	memo := s.Get("/api/2.0/orders/12").Field("credit_memo_id")
	h.sees("section[aria-labelledby=papers]", memo)
	h.sees("section[aria-labelledby=timeline]", memo)
	if got := printed("li:last-child button", "Print"); !strings.Contains(got, "Credit memo") || !strings.Contains(got, memo) || !strings.Contains(got, invoice) {
		t.Errorf("the credit memo %s of %s is printed as %q", memo, invoice, got)
	}
	if left := evaluate[int](b, `document.querySelectorAll(".credit").length`); left > 0 {
		h.click("summary", "Issue a credit memo")
		h.click("button", "Credit all that is left")
		h.click("dialog button", "Issue it")
	}
	b.gone(".credit")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}
