package pull_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bytes"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/internal/pulltest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// request sends a request of the administrator, and fails the test unless the answer has the
// status.
func request(t *testing.T, sh *shop.Shop, method, path, body string, status int) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/2.0/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(email, key)
	w := httptest.NewRecorder()
	sh.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s answers %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	return w.Body.String()
}

// keeping are options of a run that has the key of the old administrator go on.
func keeping(url string) pull.Options {
	o := from(url)
	o.Keys = map[string]string{email: key}
	return o
}

// place places an order of three pieces, and returns its id.
func place(t *testing.T, sh *shop.Shop, with string) int64 {
	t.Helper()
	answer := request(t, sh, "POST", "orders", `{"payment_id": 1, "shipping_id": 1, "products": {"1": {"product_id": 1, "amount": 3}}, "user_data": {
		"email": "ana@example.org", "b_firstname": "Ana", "b_lastname": "Petrov", "b_address": "Harbour Road 1", "b_city": "London",
		"b_country": "GB", "b_zipcode": "N1 4AB", "s_firstname": "Ana", "s_lastname": "Petrov", "s_address": "Harbour Road 1",
		"s_city": "London", "s_country": "GB", "s_zipcode": "N1 4AB"}`+with+`}`, http.StatusCreated)
	var made struct {
		OrderID int64 `json:"order_id,string"`
	}
	if err := json.Unmarshal([]byte(answer), &made); err != nil {
		t.Fatal(err)
	}
	return made.OrderID
}

// invoicedShop is an old shop with three invoiced orders: the first has a credit memo of one
// piece, the second is exempt from the tax inside its prices, and the third has a discount.
func invoicedShop(t *testing.T) (st store.Store, sh *shop.Shop, invoiced []int64) {
	t.Helper()
	st = oldShop(t)
	sh = newShop(t, st)
	request(t, sh, "PUT", "taxes/1", `{"status": "A", "price_includes_tax": "Y", "rates": [{"rate_value": 20}, {"apply_to": "S", "rate_value": 10}]}`, 200)
	request(t, sh, "PUT", "products/1", `{"tax_ids": [1], "amount": 100, "status": "A"}`, 200)
	request(t, sh, "PUT", "payments/1", `{"tax_ids": "1", "a_surcharge": "2.00", "status": "A"}`, 200)
	request(t, sh, "PUT", "shippings/1", `{"tax_ids": "1", "status": "A"}`, 200)
	for _, with := range []string{``, `, "tax_exempt": "Y"`, `, "subtotal_discount": "1.01"`} {
		id := place(t, sh, with)
		request(t, sh, "POST", fmt.Sprintf("orders/%d/issue_invoice", id), ``, http.StatusCreated)
		invoiced = append(invoiced, id)
	}
	credit(t, sh, invoiced[0], 1, http.StatusCreated)
	request(t, sh, "PUT", fmt.Sprintf("orders/%d", invoiced[1]), `{"status": "P", "notes": "Ring twice"}`, 200)
	return st, sh, invoiced
}

// credit credits pieces of the only line of an order.
func credit(t *testing.T, sh *shop.Shop, order int64, pieces, status int) string {
	t.Helper()
	o, err := sh.Orders.Get(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	return request(t, sh, "POST", fmt.Sprintf("orders/%d/issue_credit_memo", order),
		fmt.Sprintf(`{"products": {"%d": {"amount": %d}}}`, o.Lines[0].ItemID, pieces), status)
}

// Invoices, credit memos and the history of orders are taken as they are. Orders stay frozen,
// numbers go on, and further credit memos are equal to the old shop's.
func TestE8_DocumentsAndHistory(t *testing.T) {
	t.Parallel()
	old, source, invoiced := invoicedShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	want := tables(t, old)
	everyStore(t, func(t *testing.T, st store.Store) {
		sh := newShop(t, st)
		report := run(t, sh, keeping(url))
		for _, p := range report.Problems {
			t.Errorf("problem: %+v", p)
		}
		if diff := pulltest.Diff(want, tables(t, st)); diff != "" {
			t.Fatal(diff)
		}
		if again := run(t, sh, keeping(url)); again.Written != 0 {
			t.Errorf("the second run wrote %d objects", again.Written)
		}
		agrees(t, st)
		address := fmt.Sprintf("orders/%d", invoiced[0])
		for _, below := range []string{"/documents", "/history"} {
			if got, want := request(t, sh, "GET", address+below, ``, 200), request(t, source, "GET", address+below, ``, 200); got != want {
				t.Errorf("%s answers\n%s, and in the old shop\n%s", below, got, want)
			}
		}
		if answer := request(t, sh, "PUT", address, `{"subtotal_discount": "5.00"}`, 400); !strings.Contains(answer, "is issued") {
			t.Errorf("a change of an invoiced order: %s", answer)
		}
		request(t, sh, "DELETE", address, ``, 400)
	})
	st := memory.New()
	sh := newShop(t, st)
	run(t, sh, keeping(url))
	for _, id := range invoiced {
		pieces := 3
		if id == invoiced[0] {
			pieces = 2
		}
		credit(t, sh, id, pieces, http.StatusCreated)
		credit(t, source, id, pieces, http.StatusCreated)
		request(t, sh, "POST", fmt.Sprintf("orders/%d/issue_credit_memo", id), ``, http.StatusCreated)
		request(t, source, "POST", fmt.Sprintf("orders/%d/issue_credit_memo", id), ``, http.StatusCreated)
	}
	if diff := pulltest.Diff(tables(t, old), tables(t, st)); diff != "" {
		t.Errorf("after the same credit memos in both shops:\n%s", diff)
	}
	agrees(t, st)
}

// agrees fails the test if rows contradict each other.
func agrees(t *testing.T, st store.Store) {
	t.Helper()
	if err := shopcheck.Check(t.Context(), st, func(v shopcheck.Violation) { t.Error(v) }); err != nil {
		t.Error(err)
	}
}

// A later run takes documents and changes that are new, and -quick does too.
func TestE8_DocumentsThatAreNew(t *testing.T) {
	t.Parallel()
	for name, quick := range map[string]bool{"whole": false, "quick": true} {
		t.Run(name, func(t *testing.T) {
			old, source, invoiced := invoicedShop(t)
			later := place(t, source, ``)
			url := serve(t, old, shopapi.DialectDocumented)
			st := memory.New()
			sh := newShop(t, st)
			o := from(url)
			run(t, sh, o)
			credit(t, source, invoiced[0], 1, http.StatusCreated)
			request(t, source, "POST", fmt.Sprintf("orders/%d/issue_invoice", later), ``, http.StatusCreated)
			o.Quick = quick
			if report := run(t, sh, o); report.Written != 2 || len(report.Problems) > 0 {
				t.Errorf("%d objects were written, want 2, problems %+v", report.Written, report.Problems)
			}
			if diff := pulltest.Diff(tables(t, old), tables(t, st)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Where the old shop has no documents, or does not give them, orders keep their numbers, and
// the report says so. Documents that were taken before stay.
func TestE8_DocumentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	old, _, invoiced := invoicedShop(t)
	without := func(status int) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/documents") || strings.HasSuffix(r.URL.Path, "/history") {
					http.Error(w, `{"message":"no"}`, status)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
	}
	st := memory.New()
	sh := newShop(t, st)
	report := run(t, sh, from(serve(t, old, shopapi.DialectDocumented, without(404))))
	if got := report.NotCarried["invoices of orders, whose documents cannot be read"]; len(got) != len(invoiced) {
		t.Errorf("documents that are not carried: %v, want %d", got, len(invoiced))
	}
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "history") || !strings.Contains(notes, "invoices and credit memos") {
		t.Errorf("notes %s", notes)
	}
	got, err := sh.Orders.Get(t.Context(), invoiced[0])
	if err != nil || got.InvoiceID == nil || *got.InvoiceID == "" || got.InvoiceDate != nil {
		t.Errorf("the invoice is %v of %v, %v", got.InvoiceID, got.InvoiceDate, err)
	}
	agrees(t, st)

	st = memory.New()
	sh = newShop(t, st)
	url := serve(t, old, shopapi.DialectDocumented)
	run(t, sh, keeping(url))
	before := tables(t, st)
	first := fmt.Sprintf("/orders/%d/", invoiced[0])
	broken := serve(t, old, shopapi.DialectDocumented, func(next http.Handler) http.Handler {
		refusing := without(500)(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, first) {
				refusing.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	moveSource(t, st, broken)
	report = run(t, sh, from(broken))
	for _, field := range []string{"documents", "history"} {
		if got := problem(report, "orders", fmt.Sprint(invoiced[0]), field); !strings.Contains(got, "500") {
			t.Errorf("%s: problem %q", field, got)
		}
	}
	if diff := pulltest.Diff(before, tables(t, st)); diff != "" {
		t.Errorf("what was taken before (-before +after):\n%s", diff)
	}
	moveSource(t, st, url)
	if report := run(t, sh, keeping(url)); len(report.Problems) > 0 {
		t.Errorf("problems %+v", report.Problems)
	}
	if diff := pulltest.Diff(before, tables(t, st)); diff != "" {
		t.Errorf("after they could be read again (-before +after):\n%s", diff)
	}
}

// The next number of an invoice that was raised in the old shop counts here too.
func TestE8_NextNumbers(t *testing.T) {
	t.Parallel()
	old, source, _ := invoicedShop(t)
	ctx := context.WithoutCancel(t.Context())
	for _, company := range []int64{1, 2} {
		if err := source.Settings.Set(ctx, company, shopapi.SettingInvoiceNext, fmt.Sprint(7000*company)); err != nil {
			t.Fatal(err)
		}
	}
	st := memory.New()
	sh := newShop(t, st)
	run(t, sh, keeping(serve(t, old, shopapi.DialectDocumented)))
	id := place(t, sh, ``)
	if answer := request(t, sh, "POST", fmt.Sprintf("orders/%d/issue_invoice", id), ``, http.StatusCreated); !strings.Contains(answer, "-7000") {
		t.Errorf("the next invoice is %s", answer)
	}
	list, _, err := sh.Orders.Documents(ctx, id, resource.ListOptions{})
	if err != nil || len(list) != 1 || list[0].Kind != orders.Invoice {
		t.Errorf("documents %+v, %v", list, err)
	}
}

// E7: whole exports of orders have their history and documents, as orders/ID/history and
// orders/ID/documents show them, and an import into a new shop writes them.
func TestE7_OrdersMoveWithHistoryAndDocuments(t *testing.T) {
	t.Parallel()
	_, old, invoiced := invoicedShop(t)
	sh := newShop(t, memory.New())
	want := exportLines(t, old, "orders")
	report, problems, err := importFile(t, sh, "orders", want, files.ImportOptions{})
	if err != nil || report.Failed > 0 || len(problems) > 0 || len(report.UnknownColumns) > 0 {
		t.Fatalf("%+v, %v, %v", report, problems, err)
	}
	shown := func(sh *shop.Shop) string {
		var lines bytes.Buffer
		o := files.ExportOptions{ExportOptions: bulk.ExportOptions{Fields: []string{"history", "documents"}}}
		if err := files.Export(t.Context(), &lines, sh.API, "orders", &o); err != nil {
			t.Fatal(err)
		}
		return lines.String()
	}
	if diff := gocmp.Diff(shown(old), shown(sh)); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(shown(sh), `"kind":"invoice"`); n != len(invoiced) {
		t.Errorf("%d invoices, want %d", n, len(invoiced))
	}
	for _, id := range invoiced {
		for _, list := range []string{"history", "documents"} {
			answer := request(t, old, "GET", fmt.Sprintf("orders/%d/%s", id, list), "", http.StatusOK)
			items, _, _ := strings.Cut(answer, `,"params"`)
			if !strings.Contains(shown(sh), items[1:]) {
				t.Errorf("order %d: %s is not in the export", id, items)
			}
		}
	}
	if report, err := files.Import(t.Context(), strings.NewReader(want), sh.API, "orders", nil); err != nil || strings.Join(report.UnknownColumns, ",") != "history,documents" && strings.Join(report.UnknownColumns, ",") != "documents,history" {
		t.Errorf("by the rules: %+v, %v", report, err)
	}
}
