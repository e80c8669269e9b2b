package products

import (
	"context"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An entity answers for the products over the wire.
type entity struct{ products *Products }

var (
	_ shopapi.Lister  = (*entity)(nil)
	_ shopapi.Getter  = (*entity)(nil)
	_ shopapi.Creator = (*entity)(nil)
	_ shopapi.Updater = (*entity)(nil)
	_ shopapi.Deleter = (*entity)(nil)
)

func (e *entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "products",
		IDField:    "product_id",
		Parents:    []string{"categories", "stores", "vendors"},
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Cacheable:  true,
	}
}

// List answers a page of products, under a category those that it holds.
func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var problems shopapi.Problems
	f, err := filterOf(r)
	problems.Merge(err)
	page, err := r.Page(false, Sorts()...)
	problems.Merge(err)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	f.SortBy, f.Descending = page.SortBy, page.Descending
	f.Limit, f.Offset = page.Limit(), page.Offset()
	list, total, err := e.products.Find(ctx, f)
	return shopapi.List{Name: "products", Items: itemsOf(list), Params: page.Params(total)}, err
}

// Parameters are the filter parameters of a list.
type parameters struct {
	Filter

	// Each is a flag that has q looked for in a text, or a text of its own.
	InName     string `json:"pname"`
	InShort    string `json:"pshort"`
	InFull     string `json:"pfull"`
	InKeywords string `json:"pkeywords"`

	OtherCode string `json:"code"` // another spelling of pcode
}

// filterOf reads the parameters of a list. A category that the address leads
// through holds the products as cid does; both may be given.
func filterOf(r *shopapi.Request) (Filter, error) {
	var problems shopapi.Problems
	var p parameters
	problems.Merge(r.BindFilter(&p))
	f := p.Filter
	for _, a := range f.prices() {
		for _, text := range r.Filter[a.name] {
			checkAmountText(&problems, a.name, scaleOf(a.column), text)
		}
	}
	for _, place := range []struct{ column, value string }{
		{InName, p.InName}, {InShortDescription, p.InShort}, {InFullDescription, p.InFull}, {InKeywords, p.InKeywords},
	} {
		switch strings.ToLower(place.value) {
		case "y", "true", "1":
			f.In = append(f.In, place.column)
		case "", "n", "false", "0":
		default:
			f.also = append(f.also, store.Contains(place.column, place.value))
		}
	}
	if p.OtherCode != "" {
		f.also = append(f.also, store.Contains("product_code", p.OtherCode))
	}
	category, nested, err := parentCategory(r)
	switch {
	case err != nil:
		return f, err
	case nested && f.CategoryID == 0:
		f.CategoryID = category
	case nested:
		f.also = append(f.also, linkedTo(store.Equal("category_id", store.Int(category))))
	}
	return f, problems.Err()
}

// parentCategory returns the category directly above in the address, if there is
// one.
func parentCategory(r *shopapi.Request) (id int64, nested bool, err error) {
	parent, ok := r.Parent()
	if !ok || parent.Entity != "categories" {
		return 0, false, nil
	}
	id, err = shopapi.ParseID("category", parent.ID)
	return id, true, err
}

// locate reads the id of a product, and returns what a product must meet at this
// address: under a category it is linked to it.
func locate(r *shopapi.Request, id string) (n int64, check func(*Product) error, err error) {
	n, err = shopapi.ParseID("product", id)
	if err != nil {
		return 0, nil, err
	}
	category, nested, err := parentCategory(r)
	return n, func(p *Product) error {
		if nested && !slices.Contains(p.CategoryIDs, category) {
			return shopapi.NotFound("product", id)
		}
		return nil
	}, err
}

func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, check, err := locate(r, id)
	if err != nil {
		return nil, err
	}
	product, err := e.products.Get(ctx, n)
	if err != nil {
		return nil, err
	}
	return detailOf(product), check(&product)
}

// Create adds a product. Under a category it is linked to that one when it names
// none.
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	category, nested, err := parentCategory(r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	created, err := e.products.create(ctx, func(p *Product) error {
		*p = Defaults()
		p.Timestamp = r.API().Now(ctx).Unix()
		err := bind(r, p)
		if nested && len(p.CategoryIDs) == 0 {
			p.CategoryIDs = []int64{category}
		}
		return err
	})
	return shopapi.Reply{ID: shopapi.FormatID(created.ProductID)}, err
}

func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, check, err := locate(r, id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.products.Update(ctx, n, func(p *Product) error {
		if err := check(p); err != nil {
			return err
		}
		return bind(r, p)
	})
	return shopapi.Reply{ID: id}, err
}

// bind lays the payload over a product. Categories that are given without a main
// one have their first as such. In the live dialect a main_category that is none
// of the categories is passed over, as clients of that dialect send.
func bind(r *shopapi.Request, p *Product) error {
	var problems shopapi.Problems
	checkAmountTexts(&problems, r.Payload)
	problems.Merge(r.Bind(p))
	if r.Payload.Has("category_ids") && !r.Payload.Has("main_category") ||
		r.API().Dialect() == shopapi.Live && !slices.Contains(p.CategoryIDs, p.MainCategory) {
		p.MainCategory = 0
	}
	return problems.Err()
}

func (e *entity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, check, err := locate(r, id)
	if err != nil {
		return err
	}
	return e.products.remove(ctx, n, check)
}
