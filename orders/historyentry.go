package orders

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A HistoryEntry is one change of an order: who changed which fields, and when. It has
// names of fields and never their values (decisions §26).
type HistoryEntry struct {
	EntryID    int64          `json:"entry_id" store:"key"`
	OrderID    int64          `json:"order_id" store:"index"`
	Time       int64          `json:"time"`                  // seconds since 1970
	UserID     int64          `json:"user_id" store:"index"` // 0: the host's own code, or a user whose data was erased
	Event      HistoryEvent   `json:"event"`
	From       string         `json:"status_from"` // letters of statuses, "" if the status did not change
	To         string         `json:"status_to"`
	Fields     FieldNames     `json:"fields"`      // the changed fields of the request, without status
	ItemIDs    shopapi.IDList `json:"item_ids"`    // lines that were added, changed, removed or shipped
	ShipmentID int64          `json:"shipment_id"` // 0 for none
	Document   string         `json:"document"`    // number of an invoice or a credit memo
}

var history = store.MustTable[HistoryEntry]("order_history")

// A HistoryEvent is the kind of change of an entry of the history.
type HistoryEvent string

// The events of the history.
const (
	EventCreated         HistoryEvent = "created"
	EventUpdated         HistoryEvent = "updated"
	EventStatus          HistoryEvent = "status" // other fields may have changed too
	EventShipped         HistoryEvent = "shipped"
	EventShipmentUpdated HistoryEvent = "shipment_updated"
	EventShipmentDeleted HistoryEvent = "shipment_deleted"
	EventInvoice         HistoryEvent = "invoice"     // an invoice was issued
	EventCreditMemo      HistoryEvent = "credit_memo" // a credit memo was issued
)

// FieldNames are names of fields on the wire, in alphabetical order.
type FieldNames []string

// MarshalText returns the stored form.
func (n FieldNames) MarshalText() ([]byte, error) { return []byte(strings.Join(n, ",")), nil }

// UnmarshalText reads the stored form.
func (n *FieldNames) UnmarshalText(text []byte) error {
	*n = nil
	if len(text) > 0 {
		*n = strings.Split(string(text), ",")
	}
	return nil
}

// add adds a name once.
func (n *FieldNames) add(name string) {
	if i, has := slices.BinarySearch(*n, name); !has {
		*n = slices.Insert(*n, i, name)
	}
}

// isEmpty reports whether an entry of a change says nothing.
func (e *HistoryEntry) isEmpty() bool {
	return e.From == e.To && len(e.Fields) == 0 && e.ItemIDs == "" && e.Document == ""
}

// compareSent records the fields of the request that differ from the stored order. It
// runs before amounts are computed, so that computed amounts are not part of the change.
func (e *HistoryEntry) compareSent(before, after *Order) {
	if after.Status != before.Status {
		e.Event, e.From, e.To = EventStatus, before.Status, after.Status
	}
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"user_id", after.UserID != before.UserID},
		{"payment_id", after.PaymentID != before.PaymentID},
		{"total", !after.Total.Equal(before.Total)},
		{"subtotal_discount", !after.SubtotalDiscount.Equal(before.SubtotalDiscount)},
		{"shipping_cost", !after.ShippingCost.Equal(before.ShippingCost) || bool(before.ShippingCostSet && !after.ShippingCostSet)},
		{"payment_surcharge", !after.PaymentSurcharge.Equal(before.PaymentSurcharge) || bool(before.PaymentSurchargeSet && !after.PaymentSurchargeSet)},
		{"tax_exempt", after.TaxExempt != before.TaxExempt},
		{"repaid", !after.repaid().Equal(before.repaid())},
		{"payment_info", !maps.Equal(after.PaymentInfo, before.PaymentInfo)},
		{"notes", after.Notes != before.Notes},
		{"details", after.Details != before.Details},
		{"invoice_id", !sameText(after.InvoiceID, before.InvoiceID)},
		{"credit_memo_id", !sameText(after.CreditMemoID, before.CreditMemoID)},
	} {
		if f.changed {
			e.Fields.add(f.name)
		}
	}
	for _, of := range [][2]shopapi.Custom{{before.Custom, after.Custom}, {after.Custom, before.Custom}} {
		for name, value := range of[0].All() {
			if !reflect.DeepEqual(value, of[1].Get(name)) {
				e.Fields.add(name)
			}
		}
	}
}

// compareCustomer notes the fields of the customer that differ, addresses included.
func (e *HistoryEntry) compareCustomer(before, after Customer) {
	texts := map[string]string{}
	before.fields(func(name string, text *string) { texts[name] = *text })
	after.fields(func(name string, text *string) {
		if *text != texts[name] {
			e.Fields.add(name)
		}
	})
}

// compareLines notes the lines that were added, removed, or sent with other values.
func (e *HistoryEntry) compareLines(before, after Lines) {
	var ids []int64
	had, has := before.byItem(), after.byItem()
	for i := range before {
		was := &before[i]
		if now := has[was.ItemID]; now == nil || now.Amount != was.Amount || !now.Price.Equal(was.Price) || !now.Discount.Equal(was.Discount) {
			ids = append(ids, was.ItemID)
		}
	}
	for i := range after {
		if had[after[i].ItemID] == nil {
			ids = append(ids, after[i].ItemID)
		}
	}
	if len(ids) > 0 {
		e.Fields.add("products")
		e.ItemIDs = idList(ids)
	}
}

func sameText(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func idList(ids []int64) shopapi.IDList {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = shopapi.FormatID(id)
	}
	return shopapi.IDList(strings.Join(texts, ","))
}
