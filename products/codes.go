package products

import (
	"context"
	"maps"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// codes finds products by their product_code, among the products that find returns.
func codes(find func(ctx context.Context, tx store.Tx, codes []string) (map[string][]int64, error)) *resource.Codes {
	return &resource.Codes{Field: "product_code", InAddresses: true, Find: find}
}

var isCommon = store.Equal("company_id", store.Int(0))

// sold finds products, variations and offers. A common product is found where nothing else
// has its code.
func sold(ctx context.Context, tx store.Tx, codes []string) (map[string][]int64, error) {
	visible := resource.VisibleConds(ctx)
	found, err := resource.FindCodes(tx, table, "product_code", codes, append(visible, store.Not(isCommon))...)
	if err != nil || len(visible) > 0 {
		return found, err // common products are visible to users of no company alone
	}
	var missing []string
	for _, code := range codes {
		if len(found[code]) == 0 {
			missing = append(missing, code)
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	others, err := common(ctx, tx, missing)
	maps.Copy(found, others)
	return found, err
}

// common finds common products.
func common(_ context.Context, tx store.Tx, codes []string) (map[string][]int64, error) {
	return resource.FindCodes(tx, table, "product_code", codes, isCommon)
}

// offered finds offers.
func offered(ctx context.Context, tx store.Tx, codes []string) (map[string][]int64, error) {
	isOffer := store.NotEqual("master_product_id", store.Int(0))
	return resource.FindCodes(tx, table, "product_code", codes, append(resource.VisibleConds(ctx), isOffer)...)
}

// FindCodes returns the ids of the products with the codes that meet the conditions and
// that the user of ctx may see: see [resource.Codes].
func (p *Products) FindCodes(ctx context.Context, tx store.Tx, codes []string, conds ...store.Cond) (map[string][]int64, error) {
	return resource.FindCodes(tx, table, "product_code", codes, append(resource.VisibleConds(ctx), conds...)...)
}
