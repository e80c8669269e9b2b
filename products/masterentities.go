package products

import (
	"context"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

func masterDefinition(p *Products) resource.Definition[Product, Summary] {
	d := definition(p)
	d.Name, d.Object, d.List.Name = "master_products", "common product", "products"
	d.Summary = "Common products, of which vendors have offers."
	d.Scope.Company, d.Scope.Authorize = nil, nil
	d.Scope.Visible = func(_ context.Context, _ store.Tx, v *Product) (bool, error) { return v.CompanyID == 0, nil }
	d.Scope.Owner = func(context.Context, store.Tx, *Product) (shopapi.Ownership, error) {
		return shopapi.Ownership{Audience: shopapi.ForAll}, nil
	}
	d.Scope.VisibleConds = func(context.Context) []store.Cond { return []store.Cond{store.Equal("company_id", store.Int(0))} }
	d.Scope.Parents = []resource.Parent[Product]{underCategory}
	d.Scope.AuthorizeRequest = resource.ReadOnlyForVendors
	d.Filter = func() resource.Filter { return p.queryBelow() }
	d.Wire.Codes = codes(common)
	d.Wire.Bind = func(ctx context.Context, r *shopapi.Request, v *Product) error {
		var problems shopapi.Problems
		problems.Merge(p.bind(ctx, r, v))
		if v.ProductID == 0 && !r.Payload.Has("price") {
			problems.Add("price", "is required: what the product costs where an offer says nothing else")
		}
		return problems.Err()
	}
	d.Rules.Fields = append(nameRules(), shopapi.Rule{Field: "price", Required: true})
	d.Rules.RestoreImmutable = func(after, before *Product, problems *shopapi.Problems) {
		keep(after, before, problems)
		after.CompanyID = 0
	}
	d.Rows.Write = func(ctx context.Context, tx store.Tx, before, after *Product) error {
		if err := p.write(ctx, tx, before, after); err != nil || before.ProductID == 0 {
			return err
		}
		return p.changeOffers(ctx, tx, after.ProductID, func(offer *Product) { offer.follow(after) })
	}
	d.Rows.AfterWrite = func(ctx context.Context, tx store.Tx, master *Product) error {
		return p.eachOffer(ctx, tx, master.ProductID, func(offer *Product) error { return p.followTexts(ctx, tx, offer) })
	}
	d.Rows.Remove = func(ctx context.Context, tx store.Tx, v *Product) error {
		if err := p.changeOffers(ctx, tx, v.ProductID, func(offer *Product) { offer.MasterProductID = 0 }); err != nil {
			return err
		}
		if err := p.api.RunDeleteHooks(ctx, "products", v.ProductID); err != nil {
			return err
		}
		return p.remove(ctx, tx, v)
	}
	return d
}

func offerDefinition(p *Products) resource.Definition[Product, Summary] {
	d := definition(p)
	d.Name, d.Object, d.List.Name = "master_product_offers", "offer", "products"
	d.Summary = "What vendors offer of a common product."
	d.AliasOf = p.rows
	d.Filter = func() resource.Filter { return p.queryBelow() }
	d.Scope.Parents = []resource.Parent[Product]{{
		Entity: "master_products",
		Where: func(w *resource.Where, above resource.ParentRef) {
			w.Add(store.Equal("master_product_id", store.Int(above.ID)))
		},
		Contains: func(_ context.Context, _ store.Tx, above resource.ParentRef, v *Product) (bool, error) {
			return v.MasterProductID == above.ID, nil
		},
		SetParent: func(above resource.ParentRef, v *Product, _ *shopapi.Problems) { v.MasterProductID = above.ID },
	}}
	d.Wire.Codes = codes(offered)
	d.Wire.Bind = p.bindOffer
	d.Rules.RestoreImmutable = func(after, before *Product, problems *shopapi.Problems) {
		master := after.MasterProductID
		keep(after, before, problems)
		after.MasterProductID = master
	}
	d.Rules.Fields = []shopapi.Rule{featureRule, {Field: "company_id", Note: needsVendor}} // the name is the master's
	d.Rules.Derive = func(ctx context.Context, tx store.Tx, before, after *Product, problems *shopapi.Problems) error {
		if before.ProductID == 0 && len(after.CategoryIDs) == 0 {
			master, err := p.full(ctx, tx, after.MasterProductID)
			if err != nil {
				return err
			}
			after.CategoryIDs, after.MainCategory = master.CategoryIDs, master.MainCategory
		}
		return p.followMaster(ctx, tx, after, problems)
	}
	d.Rules.Check = func(ctx context.Context, tx store.Tx, before, after *Product, problems *shopapi.Problems) error {
		n, err := table.Count(tx, store.Equal("master_product_id", store.Int(after.MasterProductID)),
			store.Equal("company_id", store.Int(after.CompanyID)), store.NotEqual("product_id", store.Int(after.ProductID)))
		if err != nil {
			return err
		}
		if n > 0 {
			problems.Add("company_id", "has an offer of this product already: a vendor has one")
		}
		return p.check(ctx, tx, before, after, problems)
	}
	return d
}

const needsVendor = "is required, but for vendors: the vendor whose offer it is"

// bindOffer lays a payload over an offer, which begins with the price of its master.
func (p *Products) bindOffer(ctx context.Context, r *shopapi.Request, v *Product) error {
	var problems shopapi.Problems
	if v.ProductID == 0 {
		if _, confined := shopapi.CompanyOf(ctx); !confined && !r.Payload.Has("company_id") {
			problems.Add("company_id", needsVendor)
		}
		above, _ := r.Parent()
		if text, ok := shopapi.Field(above.Data, "price"); ok {
			if price, err := decimal.Parse(text); err == nil {
				v.Price = price
			}
		}
	}
	problems.Merge(p.bind(ctx, r, v))
	v.MainPair.Check(&problems, "main_pair") // the common product's takes its place
	return problems.Err()
}

func (p *Products) queryBelow() *parameters {
	q := p.query(Filter{})
	q.below = true
	return q
}
