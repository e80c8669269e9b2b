// Package scope holds the rules of editions (decisions §11) that the entities
// whose rows belong to a company share: who sees a row, and whose a row is. Hosts
// do not need it; it serves the packages of entities.
//
// All of them ask [shopapi.CompanyOf], which confines sellers to their company,
// and everybody to the storefront or vendor that a nested address leads through.
package scope

import (
	"context"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Conds confines a query to the rows that may be seen in ctx, by the column
// company_id: those of the company that ctx is confined to, else all.
func Conds(ctx context.Context) []store.Cond {
	if company, confined := shopapi.CompanyOf(ctx); confined {
		return []store.Cond{store.Equal("company_id", store.Int(company))}
	}
	return nil
}

// Sees reports whether a row of the company may be seen in ctx.
func Sees(ctx context.Context, company int64) bool {
	own, confined := shopapi.CompanyOf(ctx)
	return !confined || own == company
}

// Lookup is [shopapi.API.Lookup] of an object whose company owns what refers to
// it. A host may show an object to every seller: to one of another company than
// its company_id says it does not exist here, and is [shopapi.ErrNotFound].
func Lookup(ctx context.Context, api *shopapi.API, entity string, id int64) (any, error) {
	object, err := api.Lookup(ctx, entity, shopapi.FormatID(id))
	if err == nil && !Owns(ctx, object) {
		return nil, shopapi.ErrNotFound
	}
	return object, err
}

// Owns reports whether an object of any entity is not one of another company than
// ctx is confined to.
func Owns(ctx context.Context, object any) bool {
	if _, confined := shopapi.CompanyOf(ctx); !confined {
		return true
	}
	company, known := Owner(object)
	return !known || Sees(ctx, company)
}

// Owner returns the company that an object of any entity says it belongs to. It
// is not known of an object without company_id, and 0 where that is no number.
func Owner(object any) (company int64, known bool) {
	text, known := shopapi.Field(object, "company_id")
	company, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, known
	}
	return company, known
}
