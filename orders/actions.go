package orders

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"reflect"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// actions are issue_invoice and issue_credit_memo (decisions §26).
func (o *Orders) actions() []resource.Action[Order] {
	return []resource.Action[Order]{
		{
			Name: "issue_invoice", MayExist: true, Run: o.runIssueInvoice, Answer: reflect.TypeFor[invoiceAnswer](),
			Summary: "Issues the invoice of an order, with the next number, and freezes its content and amounts. It answers invoice_id and invoice_date.",
		},
		{
			Name: "issue_credit_memo", Payload: reflect.TypeFor[creditPayload](), Run: o.runIssueCreditMemo, Answer: reflect.TypeFor[creditMemoAnswer](),
			Summary: "Issues a credit memo of an invoiced order: without a body of all that is not credited yet. It answers credit_memo_id and credit_memo_date.",
		},
	}
}

func (o *Orders) runIssueInvoice(ctx context.Context, tx store.Tx, _ *shopapi.Request, order *Order) (shopapi.Reply, error) {
	d, existing, err := o.issueInvoice(ctx, tx, order)
	return shopapi.Reply{More: d.reply("invoice"), Existing: existing}, err
}

func (o *Orders) runIssueCreditMemo(ctx context.Context, tx store.Tx, r *shopapi.Request, order *Order) (shopapi.Reply, error) {
	credit, err := creditOf(r.Payload)
	if err != nil {
		return shopapi.Reply{}, err
	}
	d, err := o.issueCreditMemo(ctx, tx, order, &credit)
	return shopapi.Reply{More: d.reply("credit_memo")}, err
}

// An invoiceAnswer is the answer to issue_invoice, for the OpenAPI document.
type invoiceAnswer struct {
	OrderID     int64  `json:"order_id,string"`
	InvoiceID   string `json:"invoice_id"`          // the number
	InvoiceDate *int64 `json:"invoice_date,string"` // in seconds since 1970, null for an invoice that was issued elsewhere
}

// A creditMemoAnswer is the answer to issue_credit_memo, for the OpenAPI document.
type creditMemoAnswer struct {
	OrderID        int64  `json:"order_id,string"`
	CreditMemoID   string `json:"credit_memo_id"`          // the number
	CreditMemoDate int64  `json:"credit_memo_date,string"` // in seconds since 1970
}

// reply has the number and the date of a document; an invoice elsewhere has no date.
func (d *Document) reply(kind string) shopapi.Map {
	var date any
	if d.Date != 0 {
		date = shopapi.FormatID(d.Date)
	}
	return shopapi.Map{{Name: kind + "_id", Value: d.Number}, {Name: kind + "_date", Value: date}}
}

// A creditPayload is the body of issue_credit_memo, for the OpenAPI document.
type creditPayload struct {
	Products         shopapi.JSON     `json:"products" types:"object array string"` // the pieces by item id, such as {"12": {"amount": 1}}
	ShippingCost     *decimal.Decimal `json:"shipping_cost" empty:"true"`           // a part of it, without added taxes
	PaymentSurcharge *decimal.Decimal `json:"payment_surcharge" empty:"true"`       // a part of it, without added taxes
	Total            *decimal.Decimal `json:"total" empty:"true"`                   // alone an amount with all taxes, else the sum of the parts
}

// creditOf reads the body of issue_credit_memo. Empty texts and null are not sent. An empty body
// credits all that is left. A body that says nothing of what to credit is a 400, because a memo
// is never taken back.
func creditOf(p *shopapi.Payload) (Credit, error) {
	var c Credit
	var problems shopapi.Problems
	c.ShippingCost = amountOf(p.Raw("shipping_cost"), "shipping_cost", &problems)
	c.PaymentSurcharge = amountOf(p.Raw("payment_surcharge"), "payment_surcharge", &problems)
	c.Total = amountOf(p.Raw("total"), "total", &problems)
	if raw := bytes.TrimSpace(p.Raw("products")); len(raw) > 0 && string(raw) != "null" && string(raw) != `""` {
		c.Pieces = piecesOf(raw, &problems)
	}
	if c.isAll() && problems.Err() == nil && p.Size() > 0 {
		problems.Add("products", `is required where no amount is sent: the pieces by item id, such as {"12": {"amount": 1}}`)
		problems.Add("total", "is required where no products, shipping_cost or payment_surcharge are sent: an amount; an empty body credits all that is left")
	}
	return c, problems.Err()
}

// piecesOf reads the pieces that are credited, by item id.
func piecesOf(raw []byte, problems *shopapi.Problems) map[int64]int64 {
	const form = `must be an object of lines, such as {"12": {"amount": 1}}`
	list, err := wire.Members(raw)
	if err != nil || len(list) == 0 || len(list) > maxLines {
		problems.Add("products", form)
		return nil
	}
	pieces := map[int64]int64{}
	for _, m := range list {
		var members map[string]json.RawMessage
		item, ok := wire.ParseInt(m.Name)
		if _, twice := pieces[item]; !ok || item < 1 || item > math.MaxUint32 || twice || json.Unmarshal(m.Value, &members) != nil {
			problems.Add("products", form)
			return nil
		}
		field := "products[" + shopapi.FormatID(item) + "][amount]"
		if members["amount"] == nil {
			problems.Add(field, "is required: a number of pieces from 1")
			continue
		}
		pieces[item] = wholeNumber(members["amount"], 1, maxPieces, field, problems)
	}
	return pieces
}
