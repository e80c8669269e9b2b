package orders

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A Report says which orders are summed, and by what (extensions E12). Orders of several
// vendors count by their parts.
type Report struct {
	By       ReportBy // "" is by day
	From, To int64    // of the orders' timestamps, in seconds since 1970, both inclusive
	Statuses []string // letters; none choose the statuses that hold stock, and all in a report by status
	UserID   *int64   // the orders of one customer
}

// A ReportBy says what the rows of a report are.
type ReportBy string

// What the rows of a report are.
const (
	ByDay     ReportBy = "day" // in the time zone of the API
	ByStatus  ReportBy = "status"
	ByProduct ReportBy = "product"
	ByCompany ReportBy = "company"
)

// A ReportRow is the sum of the orders of one day, status, product or company.
type ReportRow struct {
	Day     string // such as 2026-01-31, of a report by day
	Status  string // a letter, of a report by status
	ID      int64  // of a product or a company
	Orders  int64
	Items   int64           // pieces
	Total   decimal.Decimal // with tax and shipping; of products the subtotals of the lines
	Counted bool            // false for a status that gives stock back
}

// Report sums the orders that the user of ctx may see, by key in ascending order. Days without
// orders are left out. It returns a 400 [*shopapi.Error] for an unknown status.
func (o *Orders) Report(ctx context.Context, r Report) (list []ReportRow, err error) {
	ctx = o.api.Confine(ctx)
	zone, err := o.api.LocationIn(ctx)
	if err != nil {
		return nil, err
	}
	err = o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		s := &summing{by: cmp.Or(r.By, ByDay), zone: zone, rows: map[reportKey]*reportSum{}}
		where, err := s.where(ctx, tx, &r)
		if err != nil {
			return err
		}
		if err := s.read(tx, where); err != nil {
			return err
		}
		list, err = s.list()
		return err
	})
	return list, err
}

// A reportKey is the key of a row: a day in seconds since 1970, an id, or a letter.
type reportKey struct {
	number int64
	letter string
}

type reportSum struct{ orders, items, total int64 } // total in hundredths

// A summing is one report that is computed.
type summing struct {
	by      ReportBy
	zone    *time.Location
	counted map[string]bool // letters of the statuses that hold stock
	rows    map[reportKey]*reportSum

	quarter int64 // of an hour, of the day
	day     int64 // the day of the last order: the seconds of its date in UTC
	last    *reportSum
}

// where returns the conditions on the orders of a report.
func (s *summing) where(ctx context.Context, tx store.Tx, r *Report) ([]store.Cond, error) {
	var problems shopapi.Problems
	if err := cmp.Or(checkLetters(tx, "status", r.Statuses, &problems), problems.Err()); err != nil {
		return nil, err
	}
	all, err := statuses.Select(tx, store.Query{})
	if err != nil {
		return nil, err
	}
	s.counted = map[string]bool{}
	letters := r.Statuses
	for i := range all {
		if all[i].TakesStock() {
			s.counted[all[i].Status] = true
			if len(r.Statuses) == 0 && s.by != ByStatus {
				letters = append(letters, all[i].Status)
			}
		}
	}
	where := append([]store.Cond{
		store.Equal("is_parent_order", store.Bool(false)),
		store.AtLeast("timestamp", store.Int(r.From)), store.AtMost("timestamp", store.Int(r.To)),
	}, resource.VisibleConds(ctx)...)
	if s.by != ByStatus || len(letters) > 0 {
		values := make([]store.Value, len(letters))
		for i, letter := range letters {
			values[i] = store.String(letter)
		}
		where = append(where, store.In("status", values...))
	}
	if r.UserID != nil {
		where = append(where, store.Equal("user_id", store.Int(*r.UserID)))
	}
	return where, nil
}

// The columns of a report. An index covers the reports except the one by product.
var (
	reportColumns  = projected("timestamp", "status", "company_id", "total", "pieces")
	productColumns = projected("products")
)

func projected(columns ...string) *store.Projection {
	p, err := table.Schema().Project(columns...)
	if err != nil {
		panic(err)
	}
	return p
}

// read adds the orders that match.
func (s *summing) read(tx store.Tx, where []store.Cond) error {
	q := &store.Query{Where: where}
	if s.by == ByProduct {
		return tx.Select(productColumns, q, func(row []store.Value) error { return s.addLines(row[0].Text()) })
	}
	// A million orders are summed, and only the sums stay in memory.
	return driver.Unmetered(tx).Select(reportColumns, q, func(row []store.Value) error {
		sum := s.rowOf(row[0].Int(), row[1], row[2].Int())
		sum.orders++
		sum.total += row[3].Int()
		sum.items += row[4].Int()
		return nil
	})
}

// rowOf returns the row of an order.
func (s *summing) rowOf(timestamp int64, status store.Value, company int64) *reportSum {
	switch s.by {
	case ByStatus:
		return s.row(reportKey{letter: status.Text()})
	case ByCompany:
		return s.row(reportKey{number: company})
	}
	// Days of all zones begin at a quarter of an hour.
	const quarter = 15 * 60
	if at := timestamp / quarter; s.last == nil || at != s.quarter {
		y, m, d := time.Unix(timestamp, 0).In(s.zone).Date()
		day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()
		if s.quarter = at; s.last == nil || day != s.day {
			s.day, s.last = day, s.row(reportKey{number: day})
		}
	}
	return s.last
}

func (s *summing) row(key reportKey) *reportSum {
	sum := s.rows[key]
	if sum == nil {
		sum = &reportSum{}
		s.rows[key] = sum
	}
	return sum
}

// addLines adds the lines of an order to the rows of their products.
func (s *summing) addLines(stored string) error {
	var lines Lines
	if err := lines.UnmarshalText([]byte(stored)); err != nil {
		return err
	}
	seen := map[int64]bool{}
	for i := range lines {
		l := &lines[i]
		sum := s.row(reportKey{number: l.ProductID})
		if !seen[l.ProductID] {
			seen[l.ProductID] = true
			sum.orders++
		}
		sum.items += l.Amount
		whole, cents, ok := l.Subtotal.Int64(2)
		if !ok {
			return strconv.ErrRange
		}
		sum.total += whole*100 + cents
	}
	return nil
}

// list returns the rows in the order of their keys.
func (s *summing) list() ([]ReportRow, error) {
	keys := slices.SortedFunc(maps.Keys(s.rows), func(a, b reportKey) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.letter, b.letter))
	})
	list := make([]ReportRow, len(keys))
	for i, key := range keys {
		sum := s.rows[key]
		total, err := decimal.New(sum.total, 2)
		if err != nil {
			return nil, err
		}
		list[i] = ReportRow{Orders: sum.orders, Items: sum.items, Total: total, Counted: true}
		switch s.by {
		case ByDay:
			list[i].Day = time.Unix(key.number, 0).UTC().Format(time.DateOnly)
		case ByStatus:
			list[i].Status, list[i].Counted = key.letter, s.counted[key.letter]
		default:
			list[i].ID = key.number
		}
	}
	return list, nil
}

// countPieces sets the number of pieces, which reports sum.
func (o *Order) countPieces() {
	o.Pieces = 0
	for i := range o.Lines {
		o.Pieces += o.Lines[i].Amount
	}
}

// convertPieces counts the pieces of older orders.
func convertPieces(_ context.Context, tx store.Tx) error {
	pieces, products := table.Field("pieces"), table.Field("products")
	var wrong error
	err := table.Alter(tx, func(row []store.Value) {
		var o Order
		if err := o.Lines.UnmarshalText([]byte(row[products].Text())); err != nil {
			wrong = err
			return
		}
		o.countPieces()
		row[pieces] = store.Int(o.Pieces)
	}, store.Equal("pieces", store.Int(0)))
	return cmp.Or(err, wrong)
}

// A reportAnswer is a row on the wire. It has one of the first four fields.
type reportAnswer struct {
	Day       *string `json:"day,omitempty"` // YYYY-MM-DD
	Status    *string `json:"status,omitempty"`
	ProductID *int64  `json:"product_id,string,omitempty"`
	CompanyID *int64  `json:"company_id,string,omitempty"`

	Orders  int64         `json:"orders,string"`
	Total   string        `json:"total"`             // an amount
	Items   int64         `json:"items,string"`      // pieces
	Counted *shopapi.Flag `json:"counted,omitempty"` // of a status: N if it gives stock back
}

func (r *ReportRow) answer(by ReportBy) reportAnswer {
	a := reportAnswer{Orders: r.Orders, Total: r.Total.Pad(2).String(), Items: r.Items}
	switch by {
	case ByDay:
		a.Day = &r.Day
	case ByStatus:
		a.Status, a.Counted = &r.Status, new(shopapi.Flag(r.Counted))
	case ByProduct:
		a.ProductID = &r.ID
	case ByCompany:
		a.CompanyID = &r.ID
	}
	return a
}
