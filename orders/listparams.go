package orders

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// listParams is the member params of a list: the six members of every list, and one of
// the published sample.
type listParams struct {
	shopapi.Params
	Incomplete bool `json:"include_incompleted"` // never: there are no incomplete orders
}

func orderParams(_ context.Context, _ resource.Filter, page *shopapi.Params) any {
	return &listParams{Params: *page}
}
