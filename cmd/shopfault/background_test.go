package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// wantFound fails unless there is exactly one finding with the text, or none for "".
func wantFound(t *testing.T, found []string, want string) {
	t.Helper()
	if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0], want)) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// TestCheck_FindsInShipments each kind of damage.
func TestCheck_FindsInShipments(t *testing.T) {
	want := model{{shipments, 1}: {name: "fault-00-1", version: 2, parent: 5}}
	for name, c := range map[string]struct {
		is   shipment
		want string
	}{
		"whole":         {shipment{1, 5, "fault-00-1 v2", "fault-00-1 v2", map[string]any{"7": "1"}}, ""},
		"half":          {shipment{1, 5, "fault-00-1 v2", "fault-00-1 v1", map[string]any{"7": "1"}}, "half written: shipments/1"},
		"two pieces":    {shipment{1, 5, "fault-00-1 v2", "fault-00-1 v2", map[string]any{"7": "2"}}, "half written: shipments/1"},
		"no line":       {shipment{1, 5, "fault-00-1 v2", "fault-00-1 v2", nil}, "half written: shipments/1"},
		"another order": {shipment{1, 6, "fault-00-1 v2", "fault-00-1 v2", map[string]any{"7": "1"}}, "another state: shipments/1"},
		"older":         {shipment{1, 5, "fault-00-1 v1", "fault-00-1 v1", map[string]any{"7": "1"}}, "another state: shipments/1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &snapshot{models: map[string]model{}}
			s.addShipments([]shipment{c.is})
			wantFound(t, append(s.broken, want.differences(s.models["fault-00"])...), c.want)
		})
	}
}

// TestCheck_FindsInCarts each kind of damage.
func TestCheck_FindsInCarts(t *testing.T) {
	goods, owners := sale{product: 7, other: 9}, map[int64]string{3: "fault-00"}
	want := model{{carts, 3}: {name: "fault-00-cart", version: 1}}
	for name, c := range map[string]struct {
		lines []line
		want  string
	}{
		"whole":           {[]line{{7, 2}, {9, 2}}, ""},
		"half":            {[]line{{7, 2}, {9, 1}}, "half written: carts/3"},
		"one line":        {[]line{{7, 2}}, "half written: carts/3"},
		"another product": {[]line{{7, 2}, {8, 2}}, "half written: carts/3"},
		"older":           {[]line{{7, 1}, {9, 1}}, "another state: carts/3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &snapshot{models: map[string]model{}}
			s.addCarts([]cart{{3, c.lines}}, goods, owners)
			found := append(s.broken, want.differences(s.models["fault-00"])...)
			if strings.HasPrefix(c.want, "half") {
				found = s.broken
			}
			wantFound(t, found, c.want)
		})
	}
}

// TestCheck_FindsInCombinations: the stock of a combination is that of its product.
func TestCheck_FindsInCombinations(t *testing.T) {
	goods := sale{product: 7, other: 9}
	for name, c := range map[string]struct {
		stock, combined int
		want            string
	}{
		"whole":           {firstStock - 2, firstStock - 2, ""},
		"not taken":       {firstStock, firstStock, "1000002 in all"},
		"the sum differs": {firstStock - 2, firstStock, "that of its only combination 1000000"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &snapshot{models: map[string]model{}, stock: map[int64]int{7: firstStock, 9: c.stock}, combined: c.combined}
			s.addOrders([]order{sold(1, 9, 2)}, goods)
			wantFound(t, s.broken, c.want)
		})
	}
}

// TestJob_Problems: a job does each row once.
func TestJob_Problems(t *testing.T) {
	for name, c := range map[string]struct {
		is    job
		first bool
		want  string
	}{
		"first":       {job{Status: "completed", Rows: importedRows, Created: importedRows}, true, ""},
		"later":       {job{Status: "completed", Rows: importedRows, Updated: importedRows}, false, ""},
		"twice":       {job{Status: "completed", Rows: importedRows, Updated: importedRows - 1, Unchanged: 1}, false, "each done once"},
		"too many":    {job{Status: "completed", Rows: importedRows + 1, Created: importedRows, Unchanged: 1}, true, "each done once"},
		"rows failed": {job{Status: "completed", Rows: importedRows, Updated: importedRows - 1, Failed: 1}, false, "each done once"},
		"failed":      {job{Status: "failed", Rows: importedRows, Created: importedRows}, true, "each done once"},
	} {
		t.Run(name, func(t *testing.T) { wantFound(t, c.is.problems("jobs/1", c.first), c.want) })
	}
}

// TestCheck_FindsInImports: imported products are there once, whole, and of the last import.
func TestCheck_FindsInImports(t *testing.T) {
	imported := func() (list []product) {
		for i := range importedRows {
			list = append(list, product{ID: int64(i), Code: codePrefix + strings.Repeat("x", i), Price: "4.00", Amount: 4})
		}
		return list
	}
	for name, c := range map[string]struct {
		harm   func(*[]product)
		number int
		want   string
	}{
		"whole":     {func(*[]product) {}, 4, ""},
		"half":      {func(p *[]product) { (*p)[3].Price = "3.00" }, 4, "half written: products/3"},
		"older":     {func(p *[]product) { (*p)[3].Price, (*p)[3].Amount = "3.00", 3 }, 4, "products/3 is of import 3, want 4"},
		"meanwhile": {func(p *[]product) { (*p)[3].Price, (*p)[3].Amount = "3.00", 3 }, 0, ""},
		"twice":     {func(p *[]product) { *p = append(*p, (*p)[0]) }, 4, "2 products have the code"},
		"lost":      {func(p *[]product) { *p = (*p)[1:] }, 4, "1199 products were imported"},
	} {
		t.Run(name, func(t *testing.T) {
			list, s := imported(), &snapshot{models: map[string]model{}}
			c.harm(&list)
			s.addImported(list, c.number)
			wantFound(t, s.broken, c.want)
		})
	}
}

// TestReceiver_Missing: the last change of each order has a message that came after it was
// requested.
func TestReceiver_Missing(t *testing.T) {
	r := &receiver{got: map[message]time.Time{}}
	send := func(body string) int {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		return w.Code
	}
	change := func(method string, id int64) *operation {
		return &operation{request: request{method: method}, key: key{orders, id}, sent: time.Now()}
	}
	p := promise{}
	p.note(change("POST", 1))
	p.note(&operation{request: request{method: "POST"}, key: key{categories, 2}, sent: time.Now()})
	wantFound(t, r.missing(p), "orders/1, created")
	if code := send(`{"data": {"id": "1", "op": "created"}}`); code != http.StatusNoContent {
		t.Errorf("a message is answered %d", code)
	}
	wantFound(t, r.missing(p), "")
	send(`{"data": {"id": "1", "op": "updated"}}`)
	p.note(change("PUT", 1))
	wantFound(t, r.missing(p), "orders/1, updated")
	send(`{"data": {"id": "1", "op": "updated"}}`)
	wantFound(t, r.missing(p), "")
	p.note(change("PUT", 1))
	p.note(change("DELETE", 1))
	wantFound(t, r.missing(p), "orders/1, deleted")
	send(`{"data": {"id": "1", "op": "deleted"}}`)
	wantFound(t, r.missing(p), "")
}
