package carts

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// loadDetails sets the computed fields of carts on their own.
func (c *Carts) loadDetails(ctx context.Context, tx store.Tx, rows ...*row) error {
	ids, list := make([]int64, len(rows)), make([]*Summary, len(rows))
	for i, r := range rows {
		ids[i], list[i] = r.UserID, &r.Summary
	}
	lines, err := c.linesOf(ctx, tx, ids...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		r.Products = lines[r.UserID]
		r.sum(r.Products)
	}
	return c.nameOwners(ctx, list...)
}

// sum sets the number of pieces and the total of a cart.
func (s *Summary) sum(lines []Line) {
	s.CartProducts, s.Total = 0, decimal.MustNew(0, 2)
	for i := range lines {
		s.CartProducts += lines[i].Amount
		if sum, err := s.Total.Add(lines[i].total()); err == nil {
			s.Total = sum
		}
	}
}

// total is the price of a line. Limits of prices and amounts prevent an overflow.
func (l *Line) total() decimal.Decimal {
	total, err := l.Price.Mul(decimal.MustNew(l.Amount, 0))
	if err != nil {
		return pricing.Max
	}
	return pricing.Round(total)
}

// linesOf reads the lines of carts with products and prices, in at most five reads.
func (c *Carts) linesOf(ctx context.Context, tx store.Tx, carts ...int64) (map[int64][]Line, error) {
	lines := make(map[int64][]Line, len(carts))
	var all []owned
	err := lineTable.Each(tx, store.Query{Where: []store.Cond{store.InInts("user_id", carts...)}}, func(r *lineRow) error {
		lines[r.UserID] = append(lines[r.UserID], r.line())
		all = append(all, owned{r.UserID, len(lines[r.UserID]) - 1})
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]*Line, len(all))
	for i, o := range all {
		list[i] = &lines[o.cart][o.index]
	}
	if err := c.price(ctx, tx, list); err != nil {
		return nil, err
	}
	for _, of := range lines {
		countProducts(of)
	}
	return lines, nil
}

// An owned is a line with the id of its cart.
type owned struct {
	cart  int64
	index int
}

// countProducts sets, for each line, the number of pieces of its product in the cart.
func countProducts(lines []Line) {
	total := make(map[int64]int64, len(lines))
	for i := range lines {
		total[lines[i].ProductID] += lines[i].Amount
	}
	for i := range lines {
		lines[i].Extra.AmountTotal = total[lines[i].ProductID]
	}
}

// price sets the fields of lines that come from products and options. Products that the
// user of ctx may not see give neither name nor price, as deleted ones.
func (c *Carts) price(ctx context.Context, tx store.Tx, lines []*Line) error {
	goods, err := c.products(ctx, tx, lines)
	if err != nil {
		return err
	}
	modifiers, err := c.modifiers(ctx, tx, lines)
	if err != nil {
		return err
	}
	for _, l := range lines {
		product, visible := goods[l.ProductID]
		if !visible {
			l.describe(&products.Summary{ProductID: l.ProductID}, nil)
			continue
		}
		l.describe(&product, modifiers[l])
	}
	return nil
}

// modifiers returns the price modifiers of the chosen options. Deleted variants have
// none.
func (c *Carts) modifiers(ctx context.Context, tx store.Tx, lines []*Line) (map[*Line][]pricing.Modifier, error) {
	if c.options == nil {
		return nil, nil
	}
	var chosen []*Line
	var asked []options.Line
	for _, l := range lines {
		if len(l.Extra.ProductOptions) > 0 {
			chosen = append(chosen, l)
			asked = append(asked, options.Line{ProductID: l.ProductID, Selection: options.Selection(l.Extra.ProductOptions)})
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	var problems shopapi.Problems // choices were valid when the line was written
	resolved, err := c.options.Resolve(ctx, tx, &problems, asked...)
	if err != nil {
		return nil, err
	}
	modifiers := make(map[*Line][]pricing.Modifier, len(chosen))
	for i, l := range chosen {
		modifiers[l] = resolved[i].Modifiers
	}
	return modifiers, nil
}

// products reads the products of lines that the user of ctx may see (decisions §11).
func (c *Carts) products(ctx context.Context, tx store.Tx, lines []*Line) (map[int64]products.Summary, error) {
	ids := make([]int64, len(lines))
	for i, l := range lines {
		ids[i] = l.ProductID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	read := c.hostProducts
	if c.goods != nil {
		read = func(ctx context.Context, ids []int64) (map[int64]products.Summary, error) {
			return c.goods.ByID(ctx, tx, ids...)
		}
	}
	found, err := read(ctx, ids)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(found, func(_ int64, p products.Summary) bool { return !resource.Visible(ctx, p.CompanyID) })
	return found, nil
}

// hostProducts reads products of a host's entity.
func (c *Carts) hostProducts(ctx context.Context, ids []int64) (map[int64]products.Summary, error) {
	found := make(map[int64]products.Summary, len(ids))
	for _, id := range ids {
		object, err := c.api.Lookup(ctx, "products", shopapi.FormatID(id))
		switch {
		case errors.Is(err, shopapi.ErrNotFound):
		case errors.Is(err, shopapi.ErrNotRegistered):
			found[id] = products.Summary{ProductID: id, CompanyID: resource.DefaultCompany(ctx, c.api)}
		case err != nil:
			return nil, err
		default:
			found[id] = productOf(id, object, resource.DefaultCompany(ctx, c.api))
		}
	}
	return found, nil
}

// productOf returns the fields of a host's product that a cart shows. A product without
// company_id belongs to the given company.
func productOf(id int64, object any, company int64) products.Summary {
	field := func(name string) string { text, _ := shopapi.Field(object, name); return text }
	price, err := decimal.Parse(field("price"))
	if err != nil || price.IsNeg() {
		price = decimal.Zero
	}
	if own, known := resource.CompanyIn(object); known {
		company = own
	}
	return products.Summary{
		ProductID: id, Name: field("product"), Code: field("product_code"), Price: price, CompanyID: company,
		OptionsType: field("options_type"), ExceptionsType: field("exceptions_type"),
	}
}

// describe sets the fields of a line that come from its product.
func (l *Line) describe(p *products.Summary, modifiers []pricing.Modifier) {
	base := pricing.Round(p.Price)
	price, err := pricing.UnitPrice(p.Price, modifiers)
	if err != nil {
		price = pricing.Max
	}
	added, _ := price.Sub(base) // amounts are limited
	l.Price, l.Product = price, p.Name
	l.Extra = Extra{
		ProductID: l.ProductID, ProductOptions: l.Extra.ProductOptions, Amount: l.Amount, AmountTotal: l.Extra.AmountTotal,
		Price: Number{price}, BasePrice: Number{base}, DisplayPrice: Number{price}, ModifiersPrice: Number{added}, Discount: Number{decimal.Zero},
		Product: p.Name, ProductCode: p.Code, CompanyID: shopapi.FormatID(p.CompanyID),
		OptionsType: p.OptionsType, ExceptionsType: p.ExceptionsType, IsEDP: p.IsEDP.String(), EDPShipping: p.EDPShipping.String(),
		StoredPrice: "N", StoredDiscount: "N", MainPair: p.MainPair,
		Extra: MoreExtra{ProductOptions: l.Extra.ProductOptions, UnlimitedDownload: p.UnlimitedDownload.String()},
	}
}

// nameOwners sets the owners of carts, in one read if the users are the library's. Users of the
// host's may have changed their names since the copies in the carts were made.
func (c *Carts) nameOwners(ctx context.Context, list ...*Summary) error {
	var ids []int64
	for _, s := range list {
		if !IsGuest(s.UserID) {
			ids = append(ids, s.UserID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	owners, err := c.people(ctx, ids)
	if err != nil {
		return err
	}
	for _, s := range list {
		user := owners[s.UserID]
		s.UserData.User = user
		if c.users == nil && user != nil {
			first, _ := shopapi.Field(user, "firstname")
			last, _ := shopapi.Field(user, "lastname")
			s.FirstName, s.LastName = pointer(first), pointer(last)
		}
	}
	return nil
}

// people reads the users that the user of ctx may see, by id.
func (c *Carts) people(ctx context.Context, ids []int64) (map[int64]any, error) {
	found := make(map[int64]any, len(ids))
	if c.users != nil {
		list, err := c.users.ByID(ctx, ids...)
		for id := range list {
			found[id] = list[id]
		}
		return found, err
	}
	for _, id := range ids {
		user, err := c.api.Lookup(ctx, "users", shopapi.FormatID(id))
		switch {
		case errors.Is(err, shopapi.ErrNotFound), errors.Is(err, shopapi.ErrNotRegistered):
		case err != nil:
			return nil, err
		default:
			found[id] = user
		}
	}
	return found, nil
}
