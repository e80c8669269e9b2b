// Package scope holds the rules of editions (decisions §11) that all entities
// whose rows belong to a company share. Hosts do not need it: it serves the
// packages of entities.
package scope

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Conds confines a query to the rows that may be seen in ctx, by the column
// company_id: those of a seller's company, or of the storefront that a nested
// address leads through; all for anyone else.
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

// ForNew returns the company that a new object gets: the one that ctx is confined to, the default
// one in a single store or where none is given, else the given one.
func ForNew(ctx context.Context, api *shopapi.API, given int64) int64 {
	if own, confined := shopapi.CompanyOf(ctx); confined {
		return own
	}
	if given == 0 || api.Edition() == shopapi.SingleStore {
		return api.DefaultCompany()
	}
	return given
}

// ForUpdate returns the company that a changed object gets: what it had, unless
// someone who is not confined gives another in an edition with several companies.
func ForUpdate(ctx context.Context, api *shopapi.API, had, given int64) int64 {
	if _, confined := shopapi.CompanyOf(ctx); confined || given == 0 || api.Edition() == shopapi.SingleStore {
		return had
	}
	return given
}

// Required notes a problem when a new object of the multi-storefront edition
// names no company: neither does the payload have company_id, nor does the address
// lead through a storefront.
func Required(ctx context.Context, r *shopapi.Request, problems *shopapi.Problems) {
	_, confined := shopapi.CompanyOf(ctx)
	given := r.Payload.Raw("company_id")
	if !confined && r.API().Edition() == shopapi.MultiStorefront && (given == nil || string(given) == "null") {
		problems.Add("company_id", "is required in the edition with several storefronts")
	}
}
