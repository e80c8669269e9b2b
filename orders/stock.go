package orders

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// A source is the stock that a line takes its pieces from: of a product, or of one of its
// combinations.
type source struct{ product, combination int64 }

// A move gives back n pieces to a source, or takes -n of them.
type move struct {
	source
	n int64
}

// A stockPlan collects what a change of an order does to the stock.
type stockPlan struct {
	order []source // in which they were met
	n     map[source]int64
	line  map[source]string // the field of the line that takes of it
	more  map[source]bool   // n is less than the amount of the line: the order has the other pieces

	missing []missing
}

// A missing is a line without stock to take from: its product keeps stock by combinations, and its
// options match none.
type missing struct {
	product, n int64
	field      string
	more       bool // n is less than the amount of the line
}

func (p *stockPlan) add(s source, n int64, field string) {
	if n == 0 {
		return
	}
	if p.n == nil {
		p.n, p.line, p.more = map[source]int64{}, map[source]string{}, map[source]bool{}
	}
	if _, known := p.n[s]; !known {
		p.order = append(p.order, s)
	}
	p.n[s] += n
	if n < 0 {
		p.line[s] = field
	} else {
		p.more[s] = true
	}
}

// release returns the reserved pieces of a line to the stock.
func (p *stockPlan) release(l *Line) {
	p.add(l.source(), l.Reserved, "")
	l.Reserved, l.FromCombination = 0, false
}

// moves returns the moves that change a stock.
func (p *stockPlan) moves() []move {
	var list []move
	for _, s := range p.order {
		if n := p.n[s]; n != 0 {
			list = append(list, move{s, n})
		}
	}
	return list
}

// A stockReader knows the stock of the products and combinations of lines.
type stockReader struct {
	goods        map[int64]*products.OrderView
	combinations map[int64]int64
}

// readStock reads the stock of the products of lines, in two reads at most.
func (o *Orders) readStock(tx store.Tx, lines []Line) (*stockReader, error) {
	var ids, hashes []int64
	for i := range lines {
		ids = append(ids, lines[i].ProductID)
		if lines[i].Combination != 0 {
			hashes = append(hashes, lines[i].Combination)
		}
	}
	r := &stockReader{}
	var err error
	if r.goods, err = products.OrderViewByID(tx, ids...); err != nil {
		return nil, err
	}
	if len(hashes) > 0 && o.from.Options != nil {
		r.combinations, err = o.from.Options.Amounts(tx, hashes...)
	}
	return r, err
}

// sourceOf returns where a line takes its pieces from, as the product is tracked today.
// ok is false for a product that is gone or not tracked; the combination is 0 with
// byOptions set if the combination does not exist.
func (r *stockReader) sourceOf(l *Line) (s source, byOptions, ok bool) {
	p, known := r.goods[l.ProductID]
	if !known || p.Tracking == products.DoNotTrack {
		return s, false, false
	}
	s.product = l.ProductID
	if p.Tracking != products.TrackByOptions {
		return s, false, true
	}
	if _, exists := r.combinations[l.Combination]; exists {
		s.combination = l.Combination
	}
	return s, true, true
}

// take makes a line reserve n more pieces. Products that are deleted or not tracked, and
// missing combinations, take nothing: a line reserves only pieces that it took. If the source
// of the line has changed, the line gives back all reserved pieces, and takes the number all from
// the new source.
func (r *stockReader) take(plan *stockPlan, l *Line, n, all int64, field string) {
	s, byOptions, ok := r.sourceOf(l)
	if !ok || n <= 0 {
		return
	}
	if byOptions && s.combination == 0 {
		plan.missing = append(plan.missing, missing{s.product, n, field, n < l.Amount})
		return
	}
	if l.Reserved > 0 && l.source() != s {
		plan.release(l)
		n = all
	}
	l.Reserved += n
	l.FromCombination = s.combination != 0
	plan.add(s, -n, field)
	plan.more[s] = plan.more[s] || n < l.Amount
}

// reduce has a line hold at most n pieces, and gives the others back.
func (l *Line) reduce(plan *stockPlan, n int64) {
	if back := l.Reserved - max(n, 0); back > 0 {
		plan.add(l.source(), back, "")
		l.Reserved -= back
		l.FromCombination = l.FromCombination && l.Reserved > 0
	}
}

// available is how many pieces there are of a source.
func (r *stockReader) available(s source) int64 {
	if s.combination != 0 {
		return r.combinations[s.combination]
	}
	p, known := r.goods[s.product]
	if !known || p.Tracking == products.TrackByOptions { // a selection without a combination
		return 0
	}
	return p.Amount
}

// allowsNegative reports whether more may be ordered than there is, as the setting
// allow_negative_amount says.
func (o *Orders) allowsNegative(ctx context.Context, company int64) (bool, error) {
	if o.api.Edition() != shopapi.MultiStorefront {
		company = 0
	}
	value, _, err := o.api.SettingOf(ctx, company, shopapi.SettingAllowNegativeAmount)
	return value == "Y", err
}

// checkStock reports lines that take more than the stock has.
func (o *Orders) checkStock(ctx context.Context, company int64, r *stockReader, plan *stockPlan, problems *shopapi.Problems) error {
	allowed, err := o.allowsNegative(ctx, company)
	if err != nil || allowed {
		return err
	}
	for _, s := range plan.order {
		n := plan.n[s]
		if n >= 0 || r.goods[s.product].Backorders() {
			continue
		}
		if there := r.available(s); there+n < 0 {
			o.refuseStock(plan.line[s], s.product, r.goods[s.product].Name, pieces(-n, plan.more[s]), max(there, 0), problems)
		}
	}
	for _, m := range plan.missing {
		if p := r.goods[m.product]; !p.Backorders() {
			o.refuseStock(m.field, m.product, p.Name, pieces(m.n, m.more), 0, problems)
		}
	}
	return nil
}

// pieces is how a problem says that an order asks for n pieces, or for n more than it has.
func pieces(n int64, more bool) string {
	if more {
		return fmt.Sprintf("%d more", n)
	}
	return fmt.Sprint(n)
}

func (o *Orders) refuseStock(field string, product int64, name, wanted string, there int64, problems *shopapi.Problems) {
	problems.Add(field, "asks for %s of product %d (%s), of which there are %d in stock", wanted, product, name, there)
}

// move makes the moves of a plan. Deleted products and combinations are skipped.
func (o *Orders) move(ctx context.Context, tx store.Tx, moves []move) error {
	amounts := map[int64]int64{}
	for _, m := range moves {
		if m.combination == 0 {
			amounts[m.product] += m.n
			continue
		}
		if o.from.Options == nil {
			continue
		}
		if err := o.from.Options.AddAmount(ctx, tx, m.combination, m.n); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return o.from.Products.AddAmounts(ctx, tx, amounts)
}
