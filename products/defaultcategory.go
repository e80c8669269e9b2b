package products

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// bindPlaced is bind, and in the live dialect gives a new product without category_ids its
// category: main_category, else the default one (decisions §27).
func (p *Products) bindPlaced(ctx context.Context, r *shopapi.Request, product *Product) error {
	var problems shopapi.Problems
	problems.Merge(p.bind(ctx, r, product))
	above, _ := r.Parent()
	if product.ProductID != 0 || r.API().Dialect() != shopapi.DialectLive || r.Payload.Has("category_ids") || above.Entity == underCategory.Entity {
		return problems.Err()
	}
	if product.MainCategory != 0 {
		product.CategoryIDs = []int64{product.MainCategory}
		return problems.Err()
	}
	id, err := p.defaultCategory(ctx, product.CompanyID)
	if err != nil {
		return err
	}
	if id != 0 {
		product.CategoryIDs = []int64{id}
	}
	return problems.Err()
}

// defaultCategory returns the category of a new product for which none is named: the
// category in the setting default_category, else the company's first top-level category,
// else 0. If company is 0, it uses the company of ctx, or the default company.
func (p *Products) defaultCategory(ctx context.Context, company int64) (id int64, err error) {
	if _, confined := shopapi.CompanyOf(ctx); confined || company == 0 {
		company = resource.DefaultCompany(ctx, p.api)
	}
	text, _, err := p.api.SettingOf(ctx, company, shopapi.SettingDefaultCategory)
	if err != nil {
		return 0, err
	}
	err = p.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if set, ok := wire.ParseWhole(text); ok {
			exists, err := p.hasCategory(ctx, tx, set)
			if err != nil || exists {
				id = set
				return err
			}
		}
		if p.tree != nil {
			id, err = categories.FirstRoot(tx, company)
		}
		return err
	})
	return id, err
}

// checkDefaultCategory returns the problem of a value of the setting default_category. Empty
// is none. Without the entity categories every id is valid (§12).
func (p *Products) checkDefaultCategory(ctx context.Context, text string) (problem string, err error) {
	id, ok := wire.ParseWhole(text)
	if !ok {
		return "", nil
	}
	_, err = p.api.Lookup(ctx, "categories", shopapi.FormatID(id))
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		return "", nil
	case errors.Is(err, shopapi.ErrNotFound):
		return "must be the id of a category that exists, or empty", nil
	}
	return "", err
}

// hasCategory reports whether there is a category with the id that products of the user of
// ctx can be linked to.
func (p *Products) hasCategory(ctx context.Context, tx store.Tx, id int64) (bool, error) {
	if p.tree == nil {
		_, err := p.api.Lookup(ctx, "categories", shopapi.FormatID(id))
		if told, ok := errors.AsType[*shopapi.Error](err); ok && told.Status == http.StatusNotFound || errors.Is(err, shopapi.ErrNotRegistered) {
			return false, nil
		}
		return err == nil, err
	}
	known, err := categories.ByID(tx, id)
	c, ok := known[id]
	return ok && p.linkable(ctx, &c), err
}

// passOverMain returns to the first category in place of a main category that exists and is
// none of category_ids, as clients of the live dialect send it (decisions §4).
func (p *Products) passOverMain(ctx context.Context, tx store.Tx, after *Summary, problems *shopapi.Problems) error {
	if p.api.Dialect() != shopapi.DialectLive || after.MainCategory == 0 || len(after.CategoryIDs) == 0 {
		return nil
	}
	exists, err := p.hasCategory(ctx, tx, after.MainCategory)
	switch {
	case err != nil:
		return err
	case !exists:
		problems.Add("main_category", "must be the id of a category that exists, not %d", after.MainCategory)
	case !slices.Contains(after.CategoryIDs, after.MainCategory):
		after.MainCategory = after.CategoryIDs[0]
	}
	return nil
}
