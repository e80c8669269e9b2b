package carts

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// listParams is the member params of a list: the six members of every list, and the
// company, as the published sample shows it.
type listParams struct {
	shopapi.Params
	CompanyID int64 `json:"company_id,string"`
}

// params returns the parameters of a list. The company is the filter's,
// else the caller's, else the default company.
func (c *Carts) params(ctx context.Context, f resource.Filter, page *shopapi.Params) any {
	company, confined := shopapi.CompanyOf(ctx)
	switch asked := f.(*Filter).CompanyID; {
	case asked != nil:
		company = *asked
	case !confined:
		company = c.api.DefaultCompany()
	}
	return &listParams{Params: *page, CompanyID: company}
}
