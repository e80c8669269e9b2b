package products

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Master is what a product shows of common products.
type Master struct {
	Status string // of the common product: of the one offered, or of the product itself
	Offers int64  // number of offers, where the product is a common one
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

// followMaster gives an offer the texts, features and images of its master. It refuses wrong images
// in the request, which would be dropped unread.
func (p *Products) followMaster(ctx context.Context, tx store.Tx, offer *Product, problems *shopapi.Problems) error {
	if offer.MasterProductID == 0 {
		return nil
	}
	offer.MainPair.Check(problems, "main_pair")
	offer.ImagePairs.Check(problems, "image_pairs")
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
	p.takeTexts(master)
	p.Features, p.FeatureDocument = master.Features, master.FeatureDocument
	p.MainPair, p.ImagePairs = master.MainPair, master.ImagePairs
}

// takeTexts copies the texts of another product, all but the age warning.
func (p *Product) takeTexts(of *Product) {
	p.Name, p.ShortName, p.LangCode = of.Name, of.ShortName, of.LangCode
	p.ShortDescription, p.FullDescription = of.ShortDescription, of.FullDescription
	p.MetaKeywords, p.MetaDescription, p.SearchWords = of.MetaKeywords, of.MetaDescription, of.SearchWords
	p.PageTitle, p.PromoText = of.PageTitle, of.PromoText
}

// followTexts copies the texts of the master in all languages to an offer; follow copies
// the base language.
func (p *Products) followTexts(_ context.Context, tx store.Tx, offer *Product) error {
	if offer.MasterProductID == 0 {
		return nil
	}
	return p.rows.Texts().CopyFrom(tx, offer.MasterProductID, offer.ProductID, "age_warning_message")
}

// changeOffers has change alter each offer of a common product, and stores the offers.
func (p *Products) changeOffers(ctx context.Context, tx store.Tx, master int64, change func(*Product)) error {
	return p.eachOffer(ctx, tx, master, func(offer *Product) error {
		was := *offer
		change(offer)
		resource.SetStamp(ctx, p.api, offer)
		p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(offer.ProductID))
		return p.write(ctx, tx, &was, offer)
	})
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
