package options

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A productReader asks for the products that options belong to.
type productReader struct {
	api   *shopapi.API
	goods *products.Products // nil where the products are not the library's
}

// companies returns the companies of products by id. Of a product that is gone it
// is the default one.
func (p *productReader) companies(ctx context.Context, tx store.Tx, ids ...int64) (map[int64]int64, error) {
	of := make(map[int64]int64, len(ids))
	for _, id := range ids {
		of[id] = p.api.DefaultCompany()
	}
	if p.goods != nil {
		known, err := products.ByID(tx, ids...)
		for id, product := range known {
			of[id] = product.CompanyID
		}
		return of, err
	}
	for _, id := range ids {
		product, err := p.api.Lookup(ctx, "products", shopapi.FormatID(id))
		switch {
		case errors.Is(err, shopapi.ErrNotRegistered), errors.Is(err, shopapi.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		if company, known := resource.CompanyIn(product); known {
			of[id] = company
		}
	}
	return of, nil
}

// owner returns the owner of objects that belong to a product.
func (p *productReader) owner(ctx context.Context, tx store.Tx, id int64) (shopapi.Ownership, error) {
	of, err := p.companies(ctx, tx, id)
	return shopapi.Ownership{CompanyID: of[id]}, err
}

// exists is [products.Exists], in one read of tx if the products are the library's.
func (p *productReader) exists(ctx context.Context, tx store.Tx, id int64) (bool, error) {
	if p.goods != nil {
		known, err := products.ByID(tx, id)
		product, ok := known[id]
		return ok && resource.Visible(ctx, product.CompanyID), err
	}
	return products.Exists(ctx, p.api, id)
}

// visible reports whether the user of ctx may see objects that belong to a product.
func (p *productReader) visible(ctx context.Context, tx store.Tx, id int64) (bool, error) {
	if _, confined := shopapi.CompanyOf(ctx); !confined {
		return true, nil
	}
	return p.exists(ctx, tx, id)
}

// check notes a problem when the product of something new does not exist.
func (p *productReader) check(ctx context.Context, tx store.Tx, id int64, problems *shopapi.Problems) error {
	if id == 0 {
		problems.Add("product_id", "is required: the id of the product")
	}
	if problems.Has("product_id") {
		return nil
	}
	exists, err := p.exists(ctx, tx, id)
	if err == nil && !exists {
		problems.Add("product_id", "must be the id of a product that exists, not %d", id)
	}
	return err
}

// below is the [resource.Parent] for objects that belong to one product for ever: an
// update with another product_id is not an error, because only creation reads that field
// (§5).
func below[T any](field func(*T) *int64, isNew func(*T) bool) resource.Parent[T] {
	p := resource.ByColumn("products", "product_id", field)
	enter := p.SetParent
	p.SetParent = func(above resource.ParentRef, v *T, problems *shopapi.Problems) {
		if isNew(v) {
			enter(above, v, problems)
		}
	}
	return p
}

// deleteOf deletes the options and combinations of products that are being deleted. The
// observer gets events of the products only.
func (o *Options) deleteOf(ctx context.Context, ids []int64) error {
	return o.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		of := store.InInts("product_id", ids...)
		if err := resource.RecordDeletes(ctx, tx, o.api, "options", table, of); err != nil {
			return err
		}
		if err := resource.RecordDeletes(ctx, tx, o.api, "combinations", combinations, of); err != nil {
			return err
		}
		ofOptions := store.InQuery("option_id", table.Schema(), "option_id", of)
		if err := kind.Delete(tx, o.variantTexts, ofOptions); err != nil {
			return err
		}
		if err := o.rows.Texts().DeleteWhere(tx, of); err != nil {
			return err
		}
		if _, err := table.Delete(tx, of); err != nil {
			return err
		}
		_, err := combinations.Delete(tx, of)
		return err
	})
}
