package orders

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/resource"
)

// authorizeRequest lets vendors' users read orders and change their own (decisions
// §11).
func authorizeRequest(user *shopapi.User, op shopapi.Operation, _ []string) error {
	if user.IsVendor() && (op == shopapi.OpCreate || op == shopapi.OpDelete || op == shopapi.OpAction) {
		return shopapi.Errorf(http.StatusForbidden, "Vendors may read their orders and change their status: they may not place or delete orders, nor issue documents.")
	}
	return nil
}

// bind applies a payload to an order. Vendors' users may set its status and the notes of
// the staff; other fields are ignored like read-only ones.
func (all *Orders) bind(ctx context.Context, r *shopapi.Request, o *Order) error {
	var problems shopapi.Problems
	before := *o
	problems.Merge(r.Bind(o))
	if shopapi.UserFrom(ctx).IsVendor() {
		before.Status, before.Details = o.Status, o.Details
		*o = before
		o.Notify = notifyOf(r.Payload, &problems)
		return problems.Err()
	}
	isNew := before.OrderID == 0
	for _, amount := range []string{"total", "subtotal_discount"} {
		ignored := isNew && amount == "total" // bindPast reads the total of an order of the past
		if !ignored && resource.DecimalPlaces(textOf(r.Payload.Raw(amount))) > 2 {
			problems.Add(amount, "must be a number with at most 2 decimals")
		}
	}
	o.Notify = notifyOf(r.Payload, &problems)
	bindPaymentInfo(r.Payload, o, &problems)
	if !maps.Equal(before.PaymentInfo, o.PaymentInfo) {
		o.PaymentInfo.check(&problems)
	}
	bindRepaid(r.Payload, o, &problems)
	asked := &Change{}
	if isNew {
		bindNew(ctx, r, o, &before, asked, &problems)
	} else {
		bindWritten(r.Payload, o, &before, &problems)
		asked.Reprice = flagOf(r, "reprice", false, &problems)
		asked.KeepAmounts = !flagOf(r, "recalculate", true, &problems)
	}
	if !isNew && r.Payload.Has("user_data") {
		if sent := userData(r.Payload.Raw("user_data"), &problems); len(sent) > 0 {
			asked.Customer = func(c *Customer) { c.set(sent) }
			before.checkCustomer(asked.Customer, &problems)
		}
	}
	if sent, err := shopapi.NewPayload(r.Payload.Raw("user_data")); err == nil && r.Payload.Has("user_data") {
		resource.BindCustomer(all.api, sent, &o.Custom, &problems, inUserData)
	}
	asked.Lines = linesOf(r.Payload, isNew, asked.past != nil, &problems)
	asked.ShippingID, asked.ShippingIDs = shippingOf(r.Payload.Raw("shipping_id"), &problems)
	asked.Status = bool(before.IsParent) && r.Payload.Has("status")
	if isNew || asked.Status || asked.Reprice || asked.KeepAmounts || asked.Lines != nil || asked.ShippingID != 0 || asked.ShippingIDs != nil || asked.Customer != nil {
		o.Change = asked
	}
	return problems.Err()
}

// checkCustomer notes the problems of a changed customer before the transaction, which checks it
// again: a refused customer of a MiB keeps no other writer waiting.
func (o *Order) checkCustomer(change func(*Customer), problems *shopapi.Problems) {
	had := o.customer()
	c := had
	change(&c)
	c.normalize()
	c.check(&had, problems)
}

// bindNew reads what a POST alone takes, and takes back what it does not.
func bindNew(ctx context.Context, r *shopapi.Request, o, before *Order, asked *Change, problems *shopapi.Problems) {
	status := o.Status
	o.Status, o.Total, o.InvoiceID, o.CreditMemoID = before.Status, before.Total, nil, nil
	bindPast(r, o, status, asked, problems)
	if textOf(r.Payload.Raw("tax_exempt")) != "" {
		exempt := bool(o.TaxExempt)
		asked.taxExempt = &exempt
	}
	if r.API().Edition() == shopapi.MultiVendor {
		o.CompanyID = 0 // it follows from the products
	}
	if r.Remote.IsValid() {
		o.IPAddress = r.Remote.String()
	}
	if id := r.UserID(); id != 0 {
		o.IssuerID = &id
	}
	if o.UserID != 0 {
		return
	}
	if r.Filter.Get("quote") == "Y" && !r.Payload.Has("user_data") {
		return // the customer may follow
	}
	if !r.Payload.Has("user_data") {
		problems.Add("user_id", "is required: the id of a registered user, or user_data of a guest")
		return
	}
	var guest Customer
	guest.set(userData(r.Payload.Raw("user_data"), problems))
	if r.API().Dialect() == shopapi.DialectLive {
		guest.complete()
	}
	o.setCustomer(&guest)
}

// bindPast reads what only orders of the past say, and whether the order takes stock.
func bindPast(r *shopapi.Request, o *Order, status string, asked *Change, problems *shopapi.Problems) {
	o.NoStock = !flagOf(r, "take_stock", true, problems)
	sent := r.Payload.Raw("timestamp")
	if text, ok := wire.Text(sent); ok && (text == "" || text == "0") {
		return
	}
	o.Timestamp = wholeNumber(sent, 1, math.MaxInt64, "timestamp", problems)
	if textOf(r.Payload.Raw("status")) == "" {
		status = ""
	}
	asked.past = &past{status: status}
	for _, a := range []struct {
		name string
		to   **decimal.Decimal
	}{
		{"shipping_cost", &asked.past.shippingCost}, {"payment_surcharge", &asked.past.paymentSurcharge}, {"total", &asked.past.total},
	} {
		*a.to = amountOf(r.Payload.Raw(a.name), a.name, problems)
	}
}

// bindWritten reads the shipping cost and the surcharge that a PUT writes: the empty text
// ends a written amount, and null is not sent. Nor is a total of null.
func bindWritten(p *shopapi.Payload, o, before *Order, problems *shopapi.Problems) {
	for _, a := range []struct {
		name    string
		to      *decimal.Decimal
		written *shopapi.Flag
	}{
		{"shipping_cost", &o.ShippingCost, &o.ShippingCostSet},
		{"payment_surcharge", &o.PaymentSurcharge, &o.PaymentSurchargeSet},
	} {
		raw := bytes.TrimSpace(p.Raw(a.name))
		switch amount := amountOf(raw, a.name, problems); {
		case amount != nil:
			*a.to = *amount
		case raw != nil && string(raw) != "null" && !problems.Has(a.name):
			*a.written = false
		}
	}
	if string(bytes.TrimSpace(p.Raw("total"))) == "null" {
		o.Total = before.Total
	}
	if textOf(p.Raw("tax_exempt")) == "" {
		o.TaxExempt = before.TaxExempt
	}
}

// flagOf reads a flag of the query or of the body.
func flagOf(r *shopapi.Request, name string, otherwise bool, problems *shopapi.Problems) bool {
	text, ok := wire.Text(r.Payload.Raw(name))
	if raw := r.Payload.Raw(name); raw == nil {
		text, ok = r.Filter.Get(name), true
	}
	var f shopapi.Flag
	switch {
	case ok && text == "":
		return otherwise
	case !ok || f.UnmarshalText([]byte(text)) != nil:
		problems.Add(name, "must be Y or N")
		return otherwise
	}
	return bool(f)
}

// userData reads the fields of user_data that were sent.
func userData(raw json.RawMessage, problems *shopapi.Problems) map[string]string {
	sent := map[string]string{}
	var members map[string]json.RawMessage
	if wire.IsEmpty(raw) {
		return sent
	}
	if json.Unmarshal(raw, &members) != nil {
		problems.Add("user_data", "must be an object of the fields of an address, such as email and b_city")
		return sent
	}
	new(Customer).fields(func(name string, _ *string) {
		value, has := members[name]
		if !has {
			return
		}
		text, ok := wire.Text(value)
		if !ok {
			problems.Add(inUserData(name), "must be a single text")
		}
		sent[name] = text
	})
	return sent
}

// set changes the fields that were sent.
func (c *Customer) set(sent map[string]string) {
	c.fields(func(name string, text *string) {
		if value, ok := sent[name]; ok {
			*text = value
		}
	})
}

// notifyOf reads notify_user, notify_department and notify_vendor.
func notifyOf(p *shopapi.Payload, problems *shopapi.Problems) Notify {
	flag := func(name string) bool {
		raw := p.Raw(name)
		var f shopapi.Flag
		text, ok := wire.Text(raw)
		if raw == nil || text == "" && ok {
			return false
		}
		if !ok || f.UnmarshalText([]byte(text)) != nil {
			problems.Add(name, "must be Y or N")
		}
		return bool(f)
	}
	return Notify{User: flag("notify_user"), Department: flag("notify_department"), Vendor: flag("notify_vendor")}
}

// linesOf reads products: an object whose keys are ids of products or of lines, or any keys
// of objects with a product_id, or an array. nil is none.
func linesOf(p *shopapi.Payload, isNew, priced bool, problems *shopapi.Problems) []PurchaseLine {
	const form = `must be an object of products, such as {"12": {"amount": 2, "product_options": {"3": "7"}}}`
	raw := bytes.TrimSpace(p.Raw("products"))
	if len(raw) == 0 || string(raw) == "null" {
		if isNew {
			problems.Add("products", "is required: %s", form[len("must be "):])
		}
		return nil
	}
	keyed := raw[0] == '{'
	if !keyed && raw[0] != '[' {
		problems.Add("products", form)
		return nil
	}
	lines, valid := []PurchaseLine{}, true
	line := func(key string, item []byte) {
		if valid = valid && (item[0] == '{' || len(lines) > maxLines); !valid || len(lines) > maxLines {
			return
		}
		members := make(map[string]json.RawMessage, 4)
		jsontext.Members(item, func(name, value []byte) { members[jsontext.Name(name)] = value })
		lines = append(lines, lineOf(key, keyed, members, isNew, priced, problems))
	}
	if keyed {
		jsontext.Members(raw, func(name, item []byte) { line(jsontext.Name(name), item) })
	} else {
		jsontext.Elements(raw, func(item []byte) { line(strconv.Itoa(len(lines)), item) })
	}
	switch {
	case !valid:
		problems.Add("products", form)
		return nil
	case len(lines) == 0:
		problems.Add("products", "must have at least one product")
	case len(lines) > maxLines:
		problems.Add("products", "must have at most %d products", maxLines)
		return nil
	}
	return lines
}

// lineOf reads one of products.
func lineOf(key string, keyed bool, members map[string]json.RawMessage, isNew, priced bool, problems *shopapi.Problems) PurchaseLine {
	l := PurchaseLine{Key: key}
	field := func(name string) string { return l.field() + "[" + name + "]" }
	if raw, ok := members["product_id"]; ok {
		l.ProductID = wholeNumber(raw, 1, math.MaxInt64, field("product_id"), problems)
	} else if isNew || !keyed { // the index of an array names no product
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil || !keyed || id < 1 {
			problems.Add(field("product_id"), "is required where the key is not the id of a product")
		}
		l.ProductID = id
	}
	if raw, ok := members["amount"]; ok {
		l.Amount = wholeNumber(raw, 1, maxPieces, field("amount"), problems)
	} else if isNew {
		problems.Add(field("amount"), "is required: a number of pieces from 1")
	}
	if raw, ok := members["product_options"]; ok {
		l.Selection = options.Selection{}
		if err := l.Selection.UnmarshalJSON(raw); err != nil {
			problems.Add(field("product_options"), "%s", err)
		}
	}
	if !isNew || priced {
		l.Price = amountOf(members["price"], field("price"), problems)
	}
	if !isNew {
		l.Discount = amountOf(members["discount"], field("discount"), problems)
	}
	return l
}

// field is how problems name the line.
func (l *PurchaseLine) field() string { return "products[" + l.Key + "]" }

// shippingOf reads shipping_id: an id, or an object of ids by company.
func shippingOf(raw json.RawMessage, problems *shopapi.Problems) (one int64, by map[int64]int64) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return 0, nil
	}
	id := func(raw json.RawMessage) int64 {
		return wholeNumber(raw, 0, math.MaxInt64, "shipping_id", problems)
	}
	var list []json.RawMessage
	var members map[string]json.RawMessage
	switch {
	case json.Unmarshal(raw, &list) == nil:
		for i, item := range list {
			if members == nil {
				members = map[string]json.RawMessage{}
			}
			members[strconv.Itoa(i)] = item
		}
	case raw[0] == '{':
		_ = json.Unmarshal(raw, &members) // it was read before
	default:
		return id(raw), nil
	}
	if len(members) > maxLines {
		problems.Add("shipping_id", "must have at most %d items", maxLines)
		return 0, nil
	}
	by = map[int64]int64{}
	for key, item := range members {
		company, err := strconv.ParseInt(key, 10, 64)
		if err != nil || company < 0 {
			problems.Add("shipping_id", "must be one id, or an object of ids by the ids of companies")
			return 0, nil
		}
		by[company] = id(item)
	}
	return 0, by
}

// wholeNumber reads a number or a text of one, within bounds.
func wholeNumber(raw json.RawMessage, low, high int64, field string, problems *shopapi.Problems) int64 {
	text, _ := wire.Text(raw)
	n, ok := wire.ParseWhole(text)
	if !ok || n < low || n > high {
		if high == math.MaxInt64 {
			problems.Add(field, "must be a whole number from %d", low)
		} else {
			problems.Add(field, "must be a whole number from %d to %d", low, high)
		}
		return 0
	}
	return n
}

// amountOf reads an amount of money of a line, nil where none was sent.
func amountOf(raw json.RawMessage, field string, problems *shopapi.Problems) *decimal.Decimal {
	text, ok := wire.Text(raw)
	if raw == nil || ok && text == "" {
		return nil
	}
	d, err := decimal.Parse(text)
	if err != nil || d.IsNeg() || d.Cmp(pricing.Max) > 0 || resource.DecimalPlaces(text) > 2 {
		problems.Add(field, "must be a number from 0 to %s with at most 2 decimals", pricing.Max)
		return nil
	}
	d = d.Rescale(2)
	return &d
}

// textOf is the text of a single value, "" of none.
func textOf(raw json.RawMessage) string {
	text, _ := wire.Text(raw)
	return text
}
