package products

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Exists reports whether the user of ctx may see the product with the id, for entities
// that belong to products. It uses the entity products of the API, which may be a host's.
// If the API has none, every product exists for users who are not confined to a company.
func Exists(ctx context.Context, api *shopapi.API, id int64) (bool, error) {
	_, err := resource.LookupCompany(ctx, api, "products", id)
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		_, confined := shopapi.CompanyOf(ctx)
		return !confined, nil
	case errors.Is(err, shopapi.ErrNotFound):
		return false, nil
	}
	return err == nil, err
}

// OfVisible returns the conditions on rows of another table, with the id of a product in a
// column, that the user of ctx may see the product.
func OfVisible(ctx context.Context, column string) []store.Cond {
	visible := resource.VisibleConds(ctx)
	if len(visible) == 0 {
		return nil
	}
	return []store.Cond{store.InQuery(column, table.Schema(), "product_id", visible...)}
}
