package products

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// load fills in the fields that are not columns and that a change may set.
func (p *Products) load(ctx context.Context, tx store.Tx, list ...*Summary) error {
	for _, s := range list {
		s.showImages()
		s.Features, s.Added = documentsOf(s.FeatureDocument), nil
	}
	if len(list) == 0 {
		return nil
	}
	p.readAhead(ctx, tx, list)
	if resource.Wants(ctx, "category_ids", "main_category", "seo_path") {
		if err := p.readLinks(tx, list...); err != nil {
			return err
		}
	}
	if err := p.loadParts(ctx, tx, Reading{Purpose: Values}, list...); err != nil {
		return err
	}
	if !resource.Wants(ctx, "master_product_id", "master_product_status", "master_product_offers_count") {
		return nil
	}
	return p.loadMasters(tx, list...)
}

// loadParts has the parts fill in their fields, as far as an answer shows any.
func (p *Products) loadParts(ctx context.Context, tx store.Tx, r Reading, list ...*Summary) error {
	for _, part := range p.loaders {
		if !wanted(ctx, part) {
			continue
		}
		if err := part.LoadProducts(ctx, tx, r, list...); err != nil {
			return err
		}
	}
	return nil
}

// wanted reports whether an answer shows any field of a part.
func wanted(ctx context.Context, part Part) bool {
	f, ok := part.(Fielder)
	return !ok || resource.Wants(ctx, f.ProductFields()...)
}

// needs are the columns that a field of the response needs in addition to the column of
// its name.
var needs = map[string][]string{
	"":                   {"product_type", "parent_product_id", "master_product_id"},
	"base_price":         {"price"},
	"list_discount":      {"price", "list_price"},
	"list_discount_prc":  {"price", "list_price"},
	"details_layout_raw": {"details_layout"},
	"taxes":              {"tax_ids"},
	"variation_name":     {"product"},
	"variation_features": {"product_features"},
	"product_options":    {"options_type", "exceptions_type", "tracking"},
}

// loadItems fills in the further fields of products in lists.
func (p *Products) loadItems(ctx context.Context, tx store.Tx, f resource.Filter, list ...*Summary) error {
	asked := f.(*parameters)
	return p.loadParts(ctx, tx, Reading{Purpose: Listed, Variation: asked.details(), Options: bool(asked.GetOptions)}, list...)
}

// loadDetails fills in the further fields of products on their own.
func (p *Products) loadDetails(ctx context.Context, tx store.Tx, list ...*Product) error {
	summaries := make([]*Summary, len(list))
	for i, product := range list {
		product.Options, product.HasOptions = nil, false
		summaries[i] = &product.Summary
	}
	variation, _ := ctx.Value(variationDetailsKey{}).(VariationDetails)
	return p.loadParts(ctx, tx, Reading{Purpose: Single, Variation: variation}, summaries...)
}

// A placedLink is a link with the position of its category in the tree.
type placedLink struct {
	link
	IDPath string `json:"id_path"`
}

var placedLinks = store.ProjectVia[placedLink](links, "category_id", categories.Schema())

// readLinks fills in the categories of the products, in one read however many
// products there are.
func (p *Products) readLinks(tx store.Tx, list ...*Summary) error {
	byID := make(map[int64]*Summary, len(list))
	ids := make([]int64, len(list))
	for i, s := range list {
		byID[s.ProductID], ids[i] = s, s.ProductID
		s.CategoryIDs = []int64{}
	}
	// The index has them in this order; by position they are few of each product to sort.
	q := store.Query{
		Where: []store.Cond{store.InInts("product_id", ids...)},
		Order: []store.Order{store.Asc("product_id"), store.Asc("category_id")},
	}
	var found []placedLink
	var err error
	if p.tree != nil {
		found, err = placedLinks.Select(tx, q)
	} else {
		err = links.Each(tx, q, func(l *link) error {
			found = append(found, placedLink{link: *l})
			return nil
		})
	}
	slices.SortFunc(found, func(a, b placedLink) int {
		return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.Position, b.Position), cmp.Compare(a.LinkID, b.LinkID))
	})
	all := make([]int64, 0, len(found)) // grouped by product
	for i := range found {
		l := &found[i]
		s := byID[l.ProductID]
		all = append(all, l.CategoryID)
		s.CategoryIDs = all[len(all)-len(s.CategoryIDs)-1 : len(all) : len(all)]
		if l.Main {
			s.MainCategory, s.SEOPath = l.CategoryID, l.path()
		}
	}
	return err
}

// path is the path of the category. One without a known path is taken for one at the top.
func (l *placedLink) path() string {
	if l.IDPath == "" {
		return shopapi.FormatID(l.CategoryID)
	}
	return l.IDPath
}

// ByID is the function ByID with the texts of the language of ctx, which take another
// read where that is not the base language.
func (p *Products) ByID(ctx context.Context, tx store.Tx, ids ...int64) (map[int64]Summary, error) {
	list, err := readByID(tx, ids)
	if err != nil {
		return nil, err
	}
	err = p.texts.Load(ctx, tx, store.Pointers(list)...)
	return byID(list), err
}

// ByID reads products in one read. Unknown ids are left out. It does not fill in fields
// that are not columns, such as the categories, and does not restrict the products to the
// visible ones.
func ByID(tx store.Tx, ids ...int64) (map[int64]Summary, error) {
	list, err := readByID(tx, ids)
	return byID(list), err
}

func readByID(tx store.Tx, ids []int64) ([]Summary, error) {
	list, err := summaries.Select(tx, store.Query{Where: []store.Cond{store.InInts("product_id", ids...)}})
	for i := range list {
		list[i].showImages()
	}
	return list, err
}

func byID(list []Summary) map[int64]Summary {
	m := make(map[int64]Summary, len(list))
	for i := range list {
		m[list[i].ProductID] = list[i]
	}
	return m
}
