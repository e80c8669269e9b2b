package orders

import (
	"context"
	"net/http"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// registerHistory adds the address orders/{id}/history.
func (o *Orders) registerHistory() error {
	return o.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "orders/{id}/history", OfEntity: true,
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve: o.serveHistory, Privileges: []string{"view_orders"}, Cacheable: true,
			Summary:    "The changes of an order, the oldest first: who changed which fields when, without their values.",
			Parameters: map[string]string{"page": "the page, from 1", "items_per_page": "entries per page", "sort_order": "desc has the newest first"},
			Answer:     reflect.TypeFor[historyList](),
		}},
	})
}

type historyList struct {
	History []historyAnswer `json:"history"` // the oldest entry first
	Params  *shopapi.Params `json:"params"`
}

// A historyAnswer is an entry of the history on the wire.
type historyAnswer struct {
	Time       int64        `json:"time,string"`      // seconds since 1970
	UserID     int64        `json:"user_id,string"`   // who made the change, "0" for the program and where the caller may not see users
	Event      HistoryEvent `json:"event"`            // created, updated, status, shipped, shipment_updated, shipment_deleted, invoice or credit_memo
	Status     *statusPair  `json:"status,omitempty"` // where it changed
	Fields     []string     `json:"fields"`           // the names of fields that were sent and differed
	ItemIDs    []string     `json:"item_ids"`         // the lines that changed
	ShipmentID int64        `json:"shipment_id,string,omitempty"`
	Document   string       `json:"document,omitempty"` // the number of an invoice or credit memo
}

type statusPair struct {
	From string `json:"from"` // the letter of the former status
	To   string `json:"to"`   // the letter of the new status
}

func (o *Orders) serveHistory(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	id, err := shopapi.ParseID("order", r.Segments[0])
	if err != nil {
		return nil, err
	}
	page, err := r.Page(false, "time")
	if err != nil {
		return nil, err
	}
	asked := resource.ListOptions{Limit: page.Limit(), Offset: page.Offset()}
	if page.Descending {
		asked.Order = resource.Descending
	}
	list, total, err := o.History(ctx, id, asked)
	if err != nil {
		return nil, err
	}
	a := historyList{History: make([]historyAnswer, len(list)), Params: page.Params(total)}
	for i := range list {
		a.History[i] = list[i].answer()
	}
	return &shopapi.Response{Body: a}, nil
}

func (e *HistoryEntry) answer() historyAnswer {
	a := historyAnswer{
		Time: e.Time, UserID: e.UserID, Event: e.Event, Fields: []string{}, ItemIDs: []string{},
		ShipmentID: e.ShipmentID, Document: e.Document,
	}
	if e.From != e.To {
		a.Status = &statusPair{e.From, e.To}
	}
	a.Fields = append(a.Fields, e.Fields...)
	for _, id := range e.ItemIDs.IDs() {
		a.ItemIDs = append(a.ItemIDs, shopapi.FormatID(id))
	}
	return a
}
