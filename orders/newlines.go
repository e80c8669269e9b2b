package orders

import (
	"context"
	"errors"
	"math"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A newLine is a line at today's price that is not of an order yet, with the product
// and the name of the line in errors.
type newLine struct {
	Line
	field   string
	sent    *decimal.Decimal // its price that was sent, nil for none
	product *products.OrderView
	stock   int64 // of what the line takes from
}

// tracked reports whether the stock of the line's product is tracked.
func (l *newLine) tracked() bool { return l.product.Tracking != products.DoNotTrack }

// A lineMaker makes lines of a request's products.
type lineMaker struct {
	*Orders
	ctx        context.Context
	tx         store.Tx
	problems   *shopapi.Problems
	storefront bool
	prices     bool            // prices that are sent count
	vendors    map[int64]bool  // whether they sell
	known      map[lineKey]int // indexes of the lines that were made
}

// newLines makes lines of a request's products; products with the same options become one
// line (decisions §18). It reads the products, their options and their exceptions in a
// fixed number of reads, and reports the problems of each line.
func (m *lineMaker) newLines(list []PurchaseLine) ([]newLine, error) {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].ProductID
	}
	goods, err := m.from.Products.OrderViewByID(m.ctx, m.tx, ids...)
	if err != nil {
		return nil, err
	}
	var known []PurchaseLine
	for _, l := range list {
		ok, err := m.orderable(&l, goods)
		if err != nil {
			return nil, err
		}
		if ok {
			known = append(known, l)
		}
	}
	var resolved []options.Resolved
	if m.from.Options == nil {
		resolved = make([]options.Resolved, len(known))
	} else if resolved, err = m.from.Options.Resolve(m.ctx, m.tx, m.problems, optionLines(known)...); err != nil {
		return nil, err
	}
	lines := make([]newLine, 0, len(known))
	m.known = make(map[lineKey]int, len(known))
	for i := range known {
		lines = m.add(lines, &known[i], goods[known[i].ProductID], &resolved[i])
	}
	return lines, m.checkExceptions(lines)
}

// orderable reports whether the product of a line can be ordered at all.
func (m *lineMaker) orderable(l *PurchaseLine, goods map[int64]*products.OrderView) (bool, error) {
	p, ok := goods[l.ProductID]
	if !ok || !resource.Visible(m.ctx, p.CompanyID) {
		m.problems.Add(l.field(), "must name a product that exists, not %d", l.ProductID)
		return false, nil
	}
	if m.api.Edition() == shopapi.MultiVendor {
		if p.CompanyID == 0 {
			m.problems.Add(l.field(), "cannot be ordered: product %d is a master product; vendors sell their offers of it", l.ProductID)
			return false, nil
		}
		sells, err := m.sells(p.CompanyID)
		if err != nil || !sells {
			m.problems.Add(l.field(), "cannot be ordered: the vendor %d of product %d does not sell", p.CompanyID, l.ProductID)
			return false, err
		}
	}
	if m.storefront {
		m.checkStorefront(l, p)
	}
	return true, nil
}

// sells reports whether a vendor has the status A, as far as there are vendors.
func (m *lineMaker) sells(company int64) (bool, error) {
	if sells, known := m.vendors[company]; known {
		return sells, nil
	}
	vendor, err := m.api.Lookup(m.ctx, "vendors", shopapi.FormatID(company))
	status, shown := shopapi.Field(vendor, "status")
	sells := err == nil && (!shown || status == "A")
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		sells, err = true, nil
	case errors.Is(err, shopapi.ErrNotFound):
		sells, err = company == m.api.DefaultCompany(), nil
	}
	if m.vendors == nil {
		m.vendors = map[int64]bool{}
	}
	m.vendors[company] = sells
	return sells, err
}

// checkStorefront notes why a customer may not order a product, or so many of it.
func (m *lineMaker) checkStorefront(l *PurchaseLine, p *products.OrderView) {
	refuse := func(name, format string, args ...any) {
		m.problems.Add(l.field()+name, format, args...)
	}
	switch {
	case p.Status != products.Active && p.Status != products.Hidden:
		refuse("", "cannot be ordered: product %d is not on sale", p.ProductID)
	case p.AvailSince > m.api.Now(m.ctx).Unix():
		refuse("", "cannot be ordered: product %d is not on sale yet", p.ProductID)
	case p.MinQty > 0 && l.Amount < p.MinQty:
		refuse("[amount]", "must be at least %d", p.MinQty)
	case p.MaxQty > 0 && l.Amount > p.MaxQty:
		refuse("[amount]", "must be at most %d", p.MaxQty)
	case p.QtyStep > 1 && l.Amount%p.QtyStep != 0:
		refuse("[amount]", "must be a multiple of %d", p.QtyStep)
	}
}

// optionLines returns lines as package options resolves them.
func optionLines(list []PurchaseLine) []options.Line {
	lines := make([]options.Line, len(list))
	for i := range list {
		lines[i] = options.Line{ProductID: list[i].ProductID, Selection: list[i].Selection, Field: list[i].field() + "[product_options]"}
	}
	return lines
}

// add adds a line, or its pieces to one of the same product with the same options.
func (m *lineMaker) add(lines []newLine, l *PurchaseLine, p *products.OrderView, r *options.Resolved) []newLine {
	key := keyOf(l.ProductID, r.Selection)
	if i, known := m.known[key]; known {
		if lines[i].Amount += l.Amount; lines[i].Amount > maxPieces {
			m.problems.Add(l.field()+"[amount]", "must be a whole number from 1 to %d together with that of %s", maxPieces, lines[i].field)
			lines[i].Amount = maxPieces
		}
		if l.Discount != nil {
			lines[i].Discount = plus(lines[i].Discount, *l.Discount)
		}
		m.setPrice(&lines[i], l)
		return lines
	}
	m.known[key] = len(lines)
	n := newLine{field: l.field(), product: p, stock: math.MaxInt64, Line: Line{
		ProductID: p.ProductID, CompanyID: p.CompanyID, Code: p.Code, Name: p.Name, Status: p.Status,
		Amount: l.Amount, Choices: r.Choices, Selection: r.Selection, BasePrice: p.Price.Rescale(2),
		TaxIDs: p.TaxIDs.IDs(), Discount: decimal.MustNew(0, 2),
		FreeShipping: bool(p.FreeShipping), IsEDP: bool(p.IsEDP), EDPShipping: bool(p.EDPShipping), UnlimitedDownload: bool(p.UnlimitedDownload),
		Ships: !bool(p.FreeShipping) && !(bool(p.IsEDP) && !bool(p.EDPShipping)), Freight: p.ShippingFreight,
	}}
	if l.Discount != nil {
		n.Discount = *l.Discount
	}
	if r.Combination != nil {
		n.Combination = r.Combination.Hash
	}
	switch p.Tracking {
	case products.Track:
		n.stock = p.Amount
	case products.TrackByOptions:
		n.stock, n.FromCombination = 0, true
		if r.Combination != nil {
			n.stock = r.Combination.Amount
		}
	}
	var err, weightErr error
	n.Price, err = pricing.UnitPrice(p.Price, r.Modifiers)
	n.Weight, weightErr = pricing.Weight(p.Weight, r.WeightModifiers)
	if err != nil || weightErr != nil {
		m.problems.Add(l.field(), "cannot be ordered: its price or weight is too large with these options")
	}
	m.setPrice(&n, l)
	if m.storefront {
		m.checkChoices(&n)
	}
	return append(lines, n)
}

// setPrice gives a line the price that was sent for it.
func (m *lineMaker) setPrice(n *newLine, l *PurchaseLine) {
	if !m.prices || l.Price == nil {
		return
	}
	checkSamePrice(n.sent, l, n.field, m.problems)
	n.sent, n.Price = l.Price, *l.Price
}

// checkChoices reports choices that a customer may not make, and a price of 0 that is not
// allowed.
func (m *lineMaker) checkChoices(n *newLine) {
	for _, c := range n.Choices {
		if c.Status == options.Disabled {
			m.problems.Add(n.field+"[product_options]", "cannot have the option %d (%s), which is disabled", c.OptionID, c.Name)
		}
	}
	if n.Price.IsZero() && n.product.ZeroPriceAction != "P" {
		m.problems.Add(n.field, "cannot be ordered: product %d has no price", n.ProductID)
	}
}

// checkExceptions notes the selections that the exceptions of their products forbid.
func (m *lineMaker) checkExceptions(lines []newLine) error {
	if m.from.Exceptions == nil || len(lines) == 0 {
		return nil
	}
	ids := make([]int64, len(lines))
	for i := range lines {
		ids[i] = lines[i].ProductID
	}
	by, err := m.from.Exceptions.ByProduct(m.ctx, m.tx, ids...)
	for i := range lines {
		l := &lines[i]
		chosen := (&options.Resolved{Choices: l.Choices}).Variants()
		if list := by[l.ProductID]; !exceptions.MayOrder(l.product.ExceptionsType, list, chosen) {
			m.problems.Add(l.field+"[product_options]", "cannot be chosen together: the exceptions of product %d forbid it", l.ProductID)
		}
	}
	return err
}
