package webhooks

import (
	"context"
	"net/http"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Delivery is a message of a webhook, with its last attempt.
type Delivery struct {
	Seq          string `json:"seq"`          // of the change; "" of a ping
	Type         string `json:"type"`         // of the message, such as orders.updated
	MessageID    string `json:"message_id"`   // the header webhook-id
	Time         int64  `json:"time"`         // of the attempt in seconds since 1970, 0 before the first
	Attempt      int64  `json:"attempt"`      // its number, from 1; 0 before the first
	Status       string `json:"status"`       // waiting, delivered, failed (it will be repeated) or given_up
	Milliseconds int64  `json:"milliseconds"` // how long the attempt took
	Code         int64  `json:"code"`         // the HTTP status of the answer, 0 without one
	Error        string `json:"error"`        // why the attempt failed
	Answer       string `json:"answer"`       // the first 1,024 bytes of the answer
}

// Deliveries returns the last 100 deliveries of a webhook, newest first. It returns a 404, or a
// 403 [*shopapi.Error] for others than the user who made the webhook and root.
func (w *Webhooks) Deliveries(ctx context.Context, id int64) (list []Delivery, err error) {
	err = w.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := w.ruled(ctx, tx, id); err != nil {
			return err
		}
		rows, err := deliveries.Select(tx, store.Query{
			Where: []store.Cond{store.Equal("webhook_id", store.Int(id))},
			Order: []store.Order{store.Desc("delivery_id")}, Limit: keptDeliveries,
		})
		list = make([]Delivery, len(rows))
		for i := range rows {
			list[i] = rows[i].shown()
		}
		return err
	})
	return list, err
}

func (d *delivery) shown() Delivery {
	return Delivery{
		Seq: d.Seq, Type: d.messageType(), MessageID: d.messageID(), Time: d.Time, Attempt: d.Attempt, Status: d.State,
		Milliseconds: d.Milliseconds, Code: d.Code, Error: d.Error, Answer: d.Answer,
	}
}

// described is the body of the response to GET webhooks/ID/deliveries.
type described struct {
	Deliveries []Delivery     `json:"deliveries"` // newest first
	Params     shopapi.Params `json:"params"`
}

// registerDeliveries adds the address webhooks/ID/deliveries.
func (w *Webhooks) registerDeliveries() error {
	var privilege string
	for _, d := range w.api.Descriptions() {
		if d.Name == "webhooks" {
			privilege = d.Privileges.View
		}
	}
	return w.api.RegisterEndpoint(shopapi.Endpoint{
		Address: "webhooks/{id}/deliveries", OfEntity: true,
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve:      w.serveDeliveries,
			Privileges: []string{privilege},
			Summary:    "The last 100 messages of a webhook, newest first, with their last attempts. Root sees the messages of all webhooks, others the messages of webhooks that they made.",
			Parameters: map[string]string{
				"page":           "The page, from 1.",
				"items_per_page": "How many deliveries a page has; all by default.",
			},
			Answer: reflect.TypeFor[described](),
		}},
	})
}

func (w *Webhooks) serveDeliveries(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	id, err := shopapi.ParseID("webhook", r.Segments[0])
	if err != nil {
		return nil, err
	}
	page, err := r.Page(true, "id")
	if err != nil {
		return nil, err
	}
	if !r.Filter.Has("items_per_page") {
		page.Size = keptDeliveries
	}
	list, err := w.Deliveries(ctx, id)
	if err != nil {
		return nil, err
	}
	total := len(list)
	list = list[min(page.Offset(), total):]
	list = list[:min(page.Limit(), len(list))]
	return &shopapi.Response{Body: described{Deliveries: list, Params: *page.Params(int64(total))}}, nil
}
