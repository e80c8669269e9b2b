package orders_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// in2026 is a shop whose clock shows noon of a day in 2026.
func in2026() (shopapi.Options, *apitest.Clock) {
	clock := apitest.NewClock(time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC))
	return shopapi.Options{Clock: clock.Now}, clock
}

// act carries out an action of an order.
func (w *world) act(id, action, body string, want int) *apitest.Answer {
	w.t.Helper()
	a := w.Post("/api/2.0/orders/"+id+"/"+action, body)
	if a.Status != want {
		w.t.Errorf("%s of order %s with %s: %d %s, want %d", action, id, body, a.Status, a.Body, want)
	}
	return a
}

// invoice issues the invoice of an order and returns its number.
func (w *world) invoice(id string) string {
	w.t.Helper()
	return w.act(id, "issue_invoice", "", 201).Field("invoice_id")
}

// An action issue_invoice gives the order its number: 201 with number and date, and 200 with
// the same when it has one (decisions §26).
func TestOrders_26_IssueInvoice(t *testing.T) {
	o, clock := in2026()
	eachStoreWith(t, o, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		w.wantFields("before", id, fields{"invoice_id": "", "invoice_date": ""})
		a := w.act(id, "issue_invoice", "", 201)
		if n, date := a.Field("invoice_id"), a.Field("invoice_date"); n != "INV-2026-1" || date != shopapi.FormatID(clock.Now().Unix()) {
			w.t.Errorf("the first invoice is %s", a.Body)
		}
		if again := w.act(id, "issue_invoice", "{}", 200); again.Body != a.Body {
			w.t.Errorf("the second time: %s, want %s", again.Body, a.Body)
		}
		w.wantFields("after", id, fields{"invoice_id": "INV-2026-1", "invoice_date": a.Field("invoice_date"), "credit_memo_id": ""})
		if n := w.invoice(w.place(`{"2": {"amount": 1}}`)); n != "INV-2026-2" {
			w.t.Errorf("the second is %s", n)
		}
		w.wantHistory(id, "created", "invoice INV-2026-1")
		if a := w.Get("/api/2.0/orders?invoice_id=INV-2026-1"); !strings.Contains(a.Body, `"total_items":"1"`) {
			w.t.Errorf("it is not found: %s", a.Body)
		}
		if a := w.act("999", "issue_invoice", "", 404); a.Status != 404 {
			w.t.Error("an order that there is not has an invoice")
		}
	})
}

// An invoice needs manage_orders; vendors may not issue one (decisions §26).
func TestOrders_26_WhoMayIssueInvoices(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		for _, c := range []struct {
			who  *apitest.Client
			want int
		}{
			{w.User("view_orders"), 403}, {w.UserOf(1, "view_orders", "manage_orders"), 403}, {w.User("manage_orders"), 201},
		} {
			for _, action := range []string{"issue_invoice", "issue_credit_memo"} {
				if a := c.who.Post("/api/2.0/orders/"+id+"/"+action, ""); a.Status != c.want {
					w.t.Errorf("%s: %d %s, want %d", action, a.Status, a.Body, c.want)
				}
			}
		}
	})
}

// Preconditions of actions compare with the object's ETag, and Idempotency-Key counts as on
// POST (decisions §26).
func TestOrders_26_PreconditionsOfActions(t *testing.T) {
	w := newMemoryWorld(t)
	id := w.place(`{"2": {"amount": 1}}`)
	send := func(action, body string, header ...string) *apitest.Answer {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/2.0/orders/"+id+"/"+action, strings.NewReader(body))
		r.SetBasicAuth(w.Email, w.Key)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return w.Send(r)
	}
	etag := w.Get("/api/2.0/orders/" + id).Header.Get("Etag")
	w.put(id, `{"notes": "changed"}`)
	if a := send("issue_invoice", "", "If-Match", etag); a.Status != 412 {
		t.Errorf("with an old ETag: %d %s", a.Status, a.Body)
	}
	etag = w.Get("/api/2.0/orders/" + id).Header.Get("Etag")
	if a := send("issue_invoice", "", "If-Match", etag); a.Status != 201 {
		t.Errorf("with the ETag: %d %s", a.Status, a.Body)
	}
	first := send("issue_credit_memo", `{"shipping_cost": "1"}`, "Idempotency-Key", "k")
	if again := send("issue_credit_memo", `{"shipping_cost": "1"}`, "Idempotency-Key", "k"); first.Status != 201 || again.Status != 201 || again.Body != first.Body {
		t.Errorf("repeated: %d %s, then %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	if _, n, err := w.Orders.Documents(t.Context(), idOf(t, id), resource.ListOptions{}); err != nil || n != 2 {
		t.Errorf("%d documents, %v", n, err)
	}
}

// No invoice is issued where the status gives stock back, where the total differs by more
// than 0.05 from the content, where recalculate=N left other sums, or for a parent
// (decisions §26).
func TestOrders_26_InvoicesThatAreRefused(t *testing.T) {
	eachStore(t, func(w *world) {
		refused := func(id, want string) {
			w.t.Helper()
			if a := w.act(id, "issue_invoice", "", 400); !strings.Contains(a.Body, want) {
				w.t.Errorf("the 400 is %s, want one about %s", a.Body, want)
			}
		}
		id := w.place(`{"2": {"amount": 1}}`) // 18.00 + 5.50 + 3.60 = 27.10
		w.put(id, `{"status": "I"}`)
		refused(id, `"status"`)
		w.put(id, `{"status": "P", "total": "27.16"}`)
		refused(id, "total_adjustment")
		w.put(id, `{"total": "27.04"}`)
		refused(id, "total_adjustment")
		w.put(id, `{"recalculate": "N", "products": {"2": {"amount": 2}}, "total": "49.20"}`)
		refused(id, "recalculate=N")
		w.put(id, `{"products": {"2": {"amount": 1, "price": "18"}}, "total": "27.15"}`)
		w.invoice(id)
		if d := w.documents(id)[0]; d.Total != "27.15" || d.Rounding != "0.05" {
			w.t.Errorf("the invoice of a rounded total: %+v", d)
		}
	})
}

// A document on the wire, as far as tests look at it.
type shownDocument struct {
	Kind, Number, Date, Total, Currency string
	Seller                              map[string]string
	Buyer                               map[string]string
	Products                            map[string]struct {
		ProductID string `json:"product_id"`
		Product   string
		Amount    string
		Price     string
		Subtotal  json.Number
		Share     string          `json:"subtotal_discount"`
		Taxes     json.RawMessage `json:"taxes"`
	}
	Taxes     json.RawMessage
	Subtotal  json.Number
	Discount  string      `json:"subtotal_discount"`
	Shipping  string      `json:"shipping_cost"`
	Surcharge string      `json:"payment_surcharge"`
	Tax       json.Number `json:"tax_subtotal"`
	Included  json.Number `json:"tax_included"`
	Exempted  json.Number `json:"tax_exempted"`
	Rounding  string      `json:"total_adjustment"`
}

// documents are the documents of an order.
func (w *world) documents(id string) []shownDocument {
	w.t.Helper()
	var list struct{ Documents []shownDocument }
	a := w.Get("/api/2.0/orders/" + id + "/documents?items_per_page=100")
	if a.Status != 200 {
		w.t.Fatalf("the documents of order %s: %d %s", id, a.Status, a.Body)
	}
	a.Decode(&list)
	return list.Documents
}

// orders/ID/documents lists the invoice and the memos as they were when they were issued:
// no later change of the shop or of the customer, nor an erasure, changes one
// (decisions §26).
func TestOrders_26_DocumentsNeverChange(t *testing.T) {
	o, _ := in2026()
	eachStoreWith(t, o, func(w *world) {
		for _, s := range []struct{ name, value string }{{"company_name", "Clay & Co"}, {"company_city", "Oslo"}} {
			if err := w.Settings.Set(w.t.Context(), 0, "Company."+s.name, s.value); err != nil {
				w.t.Fatal(err)
			}
		}
		id := w.made("orders", fmt.Sprintf(`{"user_id": 0, "payment_id": 1, "shipping_id": 1, "subtotal_discount": 1, "products": {"2": {"amount": 1}}, "user_data": %s}`, guest))
		w.invoice(id) // 17.00 + 5.50 + 3.40 + 0.68 = 26.58
		w.act(id, "issue_credit_memo", `{"payment_surcharge": "0.10"}`, 201)
		address := "/api/2.0/orders/" + id + "/documents"
		before := w.Get(address)
		d := w.documents(id)[0]
		d.Date, d.Taxes = "", nil
		line := d.Products[w.line(id, "2").ItemID]
		if !strings.Contains(string(line.Taxes), `"tax_subtotal":3.4,"taxable_amount":17,"rates":[{"apply_to":"P"`) {
			w.t.Errorf("the taxes of the line are %s", line.Taxes)
		}
		if diff := cmp.Diff([]string{"2", "Bowl", "1", "18.00", "18", "1.00"}, []string{line.ProductID, line.Product, line.Amount, line.Price, line.Subtotal.String(), line.Share}); diff != "" {
			w.t.Errorf("the line: %s", diff)
		}
		d.Products = nil
		want := shownDocument{
			Kind: "invoice", Number: "INV-2026-1", Total: "26.58", Currency: "USD",
			Seller: map[string]string{"company": "Clay & Co", "address": "", "city": "Oslo", "state": "", "country": "", "zipcode": "", "phone": "", "email": "", "url": ""},
			Buyer: map[string]string{"firstname": "Bo", "lastname": "Adams", "company": "", "email": "bo@example.org", "phone": "", "address": "Road 1", "address_2": "",
				"city": "Oslo", "county": "", "state": "", "country": "NO", "zipcode": "0150"},
			Subtotal: "18", Discount: "1.00", Shipping: "5.50", Surcharge: "0.68", Tax: "3.4", Included: "0", Exempted: "0", Rounding: "0.00",
		}
		if diff := cmp.Diff(want, d); diff != "" {
			w.t.Errorf("the invoice: %s", diff)
		}
		w.Put("/api/2.0/products/2", `{"product": "Vase", "price": 99}`)
		w.Put("/api/2.0/taxes/1", `{"tax": "Duty", "rates": [{"rate_value": 7}]}`)
		w.put(id, `{"user_data": {"b_firstname": "Carl", "email": "carl@example.org"}, "status": "C"}`)
		if err := w.Settings.Set(w.t.Context(), 0, "Company.company_name", "Another"); err != nil {
			w.t.Fatal(err)
		}
		if err := w.API.Erasing(w.t.Context(), shopapi.Person{Email: "carl@example.org"}); err != nil {
			w.t.Fatal(err)
		}
		if after := w.Get(address); after.Body != before.Body {
			w.t.Errorf("the documents changed: %s", cmp.Diff(before.Body, after.Body))
		}
	})
}

// Documents need view_orders; vendors see the documents of their own orders (decisions §26).
func TestOrders_26_DocumentsOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		parent, parts := w.split()
		w.act(parent, "issue_invoice", "", 400)
		w.act(parent, "issue_credit_memo", "", 400)
		numbers := map[string]string{}
		for _, part := range parts {
			number := w.invoice(part)
			numbers[w.get(part).CompanyID] = number
			if company := w.get(part).CompanyID; company == "2" {
				if s := w.documents(part)[0].Seller; s["company"] != "Two" || s["city"] != "Oslo" || s["email"] != "two@example.org" {
					w.t.Errorf("the seller is %v", s)
				}
				if a := w.UserOf(2, "view_orders").Get("/api/2.0/orders/" + part + "/documents"); a.Status != 200 || !strings.Contains(a.Body, number) {
					w.t.Errorf("its own: %d %s", a.Status, a.Body)
				}
			} else if a := w.UserOf(2, "view_orders").Get("/api/2.0/orders/" + part + "/documents"); a.Status != 404 {
				w.t.Errorf("another's: %d %s", a.Status, a.Body)
			}
		}
		if numbers["1"] != numbers["2"] {
			w.t.Errorf("each company counts for itself: %v", numbers)
		}
		if a := w.User("view_users").Get("/api/2.0/orders/" + parts[0] + "/documents"); a.Status != 403 {
			w.t.Errorf("without view_orders: %d %s", a.Status, a.Body)
		}
		if a := w.Delete("/api/2.0/orders/" + parent); a.Status != 400 || !strings.Contains(a.Body, numbers["1"]) {
			w.t.Errorf("the parent was deleted: %d %s", a.Status, a.Body)
		}
		w.put(parent, `{"status": "C"}`)
	})
}

// An order with an issued number refuses changes of content and of amounts, by the number;
// the rest stays free. It is not deleted (decisions §26).
func TestOrders_26_InvoicedOrdersAreFrozen(t *testing.T) {
	eachStore(t, func(w *world) {
		id := w.place(`{"1": {"amount": 2}, "2": {"amount": 1}}`)
		number := w.invoice(id)
		asked := 0
		w.Orders.Destinations(func(context.Context, orders.Address) []int64 { asked++; return []int64{7} })
		for payload, names := range map[string]string{
			`{"products": {"2": {"amount": 1}}}`:                         "products",
			`{"products": {"2": {"amount": 1}, "1": {"amount": 3}}}`:     "products",
			`{"products": {"2": {"price": 1}, "1": {"amount": 2}}}`:      "products",
			`{"shipping_id": 2}`:                                         "shipping_id",
			`{"payment_id": 1}`:                                          "payment_id",
			`{"subtotal_discount": 1}`:                                   "subtotal_discount",
			`{"shipping_cost": 1, "payment_surcharge": 1, "total": 1}`:   "shipping_cost payment_surcharge total",
			`{"tax_exempt": "Y"}`:                                        "tax_exempt",
			`{"reprice": "Y"}`:                                           "reprice",
			`{"user_data": {"b_country": "NO", "s_zipcode": "0150"}}`:    "user_data[b_country] user_data[s_zipcode]",
			`{"recalculate": "N", "total": "1.00"}`:                      "total",
			`{"user_data": {"s_state": "03", "b_state": "03"}}`:          "user_data[b_state] user_data[s_state]",
			`{"user_data": {"s_country": "EE", "b_zipcode": "LV-1001"}}`: "user_data[b_zipcode] user_data[s_country]",
		} {
			w.refuses("PUT", "orders/"+id, payload, strings.Fields(names)...)
			if a := w.Put("/api/2.0/orders/"+id, payload); !strings.Contains(a.Body, number) {
				w.t.Errorf("PUT %s does not name the number: %s", payload, a.Body)
			}
		}
		item := w.line(id, "1").ItemID
		for _, free := range []string{
			`{"status": "P"}`, `{"notes": "a", "details": "b"}`, `{"user_data": {"s_firstname": "Bo", "s_address": "Lane 2", "s_city": "Liepaja", "email": "bo@example.org"}}`,
			`{"repaid": "1.00", "payment_info": {"transaction_id": "T-1"}}`, `{"invoice_id": "other", "credit_memo_id": "CM", "invoice_date": "1", "credit_memo_date": 1}`,
		} {
			w.put(id, free)
		}
		w.put(id, w.Get("/api/2.0/orders/"+id).Body)
		w.wantFields("numbers and dates are ignored", id, fields{"invoice_id": number, "credit_memo_id": "", "credit_memo_date": "", "total": "58.10", "repaid": "1.00"})
		w.made("shipments", `{"order_id": `+id+`, "shipping_id": 1, "products": {"`+item+`": 1}}`)
		if a := w.Delete("/api/2.0/orders/" + id); a.Status != 400 || !strings.Contains(a.Body, number) {
			w.t.Errorf("it was deleted: %d %s", a.Status, a.Body)
		}
		if asked != 0 {
			w.t.Errorf("the destinations of an invoiced order were asked for %d times", asked)
		}
	})
}

// Before an invoice is issued invoice_id is free text. An order with one counts as invoiced
// elsewhere: issue_invoice answers 200 with it, nothing is frozen, and it has no memos
// (decisions §26).
func TestOrders_26_InvoicedElsewhere(t *testing.T) {
	o, _ := in2026()
	eachStoreWith(t, o, func(w *world) {
		id, other := w.place(`{"2": {"amount": 1}}`), w.place(`{"2": {"amount": 1}}`)
		w.put(id, `{"invoice_id": "INV-2026-1", "credit_memo_id": "C-9"}`) // as none is issued yet
		if a := w.act(id, "issue_invoice", "", 200); a.Field("invoice_id") != "INV-2026-1" || !strings.Contains(a.Body, `"invoice_date":null`) {
			w.t.Errorf("invoiced elsewhere: %s", a.Body)
		}
		w.put(id, `{"total": "1.00"}`)
		w.act(id, "issue_credit_memo", "", 400)
		if list := w.documents(id); len(list) != 0 {
			w.t.Errorf("it has documents: %v", list)
		}
		if n := w.invoice(other); n != "INV-2026-2" {
			w.t.Errorf("the text of another order is not passed over: %s", n)
		}
		third := w.place(`{"2": {"amount": 1}}`)
		for _, wrong := range []string{"INV-2026-7", "INV-1999-1", "INV-2026-2"} {
			w.refuses("PUT", "orders/"+third, `{"invoice_id": "`+wrong+`"}`, "invoice_id")
		}
		w.put(third, `{"invoice_id": "collective 1", "credit_memo_id": "CM-2026-1"}`) // no memo is issued yet
		w.put(id, `{"invoice_id": "collective 1"}`)
		w.act(other, "issue_credit_memo", `{"shipping_cost": 1}`, 201)
		w.wantFields("the text of another order is passed over", other, fields{"credit_memo_id": "CM-2026-2"})
		w.refuses("PUT", "orders/"+id, `{"credit_memo_id": "CM-2026-9"}`, "credit_memo_id")
		if a := w.Delete("/api/2.0/orders/" + id); a.Status != 204 {
			w.t.Errorf("it is not deleted: %d %s", a.Status, a.Body)
		}
	})
}

// Numbers have no gaps, with rollbacks and many at once (decisions §26).
func TestOrders_26_NumbersHaveNoGaps(t *testing.T) {
	o, _ := in2026()
	eachStoreWith(t, o, func(w *world) {
		const n = 12
		var ids []int64
		for range n {
			ids = append(ids, idOf(w.t, w.place(`{"4": {"amount": 1}}`)))
		}
		errRollback := errors.New("rolled back")
		numbers := make([]string, n)
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				err := w.st.Update(w.t.Context(), func(ctx context.Context, _ store.Tx) error {
					if _, err := w.Orders.IssueInvoice(ctx, id); err != nil {
						return err
					}
					return errRollback
				})
				if !errors.Is(err, errRollback) {
					w.t.Errorf("the transaction of order %d: %v", id, err)
				}
				d, err := w.Orders.IssueInvoice(w.t.Context(), id)
				if err != nil {
					w.t.Error(err)
				}
				numbers[i] = d.Number
			})
		}
		all.Wait()
		want, got := map[string]bool{}, map[string]bool{}
		for i := range n {
			want[fmt.Sprintf("INV-2026-%d", i+1)], got[numbers[i]] = true, true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Error(diff)
		}
	})
}

// The counter is a row per company, kind and, where the form has {year}, year in the shop's
// time zone; dates do not decrease with the numbers (decisions §26).
func TestOrders_26_CountersByYear(t *testing.T) {
	t.Parallel()
	o, clock := in2026()
	w := newWorld(t, unclosed{shoptest.Memory(t)}, o)
	setting := func(name, value string) {
		t.Helper()
		if err := w.Settings.Set(t.Context(), 0, name, value); err != nil {
			t.Fatal(err)
		}
	}
	next := func(want string) string {
		t.Helper()
		id := w.place(`{"4": {"amount": 1}}`)
		if got := w.invoice(id); got != want {
			t.Errorf("the number is %s, want %s", got, want)
		}
		return w.Get("/api/2.0/orders/" + id).Field("invoice_date")
	}
	first := next("INV-2026-1")
	clock.Advance(-time.Hour)
	if back := next("INV-2026-2"); back != first {
		t.Errorf("after the clock went back the date is %s, before it %s", back, first)
	}
	clock.Set(time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC))
	next("INV-2026-3")
	setting(shopapi.SettingTimeZone, "Europe/Oslo") // where it is 2027
	next("INV-2027-1")
	setting(shopapi.SettingInvoiceForm, "R{number}/A")
	next("R1/A")
	clock.Set(time.Date(2028, 1, 2, 0, 0, 0, 0, time.UTC))
	next("R2/A")
	setting(shopapi.SettingInvoiceForm, "{number}-{year}")
	next("1-2028")
}

// The form must contain {number}; the next number may be any above the highest that was
// given, for root (decisions §26).
func TestOrders_26_SettingsOfNumbers(t *testing.T) {
	o, _ := in2026()
	eachStoreWith(t, o, func(w *world) {
		ids := map[string]string{}
		var list struct {
			Settings []struct {
				ID    string `json:"object_id"`
				Name  string
				Value string
			}
		}
		w.Get("/api/2.0/settings?items_per_page=100").Decode(&list)
		for _, s := range list.Settings {
			ids[s.Name] = "settings/" + s.ID
		}
		value := func(name, want string) {
			w.t.Helper()
			if got := w.Get("/api/2.0/" + ids[name]).Field("value"); got != want {
				w.t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		set := func(name, value string, want int) {
			w.t.Helper()
			if a := w.Put("/api/2.0/"+ids[name], `{"value": "`+value+`"}`); a.Status != want {
				w.t.Errorf("%s = %s: %d %s, want %d", name, value, a.Status, a.Body, want)
			}
		}
		value("invoice_form", "INV-{year}-{number}")
		value("credit_memo_form", "CM-{year}-{number}")
		value("invoice_next", "1")
		for _, wrong := range []string{"", "INV", "INV-{nummer}", "{number}{x}", strings.Repeat("x", 100) + "{number}", `{number}\u0007`} {
			set("invoice_form", wrong, 400)
		}
		set("invoice_next", "41", 200)
		value("invoice_next", "41")
		set("invoice_next", "40", 200) // no number was given yet
		id := w.place(`{"2": {"amount": 1}}`)
		if n := w.invoice(id); n != "INV-2026-40" {
			w.t.Errorf("the number is %s", n)
		}
		value("invoice_next", "41")
		for _, wrong := range []string{"40", "0", "-1", "x", "41.5", "1000000000000", ""} {
			set("invoice_next", wrong, 400)
		}
		set("invoice_next", "41", 200) // as it is
		set("credit_memo_next", "7", 200)
		w.act(id, "issue_credit_memo", "", 201)
		w.wantFields("the memo", id, fields{"credit_memo_id": "CM-2026-7"})
		if a := w.User("view_settings", "manage_settings").Put("/api/2.0/"+ids["invoice_next"], `{"value": 99}`); a.Status != 403 {
			w.t.Errorf("not root: %d %s", a.Status, a.Body)
		}
		if a := w.Put("/api/2.0/"+ids["invoice_next"], `{"value": 99, "company_id": 2}`); a.Status != 400 {
			w.t.Errorf("a company that there is not: %d %s", a.Status, a.Body)
		}
		if a := w.Put("/api/2.0/"+ids["invoice_next"], `{"value": null}`); a.Status != 400 {
			w.t.Errorf("a counter was reset: %d %s", a.Status, a.Body)
		}
		set("invoice_next", "50", 200)
		w.refuses("PUT", "orders/"+w.place(`{"4": {"amount": 1}}`), `{"invoice_id": "INV-2026-9"}`, "invoice_id") // the counter was raised
	})
}

// company_id names the company of the next number; the default is company 1
// (decisions §26).
func TestOrders_26_NextNumbersOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		_, parts := w.split()
		var list struct {
			Settings []struct {
				ID   string `json:"object_id"`
				Name string
			}
		}
		w.Get("/api/2.0/settings?items_per_page=100").Decode(&list)
		for _, s := range list.Settings {
			if s.Name != "invoice_next" {
				continue
			}
			if a := w.Put("/api/2.0/settings/"+s.ID, `{"value": 30, "company_id": 2}`); a.Status != 200 {
				w.t.Fatal(a.Body)
			}
			for query, want := range map[string]string{"": "1", "?company_id=1": "1", "?company_id=2": "30"} {
				if got := w.Get("/api/2.0/settings/" + s.ID + query).Field("value"); got != want {
					w.t.Errorf("%s: %s, want %s", query, got, want)
				}
			}
		}
		for _, part := range parts {
			want := map[string]string{"1": "-1", "2": "-30"}[w.get(part).CompanyID]
			if n := w.invoice(part); !strings.HasSuffix(n, want) {
				w.t.Errorf("the invoice of company %s is %s", w.get(part).CompanyID, n)
			}
		}
	})
}
