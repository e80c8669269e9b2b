package orders

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// change applies a change to a stored order. If the content changes, all amounts are
// computed again; this replaces a total that was written earlier, unless the change writes
// one (decisions §26).
func (o *Orders) change(ctx context.Context, tx store.Tx, before, after *Order, asked *Change, problems *shopapi.Problems) error {
	o.readAheadOfStatus(ctx, tx, before, after)
	if err := checkLetterOf(tx, before, after, problems); err != nil {
		return err
	}
	ctx = inLanguage(ctx, before)
	if after.UserID != before.UserID && after.UserID > 0 {
		if _, _, err := o.profile(ctx, after.UserID, problems); err != nil {
			return err
		}
	}
	if asked.Customer != nil {
		had := after.customer()
		c := had
		asked.Customer(&c)
		c.normalize()
		c.check(&had, problems)
		if after.UserID == 0 {
			if err := o.checkGuest(ctx, after.CompanyID, c.missing(&had), problems); err != nil {
				return err
			}
		}
		after.setCustomer(&c)
	}
	lines, err := o.changedLines(ctx, tx, before, asked, problems)
	if err != nil {
		return err
	}
	after.Lines = lines.all
	after.entry.compareCustomer(before.customer(), after.customer())
	after.entry.compareLines(before.Lines, after.Lines)
	if before.isInvoiced() {
		before.refuseChange(after, asked, lines, problems)
		return o.changeStock(ctx, tx, before, after, lines, problems)
	}
	if err := o.changeAmounts(ctx, tx, before, after, asked, lines, problems); err != nil {
		return err
	}
	return o.changeStock(ctx, tx, before, after, lines, problems)
}

// changeStock has an order take and give back pieces of the stock: all pieces when its status
// begins or ends to take stock, else the difference of its lines.
func (o *Orders) changeStock(ctx context.Context, tx store.Tx, before, after *Order, lines *lineChange, problems *shopapi.Problems) error {
	if !lines.changed && after.Status == before.Status || after.NoStock || problems.Err() != nil {
		return nil
	}
	had, err := o.statusOf(ctx, tx, before.Status)
	if err != nil {
		return err
	}
	has := had
	if after.Status != before.Status {
		if has, err = o.statusOf(ctx, tx, after.Status); err != nil {
			return err
		}
	}
	var plan stockPlan
	entering := has.TakesStock() && !had.TakesStock()
	hadLines, hasLines := before.Lines.byItem(), after.Lines.byItem()
	for i := range before.Lines {
		old := before.Lines[i] // a copy: release changes it
		now := hasLines[old.ItemID]
		if now == nil || !has.TakesStock() || entering {
			plan.release(&old)
			if now != nil {
				now.Reserved, now.FromCombination = 0, false
			}
		}
	}
	if has.TakesStock() {
		stock, err := o.readStock(tx, after.Lines)
		if err != nil {
			return err
		}
		for i := range after.Lines {
			l := &after.Lines[i]
			left := l.Amount - before.Shipped[l.ItemID]
			field := lines.fields[i]
			if entering {
				field = "status"
			}
			switch old := hadLines[l.ItemID]; {
			case entering || old == nil:
				stock.take(&plan, l, left, left, field)
			case l.Amount > old.Amount:
				stock.take(&plan, l, l.Amount-old.Amount, left, field)
			default:
				l.reduce(&plan, left)
			}
		}
		if err := o.checkStock(ctx, after.CompanyID, stock, &plan, problems); err != nil {
			return err
		}
	}
	after.moves = plan.moves()
	return nil
}

// A lineChange is what a change does to the lines of an order.
type lineChange struct {
	all     Lines
	fields  []string // how problems name each of them
	changed bool

	added    bool
	unpriced []string // new lines without a price, as problems name them
}

// changedLines are the lines that an order is to have.
func (o *Orders) changedLines(ctx context.Context, tx store.Tx, before *Order, asked *Change, problems *shopapi.Problems) (*lineChange, error) {
	c := &lineChange{all: slices.Clone(before.Lines)}
	for i := range c.all {
		c.fields = append(c.fields, "products["+shopapi.FormatID(c.all[i].ItemID)+"]")
	}
	if asked.Lines == nil {
		return c, nil
	}
	if n := len(asked.Lines); n == 0 || n > maxLines {
		problems.Add("products", "must have 1 to %d products", maxLines)
		return c, nil
	}
	kept, added := keptLines(before, asked.Lines, problems)
	checkShipped(before, kept, problems)
	c.all, c.fields = nil, nil
	for i := range before.Lines {
		if k, ok := kept[before.Lines[i].ItemID]; ok {
			c.all, c.fields = append(c.all, k.Line), append(c.fields, k.field)
		}
	}
	c.changed = !reflect.DeepEqual(c.all, before.Lines)
	if len(added) == 0 {
		return c, nil
	}
	m := &lineMaker{Orders: o, ctx: ctx, tx: tx, problems: problems, prices: true}
	lines, err := m.newLines(added)
	if err != nil {
		return nil, err
	}
	had, has := before.Lines.byItem(), c.all.byItem()
	for i := range lines {
		l := lines[i].Line
		if l.CompanyID != before.CompanyID && o.api.Edition() != shopapi.SingleStore {
			problems.Add(lines[i].field, "must name a product of the company %d, whose order this is", before.CompanyID)
		}
		l.ItemID = itemID(keyOf(l.ProductID, l.Selection), func(id int64) bool { return has[id] != nil || had[id] != nil })
		has[l.ItemID] = &lines[i].Line
		l.FromCombination = false
		c.all, c.fields = append(c.all, l), append(c.fields, lines[i].field)
		if lines[i].sent == nil {
			c.unpriced = append(c.unpriced, lines[i].field)
		}
	}
	c.changed, c.added = true, true
	return c, nil
}

// A keptLine is a line of an order that a change names.
type keptLine struct {
	Line
	field           string           // of the entry that names it first
	price, discount *decimal.Decimal // as sent; nil if omitted
}

// add adds an entry to a line that a change keeps. Amounts and discounts of several
// entries add up; a price that one of them has counts (decisions §26).
func (k *keptLine) add(old *Line, asked *PurchaseLine, problems *shopapi.Problems) {
	n := asked.Amount
	if n == 0 {
		n = old.Amount
	}
	if k.Amount += n; n < 1 || k.Amount > maxPieces {
		problems.Add(asked.field()+"[amount]", "must be a whole number from 1 to %d", maxPieces)
	}
	if asked.Price != nil {
		checkSamePrice(k.price, asked, k.field, problems)
		k.price = asked.Price
	}
	if asked.Discount != nil {
		sum := *asked.Discount
		if k.discount != nil {
			sum = plus(*k.discount, sum)
		}
		k.discount = &sum
	}
}

// checkSamePrice refuses two entries of one line that send different prices.
func checkSamePrice(before *decimal.Decimal, asked *PurchaseLine, field string, problems *shopapi.Problems) {
	if before != nil && asked.Price != nil && !before.Equal(*asked.Price) {
		problems.Add(asked.field()+"[price]", "must be %s, as that of %s, which names the same line", before, field)
	}
}

// line returns the line with the changes of the request.
func (k *keptLine) line() Line {
	l := k.Line
	if k.price != nil && !k.price.Equal(l.Price) {
		l.Price = *k.price
	}
	if k.discount != nil && !k.discount.Equal(l.Discount) {
		l.Discount = *k.discount
	}
	return l
}

// keptLines separates the lines of a change into existing and new ones.
func keptLines(before *Order, list []PurchaseLine, problems *shopapi.Problems) (kept map[int64]keptLine, added []PurchaseLine) {
	kept = map[int64]keptLine{}
	lines := indexLines(before.Lines)
	for i, asked := range list {
		asked.name(i)
		if named := lines.named(asked.Key); named != nil && asked.ProductID != 0 && asked.ProductID != named.ProductID {
			problems.Add(asked.field()+"[product_id]", "must be %d, the product of the line %d, or be left out: another product needs an entry of its own", named.ProductID, named.ItemID)
			continue
		}
		old, product, several := asked.of(lines)
		if len(several) > 0 {
			problems.Add(asked.field()+"[product_options]", "is required: several lines have the product %d (%s)", product, strings.Join(several, ", "))
			continue
		}
		if old == nil {
			asked.ProductID = product
			switch {
			case product < 1:
				problems.Add(asked.field()+"[product_id]", "is required where the key is neither the id of a line nor of a product")
			case asked.Amount < 1 || asked.Amount > maxPieces:
				problems.Add(asked.field()+"[amount]", "must be a whole number from 1 to %d", maxPieces)
			default:
				added = append(added, asked)
			}
			continue
		}
		k, twice := kept[old.ItemID]
		if !twice {
			k = keptLine{Line: *old, field: asked.field()}
			k.Amount = 0
		}
		k.add(old, &asked, problems)
		kept[old.ItemID] = k
	}
	for id, k := range kept {
		k.Line = k.line()
		kept[id] = k
	}
	return kept, added
}

// A lineIndex finds the lines of an order. Requests name a thousand of a thousand.
type lineIndex struct {
	items   map[int64]*Line
	product map[int64][]*Line
	keys    map[lineKey][]*Line
}

func indexLines(lines Lines) *lineIndex {
	x := &lineIndex{lines.byItem(), map[int64][]*Line{}, map[lineKey][]*Line{}}
	for i := range lines {
		l := &lines[i]
		key := keyOf(l.ProductID, chosen(l.Selection))
		x.product[l.ProductID] = append(x.product[l.ProductID], l)
		x.keys[key] = append(x.keys[key], l)
	}
	return x
}

// named returns the line of which a key is the item id, or nil.
func (x *lineIndex) named(key string) *Line {
	id, err := shopapi.ParseID("line", key)
	if err != nil {
		return nil
	}
	return x.items[id]
}

// shownLines is how many lines a problem names: a thousand entries may have it.
const shownLines = 10

// of returns the line of an order that the entry refers to, or the product of a new line.
// The key is the id of a line; else product_id or the key is the id of a product of which
// exactly one line has the same options. several are ids of the product's lines if
// the options are omitted and do not determine one.
func (l *PurchaseLine) of(lines *lineIndex) (old *Line, product int64, several []string) {
	choices := chosen(l.Selection)
	if named := lines.named(l.Key); named != nil {
		if l.Selection == nil || keyOf(0, choices) == keyOf(0, chosen(named.Selection)) {
			return named, 0, nil
		}
		return nil, named.ProductID, nil
	}
	if product = l.ProductID; product == 0 {
		product, _ = shopapi.ParseID("product", l.Key)
	}
	alike := lines.product[product]
	if l.Selection != nil {
		alike = lines.keys[keyOf(product, choices)]
	}
	switch {
	case len(alike) == 1:
		return alike[0], product, nil
	case len(alike) > 1 && l.Selection == nil:
		for _, other := range alike[:min(len(alike), shownLines)] {
			several = append(several, shopapi.FormatID(other.ItemID))
		}
	}
	return nil, product, several
}

// checkShipped notes lines that a change makes less than is shipped of them.
func checkShipped(before *Order, kept map[int64]keptLine, problems *shopapi.Problems) {
	for i := range before.Lines {
		l := &before.Lines[i]
		shipped := before.Shipped[l.ItemID]
		k, ok := kept[l.ItemID]
		switch {
		case shipped == 0:
		case !ok:
			problems.Add("products", "must have the line %d (%s), of which %d are shipped", l.ItemID, l.Name, shipped)
		case k.Amount < shipped:
			problems.Add(k.field+"[amount]", "must be at least %d, which are shipped", shipped)
		}
	}
}
