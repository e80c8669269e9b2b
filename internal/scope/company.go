package scope

import (
	"context"
	"math"

	"github.com/shopapi/shopapi"
)

// Company is that of an object which names none: the one that ctx is confined to,
// else the default one.
func Company(ctx context.Context, api *shopapi.API) int64 {
	if own, confined := shopapi.CompanyOf(ctx); confined {
		return own
	}
	return api.DefaultCompany()
}

// Settle sets the company of an object that is to be stored, of which it holds
// what was asked for; had is the company before, 0 for a new object. The company
// asked for counts in the editions with several, from whom is not confined to one.
// Otherwise a changed object keeps its own, and a new one gets [Company].
//
// It notes a problem on company_id for a negative id, and for a company that does
// not exist where an entity keeps the companies of the edition (decisions §5); the
// default one always does. It returns an error when it cannot tell.
func Settle(ctx context.Context, api *shopapi.API, problems *shopapi.Problems, had int64, company *int64) error {
	asked := *company
	problems.Range("company_id", asked, 0, math.MaxInt64)
	*company = had
	if had == 0 {
		*company = Company(ctx, api)
	}
	_, confined := shopapi.CompanyOf(ctx)
	if confined || asked <= 0 || asked == had || api.Edition() == shopapi.SingleStore {
		return nil
	}
	*company = asked
	if asked == api.DefaultCompany() {
		return nil
	}
	return api.CheckReference(ctx, problems, "company_id", Companies(api), asked)
}

// Companies names the entity that the companies of the edition are objects of, ""
// where there is only one.
func Companies(api *shopapi.API) string {
	switch api.Edition() {
	case shopapi.MultiStorefront:
		return "stores"
	case shopapi.MultiVendor:
		return "vendors"
	}
	return ""
}

// Required notes a problem when a new object of the edition with several
// storefronts names no company: neither does the payload have company_id, nor
// does the address lead through a storefront.
func Required(ctx context.Context, r *shopapi.Request, problems *shopapi.Problems) {
	_, confined := shopapi.CompanyOf(ctx)
	given := r.Payload.Raw("company_id")
	if !confined && r.API().Edition() == shopapi.MultiStorefront && (given == nil || string(given) == "null") {
		problems.Add("company_id", "is required in the edition with several storefronts")
	}
}
