package pull

import (
	"cmp"
	"context"
	"encoding"
	"slices"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

var orderCollection = collection{
	name: "orders", lists: []listing{{path: "orders", key: "order_id", brief: []string{"is_parent_order"}}}, single: true,
	quick: true, skipped: skippedOrder, prepare: findChildLists, children: readChildLists,
	arrange: func(_ *puller, items []item) []item {
		part := func(it *item) int {
			if text, _ := wire.Text(it.member("is_parent_order")); text == "Y" {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(items, func(a, b item) int { // ids are numbers without zeros in front
			return cmp.Or(cmp.Compare(part(&a), part(&b)), cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
		})
		return items
	},
	rows: func(ctx context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		if _, ok := o.number("order_id"); !ok {
			return nil, nil
		}
		if err := p.goodsOf(ctx, o); err != nil {
			return nil, err
		}
		p.tellOfMissing(o)
		s, id := p.schema("orders"), o.int("order_id")
		set := p.orderColumns(o)
		history, issued := p.historyOf(o, id), p.documentsOf(o, id, set)
		first := own(s, o.row(s, set))
		o.stamp(&first)
		first.kept, first.follows = append(first.kept, "counted"), append(first.follows, "counted")
		if issued.unread {
			first.kept = append(first.kept, "invoice_date", "credit_memo_date")
		}
		return []taken{{entity: "orders", id: o.id, raw: o, parts: []part{first, history, issued}}}, nil
	},
	// A parent that no list shows is named by its children.
	follow: func(o *object, has func(string) bool) []item {
		parent := o.text("parent_order_id")
		if parent == "" || parent == "0" || has(parent) {
			return nil
		}
		return []item{{id: parent, list: "orders"}}
	},
}

// tellOfMissing reports what an order names and the old shop does not list.
func (p *puller) tellOfMissing(o *object) {
	missing := func(entity, id string) {
		if id != "" && id != "0" && p.completed[entity] && !p.seen[entity][id] {
			p.report.notCarried(entity+" that orders name and nobody has", id)
		}
	}
	missing("users", o.text("user_id"))
	for _, e := range o.list("products") {
		missing("products", o.under(e.Value).text("product_id"))
	}
	if letter := o.text("status"); p.completed["statuses"] {
		if _, listed := p.stock[letter]; !listed {
			p.report.notCarried("statuses that orders have and nobody lists", letter)
		}
	}
}

// orderColumns are the columns of an order that are made of several fields.
func (p *puller) orderColumns(o *object) columns {
	lines := p.lines(o)
	methods := p.methods(o, lines)
	taxes := p.taxes(o, lines, methods)
	var pieces int64
	for i := range lines {
		pieces += lines[i].Amount
	}
	set := columns{
		"cname":            store.String(join(o.text("firstname"), o.text("lastname"))),
		"pieces":           store.Int(pieces),
		"customer":         store.String(join(o.text("lastname"), o.text("firstname"))),
		"billing":          document(o, "b_address", addressOf(o, "b_")),
		"shipping":         document(o, "s_address", addressOf(o, "s_")),
		"products":         document(o, "products", lines),
		"taxes":            document(o, "taxes", taxes),
		"shipping_methods": document(o, "shipping", methods),
		"payment_method":   document(o, "payment_method", paymentOf(o)),
		"subtotal":         amount(o.decimal("subtotal", 2), 2),
		"tax_subtotal":     amount(o.decimal("tax_subtotal", 2), 2),
		"shipping_ids":     store.String(shippingIDs(o, methods)),
	}
	for _, name := range []string{"invoice_id", "credit_memo_id", "issuer_id", "repaid"} {
		text := o.text(name)
		written := p.source == "" && (name == "invoice_id" || name == "credit_memo_id") // other servers have 0 for none
		if text == "" || text == "0" && !written {
			set[name] = store.Null
		}
	}
	// An invoice whose document cannot be read counts as written elsewhere. Data of payments
	// stay in the old shop.
	set["invoice_date"], set["credit_memo_date"], set["payment_info"] = store.Null, store.Null, store.String("")
	// A new row is counted from the beginning, so that orders.CountSales has few rows to change
	// in its transaction.
	letter := o.text("status")
	set["counted"] = store.Bool(!o.flag("is_parent_order") && (letter == "" || p.stock[letter]))
	return set
}

// document is a value in its stored form.
func document(o *object, field string, v encoding.TextMarshaler) store.Value {
	text, err := v.MarshalText()
	if err != nil {
		o.problem(field, err.Error())
	}
	return store.String(string(text))
}

func addressOf(o *object, prefix string) orders.Address {
	return orders.Address{
		FirstName: o.text(prefix + "firstname"), LastName: o.text(prefix + "lastname"), Street: o.text(prefix + "address"),
		Street2: o.text(prefix + "address_2"), City: o.text(prefix + "city"), County: o.text(prefix + "county"),
		State: o.text(prefix + "state"), Country: o.text(prefix + "country"), Zipcode: o.text(prefix + "zipcode"),
		Phone: o.text(prefix + "phone"),
	}
}

func shippingIDs(o *object, methods orders.Methods) string {
	if text := o.text("shipping_ids"); text != "" {
		return text
	}
	text := ""
	for i := range methods {
		if i > 0 {
			text += ","
		}
		text += strconv.FormatInt(methods[i].ShippingID, 10)
	}
	return text
}

// lines returns the lines of an order. If its status reserves stock, the pieces that were
// not shipped yet are reserved.
func (p *puller) lines(o *object) orders.Lines {
	list := orders.Lines{}
	holds := p.stock[o.text("status")] && !o.flag("is_parent_order")
	weight, alone := p.groupWeights(o)
	for _, e := range o.objects("products") {
		line := e.object
		if !line.has("item_id") {
			line.members["item_id"] = []byte(strconv.Quote(e.Key))
		}
		extra := line.under(line.members["extra"])
		l := orders.Line{
			ItemID: line.int("item_id"), ProductID: line.int("product_id"), CompanyID: line.company(),
			Code: line.text("product_code"), Name: cmp.Or(line.text("product"), extra.text("product")), Status: line.text("product_status"),
			Amount: line.int("amount"), Price: line.decimal("price", 2), Discount: line.decimal("discount", 2),
			Tax: line.decimal("tax_value", 2), Taxes: lineTaxes(line), IsEDP: extra.flag("is_edp"), EDPShipping: extra.flag("edp_shipping"),
			UnlimitedDownload: extra.flag("unlimited_download"),
		}
		l.BasePrice = l.Price
		if line.has("base_price") {
			l.BasePrice = line.decimal("base_price", 2)
		}
		l.Subtotal = l.Price
		if line.has("subtotal") {
			l.Subtotal = line.decimal("subtotal", 2)
		} else if product, err := l.Price.Mul(decimal.MustNew(l.Amount, 0)); err == nil {
			l.Subtotal = product.Round(2).Pad(2)
		}
		p.choices(&l, line, extra)
		of := p.weights[l.ProductID]
		l.Weight, l.Freight, l.FreeShipping = of.weight.Pad(3), of.freight.Pad(2), of.freeShipping
		if w, ok := weight[l.ItemID]; ok && alone[l.ItemID] && l.Amount > 0 {
			if each, err := w.Quo(decimal.MustNew(l.Amount, 0)); err == nil {
				l.Weight = each.Round(3).Pad(3)
			}
		}
		l.Ships = !l.FreeShipping && !(l.IsEDP && !l.EDPShipping)
		if holds && of.tracking != "" && of.tracking != products.DoNotTrack && !line.flag("deleted_product") {
			l.Reserved = max(0, l.Amount-line.int("shipped_amount"))
			byOptions := of.tracking == products.TrackByOptions
			l.FromCombination = byOptions && l.Reserved > 0
			if line.int("shipped_amount") > 0 {
				from := orders.Consumption{ItemID: l.ItemID, ProductID: l.ProductID}
				if byOptions {
					from.Combination = l.Combination
				}
				p.shipped[shippedLine{o.id, l.ItemID}] = from
			}
		}
		list = append(list, l)
	}
	return list
}

// choices sets the chosen variants of a line's options.
func (p *puller) choices(l *orders.Line, line, extra *object) {
	for _, e := range extra.list("product_options_value") {
		c := line.under(e.Value)
		l.Choices = append(l.Choices, options.Choice{
			OptionID: c.int("option_id"), Type: c.text("option_type"), Name: c.text("option_name"), Value: c.text("value"),
			VariantName: c.text("variant_name"), Modifier: c.decimal("modifier", 3), ModifierType: cmp.Or(c.text("modifier_type"), "A"),
		})
	}
	inventory := options.VariantOf{}
	for _, e := range extra.list("product_options") {
		value, ok := wire.Text(e.Value)
		if !ok || e.ID() == 0 {
			continue
		}
		if l.Selection == nil {
			l.Selection = options.Selection{}
		}
		l.Selection[e.ID()] = value
		if n, ok := wire.ParseInt(value); ok {
			inventory[e.ID()] = n
		}
	}
	// The combination is of the options alone that take part in the stock.
	for _, c := range p.combinations[l.ProductID] {
		if c.fits(inventory) {
			l.Combination = c.hash
		}
	}
}

// groupWeights returns the weights of lines that are alone in their group: the server
// sends only the weight of a group.
func (p *puller) groupWeights(o *object) (weight map[int64]decimal.Decimal, alone map[int64]bool) {
	weight, alone = map[int64]decimal.Decimal{}, map[int64]bool{}
	for _, e := range o.list("product_groups") {
		g := o.under(e.Value)
		lines := g.list("products")
		info := g.under(g.members["package_info"])
		if len(lines) != 1 || !info.has("W") {
			continue
		}
		id := lines[0].ID()
		weight[id], alone[id] = info.decimal("W", 3), true
	}
	return weight, alone
}

// methods are the shipping methods of an order.
func (p *puller) methods(o *object, lines orders.Lines) orders.Methods {
	list := orders.Methods{}
	groups := o.list("product_groups")
	company := func(key int64) int64 {
		for i, e := range groups {
			if int64(i) == key || e.ID() == key && key != 0 {
				return o.under(e.Value).company()
			}
		}
		return o.company()
	}
	taxed := p.shippingTaxes(o)
	for _, e := range o.list("shipping") {
		m := o.under(e.Value)
		id := m.int("shipping_id")
		list = append(list, orders.Method{
			ShippingID: id, CompanyID: company(m.int("group_key")), GroupName: m.text("group_name"), Name: m.text("shipping"),
			DeliveryTime: m.text("delivery_time"), RateCalculation: m.text("rate_calculation"), Destination: m.text("destination"),
			MinWeight: m.decimal("min_weight", 2), MaxWeight: m.decimal("max_weight", 2), ServiceID: m.int("service_id"),
			TaxIDs: taxed[id], Rate: m.decimal("rate", 2),
		})
	}
	return list
}

// paymentOf is the payment method of an order.
func paymentOf(o *object) orders.PaymentMethod {
	m := o.under(o.members["payment_method"])
	var made orders.PaymentMethod
	if m.int("payment_id") == 0 {
		return made
	}
	made.Payment = payments.Payment{
		PaymentID: m.int("payment_id"), CompanyID: m.company(), Position: m.int("position"), Status: m.text("status"),
		Template: m.text("template"), ProcessorID: m.int("processor_id"), ASurcharge: m.decimal("a_surcharge", 3),
		PSurcharge: m.decimal("p_surcharge", 3), Category: m.text("payment_category"),
		Name: m.text("payment"), Description: m.text("description"), Instructions: m.text("instructions"),
		SurchargeTitle: m.text("surcharge_title"), LangCode: m.text("lang_code"), Localization: m.text("localization"),
	}
	made.UsergroupIDs, made.TaxIDs = shopapi.IDList(m.text("usergroup_ids")), shopapi.IDList(m.text("tax_ids"))
	return made
}

var shipmentCollection = simple(collection{
	name: "shipments", lists: []listing{{path: "shipments", key: "shipment_id"}}, quick: true, prepare: readSkipped, mustRead: ofReadOrder,
}, "shipments", "shipment_id", func(p *puller, o *object) columns {
	if id := o.text("order_id"); !p.seen["orders"][id] {
		p.report.notCarried("orders that shipments name and nobody has", id)
	}
	return columns{
		"products": canonical[orders.Quantities](o, "products", new(orders.Quantities)),
		"consumed": document(o, "products", p.consumed(o)),
	}
})

// A shippedLine is a line of an order of which pieces were shipped.
type shippedLine struct {
	order string
	item  int64
}

// consumed returns the pieces that a shipment took from the reserved ones of its order.
func (p *puller) consumed(o *object) orders.Consumed {
	var list orders.Consumed
	for _, e := range o.list("products") {
		from, ok := p.shipped[shippedLine{o.text("order_id"), e.ID()}]
		if n, whole := wholeNumber(e.Value); ok && whole && n > 0 {
			from.Pieces = n
			list = append(list, from)
		}
	}
	return list
}
