package orders

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An entity answers for orders over HTTP. POST with quote=Y says what an order would be
// (extensions E12).
type entity struct {
	resource.Entity
	orders *Orders
}

// Create implements [shopapi.Creator].
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var asked struct {
		Quote shopapi.Flag `json:"quote"`
	}
	if err := r.BindFilter(&asked); err != nil {
		return shopapi.Reply{}, err
	}
	if !asked.Quote {
		return e.Entity.Create(ctx, r)
	}
	answer, err := e.orders.quoteOf(ctx, r)
	return shopapi.Reply{Answer: answer}, err
}

// A placing is one new order on its way: choose, planStock and price fill it in, and
// [Orders.write] stores it.
type placing struct {
	*Orders
	ctx      context.Context
	tx       store.Tx
	order    *Order
	asked    *Change
	problems *shopapi.Problems

	lines   []newLine
	payment *payments.Payment

	tables map[string]int64 // ids of stored tables by their hashes, read ahead
}

// place fills in a new order: one order, or the parts of one if the products belong to
// several vendors.
func (o *Orders) place(ctx context.Context, tx store.Tx, order *Order, asked *Change, problems *shopapi.Problems) error {
	p := &placing{Orders: o, ctx: ctx, tx: tx, order: order, asked: asked, problems: problems}
	ids := p.productIDs()
	if err := p.from.Products.TakeTurns(tx, ids...); err != nil { // before anything is read
		return err
	}
	p.readAhead(ids)
	if err := p.choosePast(); err != nil {
		return err
	}
	if err := p.chooseCurrency(); err != nil {
		return err
	}
	if err := p.chooseCustomer(); err != nil {
		return err
	}
	before := p.ctx
	if err := p.chooseLanguage(); err != nil {
		return err
	}
	if language, err := p.rows.Language(before); err != nil || language != p.order.LangCode {
		p.readAhead(ids) // the names in this language
	}
	m := &lineMaker{Orders: o, ctx: p.ctx, tx: tx, problems: problems, storefront: asked.storefront, prices: asked.past != nil}
	lines, err := m.newLines(namedLines(asked, problems))
	if err != nil {
		return err
	}
	p.lines = lines
	if err := p.planStock(); err != nil {
		return err
	}
	groups := p.groups()
	if err := p.choosePayment(); err != nil {
		return err
	}
	return p.price(groups)
}

// productIDs returns the ids of the products that are asked for.
func (p *placing) productIDs() []int64 {
	var ids []int64
	for _, l := range namedLines(p.asked, new(shopapi.Problems)) {
		ids = append(ids, l.ProductID)
	}
	return ids
}

// chooseCustomer fills in the customer: the profile of a user, or the fields of a guest.
func (p *placing) chooseCustomer() error {
	order, problems := p.order, p.problems
	c := order.customer()
	var known Customer
	if order.UserID > 0 {
		profile, fields, err := p.profile(p.ctx, order.UserID, problems)
		if err != nil {
			return err
		}
		profile.normalize()
		known = profile
		p.followAddresses(&c, fields)
		profile.replaceBy(&c)
		c = profile
	} else if order.UserID == 0 && !p.asked.draft && !problems.Has("user_id") {
		if err := p.checkGuest(p.ctx, order.CompanyID, c.missing(nil), problems); err != nil {
			return err
		}
	}
	if p.asked.taxExempt != nil {
		c.TaxExempt = *p.asked.taxExempt
	}
	if p.asked.Customer != nil {
		p.asked.Customer(&c)
	}
	c.normalize()
	if order.UserID >= 0 {
		c.check(&known, problems)
	}
	order.setCustomer(&c)
	p.completeFields()
	return nil
}

// followAddresses gives a new order the customer fields of the profile with the addresses that
// the request does not have.
func (p *placing) followAddresses(sent *Customer, profile shopapi.Custom) {
	for _, f := range p.api.CustomerFields() {
		address := &sent.Billing
		if strings.HasPrefix(f.Name, "s_") {
			address = &sent.Shipping
		}
		if *address == (Address{}) && p.order.Custom.Get(f.Name) == nil {
			p.order.Custom.Set(f.Name, profile.Get(f.Name))
		}
	}
}

// completeFields copies the customer fields of one address to the other one if both addresses
// are the same and the other one has none.
func (p *placing) completeFields() {
	c, custom := p.order.customer(), &p.order.Custom
	if c.Billing != c.Shipping {
		return
	}
	fields := p.api.CustomerFields()
	for _, from := range []string{"b_", "s_"} {
		to := map[string]string{"b_": "s_", "s_": "b_"}[from]
		if slices.ContainsFunc(fields, func(f shopapi.CustomField) bool {
			return strings.HasPrefix(f.Name, to) && custom.Get(f.Name) != nil
		}) {
			continue
		}
		for _, f := range fields {
			if name, ok := strings.CutPrefix(f.Name, to); ok {
				custom.Set(f.Name, custom.Get(from+name))
			}
		}
	}
}

// chooseLanguage chooses the language of the names in the order: that of the request,
// else that of the customer, else that of the shop.
func (p *placing) chooseLanguage() (err error) {
	p.ctx = inLanguage(p.ctx, p.order)
	p.order.LangCode, err = p.rows.Language(p.ctx)
	return err
}

// choosePayment reads the payment method.
func (p *placing) choosePayment() (err error) {
	switch {
	case p.order.PaymentID > 0:
		p.payment, err = p.paymentMethod(p.ctx, p.order.PaymentID, p.order.CompanyID, p.problems)
	case p.order.PaymentID < 0:
		p.problems.Range("payment_id", p.order.PaymentID, 1, 1<<62)
	case !p.asked.draft:
		p.problems.Add("payment_id", "is required: the id of a payment method")
	}
	return err
}

// price prices the lines of each company as one order. Several orders become the parts
// of a parent.
func (p *placing) price(groups [][]newLine) error {
	var parts []Order
	if len(groups) > 1 {
		parts = make([]Order, len(groups))
	}
	cuts := p.cuts(groups)
	methods := p.methods(groups)
	for i, group := range groups {
		part := p.order
		if parts != nil {
			part = &parts[i]
			*part = *p.order
		}
		if parts != nil || p.api.Edition() == shopapi.MultiVendor {
			part.CompanyID = group[0].CompanyID
		}
		if cuts != nil {
			part.SubtotalDiscount = cuts[i].of(p.order.SubtotalDiscount)
		}
		if err := p.pricePart(part, group, cuts, i, methods); err != nil {
			return err
		}
	}
	if parts != nil {
		p.order.splitInto(parts, p.api.DefaultCompany())
	}
	p.order.fresh = true
	return nil
}

// namedLines returns the valid lines that are asked for, each with a key.
func namedLines(asked *Change, problems *shopapi.Problems) []PurchaseLine {
	lines := slices.Clone(asked.Lines)
	switch {
	case len(lines) == 0:
		problems.Add("products", "must have at least one product")
	case len(lines) > maxLines:
		problems.Add("products", "must have at most %d products", maxLines)
		return nil
	}
	for i := range lines {
		lines[i].name(i)
	}
	return slices.DeleteFunc(lines, func(l PurchaseLine) bool {
		wrong := l.ProductID < 1 || l.Amount < 1 || l.Amount > maxPieces
		if wrong && l.ProductID < 1 {
			problems.Add(l.field()+"[product_id]", "must be a whole number from 1")
		} else if wrong {
			problems.Add(l.field()+"[amount]", "must be a whole number from 1 to %d", maxPieces)
		}
		return wrong
	})
}

// name sets the key of a line without one to its number.
func (l *PurchaseLine) name(i int) {
	if l.Key == "" {
		l.Key = shopapi.FormatID(int64(i))
	}
}

// groups returns the lines by company, in the order of the ids of the companies.
// Only the edition with several vendors has several groups.
func (p *placing) groups() [][]newLine {
	if len(p.lines) == 0 {
		return nil
	}
	if p.api.Edition() != shopapi.MultiVendor {
		for i := range p.lines {
			if l := &p.lines[i]; p.api.Edition() == shopapi.MultiStorefront && l.CompanyID != p.order.CompanyID {
				p.problems.Add(l.field, "must name a product of the storefront %d, not %d", p.order.CompanyID, l.ProductID)
			}
		}
		return [][]newLine{p.lines}
	}
	var groups [][]newLine
	for _, l := range p.lines {
		i := slices.IndexFunc(groups, func(g []newLine) bool { return g[0].CompanyID == l.CompanyID })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	slices.SortStableFunc(groups, func(a, b []newLine) int { return cmp.Compare(a[0].CompanyID, b[0].CompanyID) })
	return groups
}

// planStock plans which stock the lines take, if the status of the order takes stock, and
// refuses lines that ask for more than there is. [Orders.write] carries out the plan.
func (p *placing) planStock() error {
	status, err := p.statusOf(p.ctx, p.tx, p.order.Status)
	if err != nil {
		return err
	}
	allowed, err := p.allowsNegative(p.ctx, p.order.CompanyID)
	if err != nil {
		return err
	}
	var plan stockPlan
	wanted := map[source]int64{}
	for i := range p.lines {
		l := &p.lines[i]
		if !l.tracked() || p.order.NoStock {
			l.FromCombination = false
			continue
		}
		s := l.source()
		wanted[s] += l.Amount
		if wanted[s] > l.stock && !allowed && !l.product.Backorders() {
			p.refuseStock(l.field, l.ProductID, l.Name, pieces(wanted[s], false), max(l.stock, 0), p.problems)
		}
		missing := l.FromCombination && l.Combination == 0
		if missing || !status.TakesStock() {
			l.FromCombination = false
			continue
		}
		l.Reserved = l.Amount
		plan.add(s, -l.Amount, l.field)
	}
	p.order.moves, p.order.placed = plan.moves(), &status
	return nil
}

// pricePart fills in the lines, methods and amounts of the order of one company.
func (p *placing) pricePart(order *Order, lines []newLine, cuts []Cut, i int, methods func(company int64, i int) int64) error {
	book, err := p.newBook(p.ctx, order)
	if err != nil {
		return err
	}
	book.found = p.tables
	if cuts != nil {
		book.cut = &cuts[i]
	}
	r := &pricer{Orders: p.Orders, ctx: p.ctx, tx: p.tx, problems: p.problems, order: order, book: book}
	order.Lines = make(Lines, 0, len(lines))
	items := make(map[int64]bool, len(lines))
	for i := range lines {
		l := lines[i].Line
		l.ItemID = itemID(keyOf(l.ProductID, l.Selection), func(id int64) bool { return items[id] })
		items[l.ItemID] = true
		order.Lines = append(order.Lines, l)
		r.fields = append(r.fields, lines[i].field)
	}
	if p.payment != nil {
		book.setPayment(p.payment)
		order.Payment = PaymentMethod{*p.payment}
		order.Payment.ASurcharge = book.ownSurcharge()
	}
	r.sent = p.writeAmounts(order)
	switch id := methods(order.CompanyID, i); {
	case id > 0:
		method, err := p.shippingMethod(p.ctx, id, order.CompanyID, p.problems)
		if err != nil || method == nil {
			return err
		}
		checkMethodStatus(method, p.problems)
		if !order.ShippingCostSet {
			checkWeight(order, &method.Summary, p.problems)
		}
		book.setShipping(method)
		if err := p.setMethod(p.ctx, order, method); err != nil {
			return err
		}
	case order.ships() && !p.asked.draft && cuts == nil:
		p.problems.Add("shipping_id", "is required: the id of a shipping method")
	case order.ships() && !p.asked.draft:
		p.problems.Add("shipping_id", "is required for the products of company %d: one id, or an object of ids by company", order.CompanyID)
	}
	if err := r.price(); err != nil {
		return err
	}
	p.writeTotal(order)
	order.book = book
	return nil
}
