package orders

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/store"
)

// checkNew makes a new order of what was asked for: one order, or the parts of one
// where the products belong to several vendors.
func (o *Orders) checkNew(ctx context.Context, tx store.Tx, after *Order, edit *Edit, problems *shopapi.Problems) error {
	if err := o.checkCustomer(ctx, after, edit, problems); err != nil {
		return err
	}
	ctx, err := o.chooseLanguage(ctx, after)
	if err != nil {
		return err
	}
	m := &lineMaker{Orders: o, ctx: ctx, tx: tx, problems: problems, storefront: edit.storefront}
	lines, err := m.newLines(o.named(edit, problems))
	if err != nil {
		return err
	}
	if err := o.takeFor(ctx, tx, after, lines, problems); err != nil {
		return err
	}
	groups := o.groups(after, lines, problems)
	payment, err := o.paymentFor(ctx, after, edit, problems)
	if err != nil {
		return err
	}
	if len(groups) > 1 && !after.SubtotalDiscount.IsZero() {
		problems.Add("subtotal_discount", "cannot be given on products of several vendors")
	}
	parts := make([]Order, len(groups))
	for i, group := range groups {
		part := &parts[i]
		*part = *after
		part.CompanyID = group[0].CompanyID
		if len(groups) == 1 && o.api.Edition() != shopapi.MultiVendor {
			part.CompanyID = after.CompanyID
		}
		if err := o.fill(ctx, tx, part, edit, group, payment, i == 0, len(groups) == 1, problems); err != nil {
			return err
		}
	}
	switch {
	case len(parts) == 1:
		*after = parts[0]
	case len(parts) > 1:
		for i := range parts {
			parts[i].moves = nil // the parent makes them
		}
		after.parts = parts
		after.IsParent, after.CompanyID = true, o.api.DefaultCompany()
		after.sumUp(parts)
	}
	after.fresh = true
	return nil
}

// checkCustomer fills in who orders, and notes what a guest does not say.
func (o *Orders) checkCustomer(ctx context.Context, after *Order, edit *Edit, problems *shopapi.Problems) error {
	c := after.customer()
	problems.Range("user_id", after.UserID, 0, 1<<62)
	if after.UserID > 0 {
		profile, err := o.profile(ctx, after.UserID, problems)
		if err != nil {
			return err
		}
		if profile.LangCode == "" {
			profile.LangCode = c.LangCode
		}
		c = profile
	} else if !edit.draft && !problems.Has("user_id") {
		c.checkGuest(problems)
	}
	c.normalize()
	if after.UserID == 0 {
		c.check(&Customer{}, problems)
	}
	after.setCustomer(&c)
	return nil
}

// named returns the lines that are asked for, each with a key and a number of pieces.
func (o *Orders) named(edit *Edit, problems *shopapi.Problems) []CartLine {
	lines := slices.Clone(edit.Lines)
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
	return slices.DeleteFunc(lines, func(l CartLine) bool {
		wrong := l.ProductID < 1 || l.Amount < 1 || l.Amount > maxPieces
		if wrong && l.ProductID < 1 {
			problems.Add(l.field()+"[product_id]", "must be a whole number from 1")
		} else if wrong {
			problems.Add(l.field()+"[amount]", "must be a whole number from 1 to %d", maxPieces)
		}
		return wrong
	})
}

// name gives a line without a key its number as one.
func (l *CartLine) name(i int) {
	if l.Key == "" {
		l.Key = shopapi.FormatID(int64(i))
	}
}

// groups are the lines by the company that they are of, in the order in which the
// companies are met; outside the edition with several vendors one group.
func (o *Orders) groups(after *Order, lines []newLine, problems *shopapi.Problems) [][]newLine {
	if len(lines) == 0 {
		return nil
	}
	if o.api.Edition() != shopapi.MultiVendor {
		for i := range lines {
			if l := &lines[i]; o.api.Edition() == shopapi.MultiStorefront && l.CompanyID != after.CompanyID {
				problems.Add(l.field, "must name a product of the storefront %d, not %d", after.CompanyID, l.ProductID)
			}
		}
		return [][]newLine{lines}
	}
	var groups [][]newLine
	for _, l := range lines {
		i := slices.IndexFunc(groups, func(g []newLine) bool { return g[0].CompanyID == l.CompanyID })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

// paymentFor reads the payment method of a new order.
func (o *Orders) paymentFor(ctx context.Context, after *Order, edit *Edit, problems *shopapi.Problems) (*payments.Payment, error) {
	switch {
	case after.PaymentID > 0:
		return o.payment(ctx, after.PaymentID, after.CompanyID, problems)
	case after.PaymentID < 0:
		problems.Range("payment_id", after.PaymentID, 1, 1<<62)
	case !edit.draft:
		problems.Add("payment_id", "is required: the id of a payment method")
	}
	return nil, nil
}

// takeFor has the lines of a new order take their pieces, where its status does, and
// notes what there is not enough of.
func (o *Orders) takeFor(ctx context.Context, tx store.Tx, after *Order, lines []newLine, problems *shopapi.Problems) error {
	status, err := statusOf(tx, after.Status)
	if err != nil {
		return err
	}
	allowed, err := o.allowsNegative(ctx, after.CompanyID)
	if err != nil {
		return err
	}
	var plan stockPlan
	for i := range lines {
		l := &lines[i]
		if !l.tracked() {
			l.FromCombination = false
			continue
		}
		s := l.source()
		plan.add(s, -l.Amount, l.field)
		if wanted := -plan.n[s]; wanted > l.stock && !allowed {
			o.refuseStock(l.field, l.ProductID, l.Name, wanted, max(l.stock, 0), problems)
		}
		if l.Held = l.Amount; !status.TakesStock() {
			l.Held, l.FromCombination = 0, false
		}
	}
	if status.TakesStock() {
		after.moves = plan.moves()
	}
	return nil
}

// fill makes an order of its lines: methods and amounts.
func (o *Orders) fill(ctx context.Context, tx store.Tx, order *Order, edit *Edit, lines []newLine, payment *payments.Payment, first, single bool, problems *shopapi.Problems) error {
	p := &pricer{Orders: o, ctx: ctx, tx: tx, problems: problems, order: order}
	order.Lines = make(Lines, 0, len(lines))
	for i := range lines {
		l := lines[i].Line
		l.ItemID = itemID(l.ProductID, l.Selection, func(id int64) bool { return order.Lines.byItem(id) != nil })
		order.Lines = append(order.Lines, l)
		p.fields = append(p.fields, lines[i].field)
	}
	if payment != nil {
		order.Payment = PaymentMethod{*payment}
		if !first {
			order.Payment.ASurcharge = zeroSurcharge
		}
		surcharge := order.Payment.Surcharge()
		p.surcharge = &surcharge
	}
	switch id := edit.shippingFor(order.CompanyID, single); {
	case id > 0:
		method, err := o.method(ctx, id, order.CompanyID, problems)
		if err != nil || method == nil {
			return err
		}
		checkMethod(order, method, problems)
		p.method = method
		if err := o.setMethod(ctx, order, method); err != nil {
			return err
		}
	case order.ships() && !edit.draft && single:
		problems.Add("shipping_id", "is required: the id of a shipping method")
	case order.ships() && !edit.draft:
		problems.Add("shipping_id", "is required for the products of company %d: one id, or an object of ids by company", order.CompanyID)
	}
	return p.price()
}
