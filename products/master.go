package products

import (
	"context"
	"net/http"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A common product, or master, is a product of company 0 that is not sold. Vendors have
// offers of it: products of theirs with its texts, features and images, which are copied
// at each change of the master (decisions §21). Package masterproducts has the entities.

// A Master is what a product shows of common products.
type Master struct {
	Status string // of the one that it is an offer of, or is
	Offers int64  // of it, where it is one
}

// RegisterMasters adds common products and their offers to the API, for package
// masterproducts, and has products tell of them.
func (p *Products) RegisterMasters(ctx context.Context) (masters, offers resource.Collection[Product, Summary], err error) {
	p.masters = true
	if masters, err = resource.Register(ctx, p.api, p.st, p.masterDefinition()); err != nil {
		return nil, nil, err
	}
	if offers, err = resource.New(p.api, p.st, p.offerDefinition()); err != nil {
		return nil, nil, err
	}
	return masters, offers, p.api.RegisterUnder("master_products", offers.Entity())
}

// authorize keeps common products from being changed as if they were sold.
func (p *Products) authorize(_ context.Context, _ store.Tx, _ shopapi.Operation, product *Product) error {
	if product.CompanyID == 0 {
		return shopapi.Errorf(http.StatusBadRequest, "The product %d is a common one: it is changed and deleted under master_products.", product.ProductID)
	}
	return nil
}

// loadMasters fills in what products show of common products, in two reads.
func (p *Products) loadMasters(tx store.Tx, list ...*Summary) error {
	if !p.masters || len(list) == 0 {
		return nil
	}
	var of, are []int64
	for _, s := range list {
		s.Master = &Master{}
		if s.MasterProductID != 0 {
			of = append(of, s.MasterProductID)
		}
		if s.CompanyID == 0 {
			are = append(are, s.ProductID)
		}
	}
	known := map[int64]Summary{}
	if len(of) > 0 {
		var err error
		if known, err = ByID(tx, of...); err != nil {
			return err
		}
	}
	offers := map[int64]int64{}
	if len(are) > 0 {
		err := summaries.Each(tx, store.Query{Where: []store.Cond{store.InInts("master_product_id", are...)}}, func(s *Summary) error {
			offers[s.MasterProductID]++
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, s := range list {
		s.Master.Status, s.Master.Offers = known[s.MasterProductID].Status, offers[s.ProductID]
		if s.CompanyID == 0 {
			s.Master.Status = s.Status
		}
	}
	return nil
}

// followMaster gives an offer the texts, features and images of its master.
func (p *Products) followMaster(ctx context.Context, tx store.Tx, offer *Product) error {
	if offer.MasterProductID == 0 {
		return nil
	}
	master, err := p.full(ctx, tx, offer.MasterProductID)
	if err != nil {
		return err
	}
	offer.follow(&master)
	return nil
}

// full reads a product with its links, features and options.
func (p *Products) full(ctx context.Context, tx store.Tx, id int64) (Product, error) {
	product, err := table.Get(tx, id)
	if err == nil {
		err = p.load(ctx, tx, &product.Summary)
	}
	return product, err
}

// follow copies what an offer takes from its master.
func (p *Product) follow(master *Product) {
	p.Name, p.ShortName, p.LangCode = master.Name, master.ShortName, master.LangCode
	p.ShortDescription, p.FullDescription = master.ShortDescription, master.FullDescription
	p.MetaKeywords, p.MetaDescription, p.SearchWords = master.MetaKeywords, master.MetaDescription, master.SearchWords
	p.PageTitle, p.PromoText = master.PageTitle, master.PromoText
	p.Features, p.FeatureDocument = master.Features, master.FeatureDocument
	p.MainPair, p.ImagePairs = master.MainPair, master.ImagePairs
}

// followTexts gives an offer the texts of its master in all languages: follow copies those
// of the base language.
func (p *Products) followTexts(_ context.Context, tx store.Tx, offer *Product) error {
	if offer.MasterProductID == 0 {
		return nil
	}
	return p.rows.Texts().Follow(tx, offer.MasterProductID, offer.ProductID, "age_warning_message")
}

// eachOffer calls fn for the offers of a common product, as they are.
func (p *Products) eachOffer(ctx context.Context, tx store.Tx, master int64, fn func(*Product) error) error {
	list, err := summaries.Select(tx, store.Query{Where: []store.Cond{store.Equal("master_product_id", store.Int(master))}})
	if err != nil {
		return err
	}
	for _, s := range list {
		offer, err := p.full(ctx, tx, s.ProductID)
		if err != nil {
			return err
		}
		if err := fn(&offer); err != nil {
			return err
		}
	}
	return nil
}

func (p *Products) masterDefinition() resource.Definition[Product, Summary] {
	d := p.definition()
	d.Name, d.Object, d.ListKey = "master_products", "common product", "products"
	d.Summary = "Common products, of which vendors have offers."
	d.Company, d.Authorize = nil, nil
	d.Visible = func(_ context.Context, _ store.Tx, v *Product) (bool, error) { return v.CompanyID == 0, nil }
	d.VisibleConds = func(context.Context) []store.Cond { return []store.Cond{store.Equal("company_id", store.Int(0))} }
	d.Parents = []resource.Parent[Product]{underCategory}
	d.AuthorizeRequest = resource.ReadOnlyForVendors
	d.Filter = func() resource.Filter { return p.queryBelow() }
	d.Bind = func(ctx context.Context, r *shopapi.Request, v *Product) error {
		var problems shopapi.Problems
		problems.Merge(p.bind(ctx, r, v))
		if v.ProductID == 0 && !r.Payload.Has("price") {
			problems.Add("price", "is required: what the product costs where an offer says nothing else")
		}
		return problems.Err()
	}
	d.Keep = func(after, before *Product, problems *shopapi.Problems) {
		keep(after, before, problems)
		after.CompanyID = 0
	}
	d.Write = func(ctx context.Context, tx store.Tx, before, after *Product) error {
		if err := p.write(ctx, tx, before, after); err != nil || before.ProductID == 0 {
			return err
		}
		return p.eachOffer(ctx, tx, after.ProductID, func(offer *Product) error {
			was := *offer
			offer.follow(after)
			p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(offer.ProductID))
			return p.write(ctx, tx, &was, offer)
		})
	}
	d.Wrote = func(ctx context.Context, tx store.Tx, master *Product) error {
		return p.eachOffer(ctx, tx, master.ProductID, func(offer *Product) error { return p.followTexts(ctx, tx, offer) })
	}
	d.Remove = func(ctx context.Context, tx store.Tx, v *Product) error {
		err := p.eachOffer(ctx, tx, v.ProductID, func(offer *Product) error {
			was := *offer
			offer.MasterProductID = 0
			p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(offer.ProductID))
			return p.write(ctx, tx, &was, offer)
		})
		if err != nil {
			return err
		}
		if err := p.api.Deleting(ctx, "products", v.ProductID); err != nil {
			return err
		}
		return p.remove(ctx, tx, v)
	}
	return d
}

func (p *Products) offerDefinition() resource.Definition[Product, Summary] {
	d := p.definition()
	d.Name, d.Object, d.ListKey = "master_product_offers", "offer", "products"
	d.Summary = "What vendors offer of a common product."
	d.Of = p.rows
	d.Filter = func() resource.Filter { return p.queryBelow() }
	d.Parents = []resource.Parent[Product]{{
		Entity: "master_products",
		Where: func(w *resource.Where, above resource.Above) {
			w.Add(store.Equal("master_product_id", store.Int(above.ID)))
		},
		Holds: func(_ context.Context, _ store.Tx, above resource.Above, v *Product) (bool, error) {
			return v.MasterProductID == above.ID, nil
		},
		Enter: func(above resource.Above, v *Product, _ *shopapi.Problems) { v.MasterProductID = above.ID },
	}}
	d.Bind = p.bindOffer
	d.Keep = func(after, before *Product, problems *shopapi.Problems) {
		master := after.MasterProductID
		keep(after, before, problems)
		after.MasterProductID = master
	}
	d.Check = func(ctx context.Context, tx store.Tx, before, after *Product, problems *shopapi.Problems) error {
		if before.ProductID == 0 && len(after.CategoryIDs) == 0 {
			master, err := p.full(ctx, tx, after.MasterProductID)
			if err != nil {
				return err
			}
			after.CategoryIDs, after.MainCategory = master.CategoryIDs, master.MainCategory
		}
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

// bindOffer lays a payload over an offer, which begins with the price of its master.
func (p *Products) bindOffer(ctx context.Context, r *shopapi.Request, v *Product) error {
	var problems shopapi.Problems
	if v.ProductID == 0 {
		if _, confined := shopapi.CompanyOf(ctx); !confined && !r.Payload.Has("company_id") {
			problems.Add("company_id", "is required, but for vendors: the vendor whose offer it is")
		}
		above, _ := r.Parent()
		if text, ok := shopapi.Field(above.Data, "price"); ok {
			if price, err := decimal.Parse(text); err == nil {
				v.Price = price
			}
		}
	}
	problems.Merge(p.bind(ctx, r, v))
	return problems.Err()
}

func (p *Products) queryBelow() *parameters {
	q := p.query(Filter{})
	q.below = true
	return q
}

// MasterFilter is the filter of all common products, for package masterproducts.
func MasterFilter() resource.Filter { return &parameters{below: true} }
