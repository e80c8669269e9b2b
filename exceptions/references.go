package exceptions

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// combinable are the types of options that have variants: select box, radio
// buttons and checkbox.
const combinable = "SRC"

// check adds the problems of an exception and of the product, options and variants that
// it names. Options are looked up only if the rest is valid.
func (x *Exceptions) check(ctx context.Context, _ store.Tx, before, after *Exception, problems *shopapi.Problems) error {
	after.validate(problems)
	if after.ProductID > 0 && after.ProductID != before.ProductID {
		exists, err := products.Exists(ctx, x.api, after.ProductID)
		if err != nil {
			return err
		}
		if !exists {
			problems.Add("product_id", "must be the id of a product that exists, not %d", after.ProductID)
		}
	}
	if problems.Err() != nil {
		return nil
	}
	return x.checkOptions(ctx, after, problems)
}

// visible reports whether the user of ctx may see the exceptions of a product.
func visible(ctx context.Context, api *shopapi.API, product int64) (bool, error) {
	if _, confined := shopapi.CompanyOf(ctx); !confined {
		return true, nil
	}
	return products.Exists(ctx, api, product)
}

// owner returns the owner of objects that belong to a product.
func (x *Exceptions) owner(ctx context.Context, product int64) (shopapi.Ownership, error) {
	object, err := x.api.Lookup(shopapi.WithUser(ctx, nil), "products", shopapi.FormatID(product))
	if errors.Is(err, shopapi.ErrNotRegistered) || errors.Is(err, shopapi.ErrNotFound) {
		return shopapi.Ownership{}, nil
	}
	company, _ := resource.CompanyIn(object)
	return shopapi.Ownership{CompanyID: company}, err
}

// checkOptions adds a problem for the first option that is not the product's or has no
// variants, or the first variant that is not the option's.
func (x *Exceptions) checkOptions(ctx context.Context, e *Exception, problems *shopapi.Problems) error {
	for _, id := range e.Combination.options() {
		option, err := x.api.Lookup(ctx, "options", shopapi.FormatID(id))
		switch {
		case errors.Is(err, shopapi.ErrNotRegistered):
			return nil
		case err != nil && !errors.Is(err, shopapi.ErrNotFound):
			return err
		}
		product, _ := shopapi.Field(option, "product_id")
		kind, _ := shopapi.Field(option, "option_type")
		switch variant := e.Combination[id]; {
		case product != shopapi.FormatID(e.ProductID):
			problems.Add("combination", "must hold options of the product; %d is none of product %d", id, e.ProductID)
		case len(kind) != 1 || !strings.Contains(combinable, kind):
			problems.Add("combination", "must hold options of the types S, R and C; the option %d is of type %s", id, kind)
		case variant > 0 && !hasVariant(option, variant):
			problems.Add("combination", "must give the option %d one of its own variants, -1 (any) or -2 (none), not %d", id, variant)
		}
	}
	return nil
}

// hasVariant reports whether the id is a key of an option's variants.
func hasVariant(option any, id int64) bool {
	data, err := json.Marshal(option)
	if err != nil {
		return false
	}
	var o struct {
		Variants map[string]json.RawMessage `json:"variants"`
	}
	if json.Unmarshal(data, &o) != nil { // an option without variants may have an empty array
		return false
	}
	_, has := o.Variants[shopapi.FormatID(id)]
	return has
}
