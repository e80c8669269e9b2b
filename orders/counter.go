package orders

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A counter is where the numbers of a company's documents of one kind have got to, in a
// year where the form has {year}. Its row is changed in the transaction that issues the
// number, so that a number is given once, and none is left out (decisions §26).
type counter struct {
	CounterID int64        `json:"counter_id" store:"key"`
	CompanyID int64        `json:"company_id"`
	Kind      DocumentKind `json:"kind"`
	Year      int64        `json:"year"`      // 0 where the form has none
	Next      int64        `json:"next"`      // the next number
	Highest   int64        `json:"highest"`   // the highest number that was given, 0 for none
	LastDate  int64        `json:"last_date"` // of that number, seconds since 1970
}

var counters = store.MustTable[counter]("order_counters",
	store.Index{Columns: []string{"company_id", "kind", "year"}, Unique: true})

// readCounter reads the counter of a form and a year. CounterID is 0 if there is none yet.
func readCounter(tx store.Tx, company int64, kind DocumentKind, year int64) (counter, error) {
	c := counter{CompanyID: company, Kind: kind, Year: year, Next: 1}
	found, err := counters.First(tx, store.Query{Where: append(c.ofKind(), store.Equal("year", store.Int(c.Year)))})
	if errors.Is(err, store.ErrNotFound) {
		return c, nil
	}
	return found, err
}

// yearOf returns the year of the counters of a form at a time, in the shop's time zone. It is 0
// for a form without {year}.
func (f numberForm) yearOf(t time.Time, zone *time.Location) int64 {
	if !f.hasYear() {
		return 0
	}
	return int64(t.In(zone).Year())
}

// lockCounter reads the counter of the next number, and then the clock. It reads again if
// the year of the counter has ended meanwhile.
func (o *Orders) lockCounter(ctx context.Context, tx store.Tx, company int64, kind DocumentKind, form numberForm) (c counter, now time.Time, err error) {
	zone, err := o.api.LocationIn(ctx)
	for now = o.api.Now(ctx); err == nil; {
		year := form.yearOf(now, zone)
		c, err = readCounter(tx, company, kind, year)
		if now = o.api.Now(ctx); form.yearOf(now, zone) == year {
			break
		}
	}
	return c, now, err
}

func (c *counter) ofKind() []store.Cond {
	return []store.Cond{store.Equal("company_id", store.Int(c.CompanyID)), store.Equal("kind", store.String(string(c.Kind)))}
}

// write stores the counter.
func (c *counter) write(tx store.Tx) error {
	if c.CounterID == 0 {
		return counters.Insert(tx, c)
	}
	return counters.Update(tx, c)
}

// maxTaken is how many numbers in a row may be taken by texts that were written.
const maxTaken = 1000

// nextNumber returns the next number of a company's documents and its date. No date precedes
// the date of the previous number. Numbers whose text an order of the company has already are
// skipped.
func (o *Orders) nextNumber(ctx context.Context, tx store.Tx, company int64, kind DocumentKind) (text string, date int64, err error) {
	form, err := o.formOf(ctx, company, kind)
	if err != nil {
		return "", 0, err
	}
	c, now, err := o.lockCounter(ctx, tx, company, kind, form)
	if err != nil {
		return "", 0, err
	}
	for n := c.Next; ; n++ {
		text = form.text(c.Year, n)
		taken, err := o.isTaken(tx, company, kind, text)
		if err != nil {
			return "", 0, err
		}
		if !taken {
			c.Next, c.Highest = n+1, n
			break
		}
		if n-c.Next == maxTaken {
			return "", 0, shopapi.Errorf(http.StatusBadRequest, "The numbers from %s to %s are taken. Set %s above them.", form.text(c.Year, c.Next), text, nextSettings[kind])
		}
	}
	c.LastDate = max(c.LastDate, now.Unix())
	return text, c.LastDate, c.write(tx)
}

// isTaken reports whether a document or an order of the company has the number.
func (o *Orders) isTaken(tx store.Tx, company int64, kind DocumentKind, text string) (bool, error) {
	if given, err := isIssued(tx, company, kind, text); given || err != nil {
		return given, err
	}
	column := "invoice_id"
	if kind == CreditMemo {
		column = "credit_memo_id"
	}
	n, err := table.Count(tx, store.Equal(column, store.String(text)), store.Equal("company_id", store.Int(company)))
	return n > 0, err
}

// checkFreeText refuses a text as the number of a document that the company could issue, or
// has issued, once it issues numbers of the kind.
func (o *Orders) checkFreeText(ctx context.Context, tx store.Tx, field string, kind DocumentKind, before, after *string, company int64, problems *shopapi.Problems) error {
	if after == nil || sameText(before, after) {
		return nil
	}
	of := counter{CompanyID: company, Kind: kind}
	n, err := counters.Count(tx, of.ofKind()...)
	if err != nil || n == 0 {
		return err
	}
	form, err := o.formOf(ctx, company, kind)
	if err != nil {
		return err
	}
	given, err := isIssued(tx, company, kind, *after)
	switch {
	case err != nil:
		return err
	case given:
		problems.Add(field, "cannot be %s, which is the number of another order", *after)
	case form.fits(*after):
		problems.Add(field, "cannot be a text of the form %s, by which numbers are issued", form)
	}
	return nil
}
