package orders

import (
	"context"
	"net/http"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// registerDocuments adds the address orders/{id}/documents.
func (o *Orders) registerDocuments() error {
	return o.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "orders/{id}/documents", OfEntity: true,
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve: o.serveDocuments, Privileges: []string{"view_orders"}, Cacheable: true,
			Summary:    "The invoice and the credit memos of an order, as they were when they were issued.",
			Parameters: map[string]string{"page": "the page, from 1", "items_per_page": "documents per page", "sort_order": "desc has the newest first"},
			Answer:     reflect.TypeFor[documentsAnswer](),
		}},
	})
}

type documentsAnswer struct {
	Documents []documentAnswer `json:"documents"` // the invoice first, then the credit memos
	Params    *shopapi.Params  `json:"params"`
}

func (o *Orders) serveDocuments(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	id, err := shopapi.ParseID("order", r.Segments[0])
	if err != nil {
		return nil, err
	}
	page, err := r.Page(false, "number")
	if err != nil {
		return nil, err
	}
	asked := resource.ListOptions{Limit: page.Limit(), Offset: page.Offset()}
	if page.Descending {
		asked.Order = resource.Descending
	}
	list, total, err := o.Documents(ctx, id, asked)
	if err != nil {
		return nil, err
	}
	a := documentsAnswer{Documents: make([]documentAnswer, len(list)), Params: page.Params(total)}
	for i := range list {
		a.Documents[i] = list[i].answer()
	}
	return &shopapi.Response{Body: a}, nil
}
