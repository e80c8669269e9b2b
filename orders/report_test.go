package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
)

// report returns the rows of a report as text.
func (w *world) report(r orders.Report) string {
	w.t.Helper()
	if r.To == 0 {
		r.To = 1 << 40
	}
	list, err := w.Orders.Report(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	texts := make([]string, len(list))
	for i, row := range list {
		texts[i] = fmt.Sprintf("%s%s%d: %d %d %s %v", row.Day, row.Status, row.ID, row.Orders, row.Items, row.Total, row.Counted)
	}
	return strings.Join(texts, ", ")
}

func TestE12_Reports(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		w.place(`{"1": {"amount": 2, "product_options": {"1": "1", "2": "3"}}, "2": {"amount": 1}}`) // 43.00 + 6.50 + 8.60
		w.place(`{"2": {"amount": 1}}`)                                                              // 18.00 + 5.50 + 3.60
		w.Clock.Advance(24 * 60 * 60 * 1e9)
		cancelled := w.place(`{"2": {"amount": 2}}`)
		last := w.place(`{"4": {"amount": 1}}`)
		w.put(cancelled, `{"status": "I"}`)
		day := w.Clock.Now().Format("2006-01-02")
		before := w.Clock.Now().AddDate(0, 0, -1).Format("2006-01-02")
		total := w.get(last).Total
		for name, c := range map[string]struct {
			asked orders.Report
			want  string
		}{
			"days":    {orders.Report{}, before + "0: 2 4 85.20 true, " + day + "0: 1 1 " + total + " true"},
			"a day":   {orders.Report{From: w.Clock.Now().Unix()}, day + "0: 1 1 " + total + " true"},
			"product": {orders.Report{By: orders.ByProduct}, "1: 1 2 25.00 true, 2: 2 2 36.00 true, 4: 1 1 5.00 true"},
			"status":  {orders.Report{By: orders.ByStatus, Statuses: []string{"I"}}, "I0: 1 2 49.20 false"},
			"letters": {orders.Report{By: orders.ByCompany, Statuses: []string{"I"}}, "1: 1 2 49.20 true"},
			"nobody":  {orders.Report{UserID: new(int64)}, ""},
		} {
			if got := w.report(c.asked); got != c.want {
				w.t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		// An order that changes is summed as it is now.
		w.put(last, `{"products": {"4": {"amount": 3}}}`)
		if got := w.report(orders.Report{By: orders.ByProduct, From: w.Clock.Now().Unix()}); got != "4: 1 3 15.00 true" {
			w.t.Errorf("after a change: %s", got)
		}
	})
}

// Orders of several vendors count by their parts.
func TestE12_ReportsByCompany(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		w.split()
		if got, want := w.report(orders.Report{By: orders.ByCompany}), "1: 1 1 27.81 true, 2: 1 2 13.96 true"; got != want {
			w.t.Errorf("by company: %s, want %s", got, want)
		}
	})
}
