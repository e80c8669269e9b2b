package orders_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/resource"
)

// sums are the amounts of a document in short form.
func (d *shownDocument) sums() string {
	return fmt.Sprintf("%s: %s - %s + %s + %s + %s - %s + %s = %s", d.Kind, d.Subtotal, d.Discount, d.Shipping, d.Surcharge, d.Tax, d.Exempted, d.Rounding, d.Total)
}

// wantSums checks the documents of an order.
func (w *world) wantSums(id string, want ...string) {
	w.t.Helper()
	var got []string
	for _, d := range w.documents(id) {
		got = append(got, d.sums())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("the documents of order %s: %s", id, diff)
	}
}

// Pieces take their proportion of their line with its share of the discount and its taxes;
// shipping and surcharge are sent without added taxes; a memo without a body credits the
// rest. Each is answered by its number and date, and the order shows the last
// (decisions §26).
func TestOrders_26_CreditMemos(t *testing.T) {
	o, clock := in2026()
	eachStoreWith(t, o, func(w *world) {
		w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 20}, {"apply_to": "S", "rate_value": 10}]}`)
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "1"}`)
		// 37.50 + 18.00 - 5.00, shipping 7.00, taxes 10.10 + 0.70, surcharge 1.73
		id := w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 1, "shipping_id": 1, "subtotal_discount": 5, "products": {"1": {"amount": 3}, "2": {"amount": 1}}}`, w.user()))
		w.act(id, "issue_credit_memo", "", 400) // none before the invoice
		w.invoice(id)
		item := w.line(id, "1").ItemID
		clock.Advance(1)
		// A third of 37.50 - 3.38 with a third of 6.82 tax.
		a := w.act(id, "issue_credit_memo", `{"products": {"`+item+`": {"amount": 1}}, "shipping_cost": "5.00", "payment_surcharge": "0", "total": "19.14"}`, 201)
		if n, date := a.Field("credit_memo_id"), a.Field("credit_memo_date"); n != "CM-2026-1" || date != shopapi.FormatID(clock.Now().Unix()) {
			w.t.Errorf("the first memo is %s", a.Body)
		}
		w.act(id, "issue_credit_memo", `{"total": "10.00"}`, 201)
		w.act(id, "issue_credit_memo", `{"products": {"`+item+`": {"amount": 2}}}`, 201)
		w.act(id, "issue_credit_memo", "", 201)
		w.act(id, "issue_credit_memo", "", 400) // where nothing is left
		w.wantFields("the last", id, fields{"credit_memo_id": "CM-2026-4", "credit_memo_date": a.Field("credit_memo_date")})
		w.wantHistory(id, "created", "invoice INV-2026-1", "credit_memo CM-2026-1", "credit_memo CM-2026-2", "credit_memo CM-2026-3", "credit_memo CM-2026-4")
		w.checkMemos(id)
		if a := w.Get("/api/2.0/orders/" + id + "/documents?items_per_page=2&page=3"); a.Status != 200 || strings.Count(a.Body, `"kind"`) != 1 ||
			!strings.Contains(a.Body, "CM-2026-4") || !strings.Contains(a.Body, `"total_items":"5"`) {
			w.t.Errorf("the last page of documents: %d %s", a.Status, a.Body)
		}
		first := w.documents(id)[1]
		if got, want := first.sums(), "credit_memo: 12.5 - 1.13 + 5.00 + 0.00 + 2.77 - 0 + 0.00 = 19.14"; got != want {
			w.t.Errorf("the first memo is %s, want %s", got, want)
		}
		if l := first.Products[item]; len(first.Products) != 1 || l.Amount != "1" || l.Price != "12.50" {
			w.t.Errorf("its lines are %+v", first.Products)
		}
	})
}

// checkMemos checks that the memos of an order are together its invoice, in every amount.
func (w *world) checkMemos(id string) {
	w.t.Helper()
	list, _, err := w.Orders.Documents(w.t.Context(), idOf(w.t, id), resource.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	if want, got := creditedAmounts(list[:1]), creditedAmounts(list[1:]); !cmp.Equal(want, got) {
		w.t.Errorf("the memos are not the invoice: %s", cmp.Diff(want, got))
	}
	for i := range list {
		d := &list[i]
		sum := decimal.MustParse("0.00")
		for _, amount := range []decimal.Decimal{d.Subtotal, d.SubtotalDiscount.Neg(), d.ShippingCost, d.PaymentSurcharge, d.TaxSubtotal, d.TaxExempted.Neg(), d.TotalAdjustment} {
			sum, _ = sum.Add(amount)
		}
		if !sum.Equal(d.Total) || !d.Total.IsPos() {
			w.t.Errorf("%s %s of %s is not the sum of its parts, %s", d.Kind, d.Number, d.Total, sum)
		}
	}
}

// creditedAmounts adds up the amounts of documents by part.
func creditedAmounts(list []orders.Document) map[string]string {
	sums := map[string]decimal.Decimal{}
	add := func(name string, amount decimal.Decimal) {
		sum, _ := sums[name].Add(amount)
		sums[name] = sum
	}
	for i := range list {
		d := &list[i]
		for _, of := range []struct {
			name   string
			amount decimal.Decimal
		}{
			{"subtotal", d.Subtotal}, {"discount", d.SubtotalDiscount}, {"shipping", d.ShippingCost}, {"surcharge", d.PaymentSurcharge}, {"added", d.TaxSubtotal},
			{"included", d.TaxIncluded}, {"exempted", d.TaxExempted}, {"rounding", d.TotalAdjustment}, {"total", d.Total},
		} {
			add(of.name, of.amount)
		}
		for _, l := range d.Lines {
			of := fmt.Sprintf("line %d ", l.ItemID)
			add(of, l.Subtotal)
			add(of+"share", l.SubtotalDiscount)
			for _, t := range l.Taxes {
				add(of+fmt.Sprint("tax ", t.TaxID), t.Subtotal)
				add(of+fmt.Sprint("taxable ", t.TaxID), t.Taxable)
			}
		}
		for _, t := range d.Taxes {
			of := fmt.Sprintf("tax %d ", t.TaxID)
			add(of+"P", t.Products)
			add(of+"S", t.Shipping)
			add(of+"PS", t.Surcharge)
		}
	}
	texts := map[string]string{}
	for name, sum := range sums {
		if !sum.IsZero() {
			texts[name] = sum.Pad(2).String()
		}
	}
	return texts
}

// Whatever series of memos credits an invoice, they are together the invoice, in each part
// and each tax, and none has a negative amount (decisions §26).
func TestOrders_26_MemosAddUpToTheInvoice(t *testing.T) {
	for name, exempt := range map[string]string{"added and included taxes": "N", "exempt": "Y"} {
		t.Run(name, func(t *testing.T) {
			w := newMemoryWorld(t)
			w.made("taxes", `{"tax": "Included", "price_includes_tax": "Y", "rates": [{"rate_value": 7}, {"apply_to": "S", "rate_value": 7}]}`)
			w.made("taxes", `{"tax": "Fixed", "price_includes_tax": "Y", "priority": 2, "rates": [{"rate_value": "0.33", "rate_type": "F"}]}`)
			w.Put("/api/2.0/taxes/1", `{"rates": [{"rate_value": 20}, {"apply_to": "S", "rate_value": 19}]}`)
			w.Put("/api/2.0/products/1", `{"tax_ids": "1,2,3"}`)
			w.Put("/api/2.0/products/2", `{"tax_ids": "2"}`)
			w.Put("/api/2.0/shippings/1", `{"tax_ids": "1,2"}`)
			w.Put("/api/2.0/payments/1", `{"tax_ids": "1,2"}`)
			random := rand.New(rand.NewPCG(7, 26))
			for range 12 {
				id := w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 1, "shipping_id": 1, "tax_exempt": %q, "take_stock": "N", "subtotal_discount": "%d.%02d",
					"products": {"1": {"amount": %d}, "2": {"amount": %d}, "4": {"amount": 2}}}`, w.user(), exempt, random.IntN(20), random.IntN(100), 1+random.IntN(7), 1+random.IntN(3)))
				total := decimal.MustParse(w.get(id).Total)
				rounding := []string{"0", "0.04", "-0.05", "0.01"}[random.IntN(4)]
				total, _ = total.Add(decimal.MustParse(rounding))
				w.put(id, `{"total": "`+total.String()+`"}`)
				w.invoice(id)
				items := []string{w.line(id, "1").ItemID, w.line(id, "2").ItemID, w.line(id, "4").ItemID}
				for range 10 {
					body := fmt.Sprintf(`{"total": "%d.%02d"}`, random.IntN(12), random.IntN(100))
					switch random.IntN(3) {
					case 0:
						body = fmt.Sprintf(`{"products": {"%s": {"amount": %d}}, "payment_surcharge": "0.%02d"}`, items[random.IntN(3)], 1+random.IntN(3), random.IntN(60))
					case 1:
						body = fmt.Sprintf(`{"shipping_cost": "%d.%02d"}`, random.IntN(4), random.IntN(100))
					}
					w.Post("/api/2.0/orders/"+id+"/issue_credit_memo", body) // more than is left is 400
				}
				w.Post("/api/2.0/orders/"+id+"/issue_credit_memo", "")
				w.checkMemos(id)
			}
		})
	}
}

// An order is invoiced and credited also where its taxes, each rounded once for the order, give
// a line of a few cents more included tax than the line costs (decisions §26).
func TestOrders_26_InvoicesOfLinesBelowTheirIncludedTaxes(t *testing.T) {
	for _, exempt := range []string{"N", "Y"} {
		t.Run("tax_exempt "+exempt, func(t *testing.T) {
			w := newMemoryWorld(t)
			w.FixSetting("General.tax_rounding", "order")
			w.made("taxes", `{"tax": "First", "price_includes_tax": "Y", "rates": [{"rate_value": 19}]}`)
			w.made("taxes", `{"tax": "Second", "price_includes_tax": "Y", "rates": [{"rate_value": 90}]}`)
			var lines, ids []string
			for range 7 {
				id := w.made("products", `{"product": "Bead", "category_ids": [1], "price": "0.01", "amount": 9, "tax_ids": "2,3"}`)
				ids, lines = append(ids, id), append(lines, `"`+id+`": {"amount": 1}`)
			}
			id := w.made("orders", fmt.Sprintf(`{"user_id": %s, "payment_id": 2, "shipping_id": 1, "tax_exempt": %q, "products": {%s}}`, w.user(), exempt, strings.Join(lines, ", ")))
			above, pieces := "", []string{}
			for _, product := range ids {
				line := w.line(id, product)
				pieces = append(pieces, `"`+line.ItemID+`": {"amount": 1}`)
				if line.Tax.String() == "0.02" {
					above = line.ItemID
				}
			}
			if exempt == "N" && above == "" {
				t.Fatalf("no line has a tax above its price: %s", w.Get("/api/2.0/orders/"+id).Body)
			}
			w.invoice(id)
			w.act(id, "issue_credit_memo", `{"total": "2.53"}`, 201)
			w.act(id, "issue_credit_memo", `{"products": {`+strings.Join(pieces[:3], ", ")+`}, "shipping_cost": "1.11"}`, 201)
			w.act(id, "issue_credit_memo", "", 201)
			w.checkMemos(id)
		})
	}
}

// Nothing exceeds the remainder of its part; pieces, totals and empty memos that do not fit
// are 400, and change nothing (decisions §26).
func TestOrders_26_MemosThatAreRefused(t *testing.T) {
	o, _ := in2026()
	eachStoreWith(t, o, func(w *world) {
		id := w.made("orders", strings.Replace(w.order(`{"1": {"amount": 2}, "2": {"amount": 1}}`), `"payment_id": 2`, `"payment_id": 1`, 1)) // 43.00 + 6.50 + 8.60 + 1.49 = 59.59
		w.put(id, `{"total": "59.55"}`)
		w.invoice(id)
		item, free := w.line(id, "1").ItemID, w.line(id, "2").ItemID
		w.act(id, "issue_credit_memo", `{"products": {"`+item+`": {"amount": 1}}, "shipping_cost": "2.00"}`, 201) // 12.50 + 2.50 + 2.00
		before := w.Get("/api/2.0/orders/" + id + "/documents").Body
		for body, names := range map[string]string{
			`{"products": {"` + item + `": {"amount": 2}}}`:   "products[" + item + "][amount]",
			`{"products": {"` + item + `": {"amount": 0}}}`:   "products[" + item + "][amount]",
			`{"products": {"` + item + `": {"amount": 1.5}}}`: "products[" + item + "][amount]",
			`{"products": {"` + item + `": {}}}`:              "products[" + item + "][amount]",
			`{"products": {"1": {"amount": 1}}}`:              "products[1]",
			`{"products": {}}`:                                "products",
			`{"products": [1]}`:                               "products",
			`{"products": {"x": {"amount": 1}}}`:              "products",
			`{"products": {"` + item + `": 1}}`:               "products",
			`{"shipping_cost": "4.51"}`:                       "shipping_cost",
			`{"shipping_cost": "-1"}`:                         "shipping_cost",
			`{"shipping_cost": "1.234"}`:                      "shipping_cost",
			`{"shipping_cost": "0"}`:                          "total",
			`{"shipping_cost": "0", "payment_surcharge": 0}`:  "total",
			`{"payment_surcharge": "1.50"}`:                   "payment_surcharge",
			`{"total": "42.56"}`:                              "total",
			`{"total": 0}`:                                    "total",
			`{"total": 1e30}`:                                 "total",
			`{"total": "NaN"}`:                                "total",
			`{"shipping_cost": "1.00", "total": "1.01"}`:      "total",
		} {
			w.refuses("POST", "orders/"+id+"/issue_credit_memo", body, names)
		}
		if after := w.Get("/api/2.0/orders/" + id + "/documents").Body; after != before {
			w.t.Errorf("a refused memo changed the documents: %s", cmp.Diff(before, after))
		}
		// All that is left: 42.55 with the rounding, of which pieces leave less than they are worth.
		w.act(id, "issue_credit_memo", `{"products": {"`+item+`": {"amount": 1}, "`+free+`": {"amount": 1}}, "shipping_cost": "4.50", "payment_surcharge": "1.49", "total": "42.55"}`, 201)
		w.wantSums(id,
			"invoice: 43 - 0.00 + 6.50 + 1.49 + 8.6 - 0 + -0.04 = 59.55",
			"credit_memo: 12.5 - 0.00 + 2.00 + 0.00 + 2.5 - 0 + 0.00 = 17.00",
			"credit_memo: 30.5 - 0.00 + 4.50 + 1.49 + 6.1 - 0 + -0.04 = 42.55")
		w.refuses("PUT", "orders/"+id, `{"repaid": "59.56"}`, "repaid")
		w.put(id, `{"repaid": "59.55"}`)
	})
}

// An empty body alone credits the whole invoice: a body that is not empty and says nothing of what
// to credit is 400, and issues no memo (decisions §26, §4).
func TestOrders_26_MemosOfBodiesThatCreditNothing(t *testing.T) {
	o, _ := in2026()
	eachStoreWith(t, o, func(w *world) {
		id := w.place(`{"2": {"amount": 1}}`)
		w.invoice(id)
		address := "orders/" + id + "/issue_credit_memo"
		for _, body := range []string{
			`{"product": {"123": {"amount": 1}}}`, `{"foo": 1}`, `{"total": null}`, `{"total": ""}`, `{"products": null}`, `{"products": ""}`,
			`{"shipping_cost": "", "payment_surcharge": null}`,
		} {
			w.refuses("POST", address, body, "products", "total")
		}
		if a := w.Do("POST", "/api/2.0/"+address, "application/x-www-form-urlencoded", "total="); a.Status != 400 {
			w.t.Errorf("a form with an empty total: %d %s", a.Status, a.Body)
		}
		w.wantHistory(id, "created", "invoice INV-2026-1")
		w.act(id, "issue_credit_memo", `{}`, 201)
		w.wantHistory(id, "created", "invoice INV-2026-1", "credit_memo CM-2026-1")
	})
}

// A refused memo takes no number.
func TestOrders_26_RefusedMemosTakeNoNumber(t *testing.T) {
	t.Parallel()
	o, _ := in2026()
	w := newWorld(t, unclosed{shoptest.Memory(t)}, o)
	id := w.place(`{"2": {"amount": 1}}`)
	w.invoice(id)
	w.act(id, "issue_credit_memo", `{"total": "99"}`, 400)
	if n := w.act(id, "issue_credit_memo", `{"total": "1"}`, 201).Field("credit_memo_id"); n != "CM-2026-1" {
		t.Errorf("the number is %s", n)
	}
}
