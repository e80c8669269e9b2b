package pull

import (
	"strings"

	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// historyOf are the rows of an order's history.
func (p *puller) historyOf(o *object, id int64) part {
	s := p.schema("order_history")
	made := part{schema: s, owner: "order_id", of: store.Int(id), optional: true, ordered: true}
	read := o.children[historyList]
	if read.err != nil {
		o.problem(historyList, read.err.Error()+": what was taken before stays")
		made.unread = true
	}
	for _, raw := range read.list {
		e := o.under(raw)
		status := e.under(e.members["status"])
		switch event := orders.HistoryEvent(e.text("event")); event {
		case orders.EventCreated, orders.EventUpdated, orders.EventStatus, orders.EventShipped, orders.EventShipmentUpdated,
			orders.EventShipmentDeleted, orders.EventInvoice, orders.EventCreditMemo:
		default:
			p.report.notCarried("events in histories of orders", string(event))
			continue
		}
		made.rows = append(made.rows, e.row(s, columns{
			"entry_id": store.Int(0), "order_id": store.Int(id),
			"status_from": store.String(status.text("from")), "status_to": store.String(status.text("to")),
			"fields": store.String(strings.Join(splitList(e.text("fields")), ",")),
		}))
	}
	return made
}
