package orders

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/store"
)

// A numbered is an order with the numbers of its documents.
type numbered struct {
	OrderID      int64   `json:"order_id" store:"key"`
	CompanyID    int64   `json:"company_id"`
	InvoiceID    *string `json:"invoice_id"`
	CreditMemoID *string `json:"credit_memo_id"`
}

var numberedOrders = store.Project[numbered](table)

// ContinueNumbers has the next numbers of invoices and credit memos follow the highest ones
// that orders and documents have in the form of their company, whoever wrote them. No
// document that follows has a date before theirs. Programs that copy orders from another shop
// call it (E8). It never lowers a number.
func (o *Orders) ContinueNumbers(ctx context.Context) error {
	return o.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		n := numbering{o: o, ctx: ctx, highest: map[counter]counter{}, forms: map[counter]numberForm{}}
		err := numberedOrders.Each(tx, store.Query{}, func(row *numbered) error {
			for kind, text := range map[DocumentKind]*string{Invoice: row.InvoiceID, CreditMemo: row.CreditMemoID} {
				if text == nil {
					continue
				}
				if err := n.written(counter{CompanyID: row.CompanyID, Kind: kind}, *text); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = documents.Each(tx, store.Query{}, func(row *issued) error {
				return n.given(counter{CompanyID: row.CompanyID, Kind: row.Kind}, &row.Content)
			})
		}
		if err != nil {
			return err
		}
		return n.write(tx)
	})
}

// A numbering finds the highest numbers of companies.
type numbering struct {
	o       *Orders
	ctx     context.Context
	highest map[counter]counter    // by company, kind and year
	forms   map[counter]numberForm // by company and kind
}

// form returns the form of a company's numbers.
func (n *numbering) form(of counter) (form numberForm, err error) {
	form, known := n.forms[of]
	if !known {
		form, err = n.o.formOf(n.ctx, of.CompanyID, of.Kind)
		n.forms[of] = form
	}
	return form, err
}

// written counts a number that an order has.
func (n *numbering) written(of counter, text string) error {
	form, err := n.form(of)
	if err != nil {
		return err
	}
	if year, number, ok := form.parse(text); ok {
		of.Year = year
		c := n.highest[of]
		c.Next = max(c.Next, number+1)
		n.highest[of] = c
	}
	return nil
}

// given counts the number and the date of a document.
func (n *numbering) given(of counter, d *Document) error {
	form, err := n.form(of)
	if err != nil {
		return err
	}
	year, number, fits := form.parse(d.Number)
	if !fits {
		zone, err := n.o.api.LocationIn(n.ctx)
		if err != nil {
			return err
		}
		year, number = form.yearOf(time.Unix(d.Date, 0), zone), 0
	}
	of.Year = year
	c := n.highest[of]
	c.Next, c.Highest, c.LastDate = max(c.Next, number+1), max(c.Highest, number), max(c.LastDate, d.Date)
	n.highest[of] = c
	return nil
}

// write raises the counters.
func (n *numbering) write(tx store.Tx) error {
	order := func(a, b counter) int {
		return cmp.Or(cmp.Compare(a.CompanyID, b.CompanyID), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Year, b.Year))
	}
	for _, of := range slices.SortedFunc(maps.Keys(n.highest), order) {
		found := n.highest[of]
		c, err := readCounter(tx, of.CompanyID, of.Kind, of.Year)
		if err != nil {
			return err
		}
		raised := c
		raised.Next, raised.Highest, raised.LastDate = max(c.Next, found.Next), max(c.Highest, found.Highest), max(c.LastDate, found.LastDate)
		if raised == c {
			continue
		}
		if err := raised.write(tx); err != nil {
			return err
		}
	}
	return nil
}

// parse reads the year and the number of a text of the form, as [numberForm.text] writes it.
func (f numberForm) parse(text string) (year, n int64, ok bool) {
	pattern := regexp.QuoteMeta(string(f))
	pattern = strings.Replace(pattern, regexp.QuoteMeta("{year}"), "(?P<year>[0-9]{4})", 1)
	pattern = strings.Replace(pattern, regexp.QuoteMeta("{number}"), "(?P<number>[0-9]+)", 1)
	form, err := regexp.Compile("^" + pattern + "$")
	if err != nil {
		return 0, 0, false
	}
	found := form.FindStringSubmatch(text)
	if found == nil {
		return 0, 0, false
	}
	if i := form.SubexpIndex("year"); i > 0 {
		if year, err = strconv.ParseInt(found[i], 10, 64); err != nil {
			return 0, 0, false
		}
	}
	n, err = strconv.ParseInt(found[form.SubexpIndex("number")], 10, 64)
	return year, n, err == nil && n < maxNumber && f.text(year, n) == text
}
