package orders

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/wire"
)

// PaymentInfo are texts on the payment of an order by name, such as a transaction id and
// the last digits of a card (decisions §26). No text may be the number of a card. Only GET
// of one order answers it, to users with manage_orders who see all companies.
type PaymentInfo map[string]string

// maxPaymentInfo is the greatest length of the stored form, in bytes.
const maxPaymentInfo = 4 << 10

// MarshalText returns the stored form.
func (p PaymentInfo) MarshalText() ([]byte, error) {
	if len(p) == 0 {
		return nil, nil
	}
	return p.AppendJSON(nil)
}

// UnmarshalText reads the stored form.
func (p *PaymentInfo) UnmarshalText(text []byte) error {
	*p = nil
	return readDocument(text, (*map[string]string)(p))
}

// AppendJSON writes an object of the texts by name, and an empty array if there are none.
func (p PaymentInfo) AppendJSON(dst []byte) ([]byte, error) {
	if len(p) == 0 {
		return append(dst, "[]"...), nil
	}
	m := make(shopapi.Map, 0, len(p))
	for _, name := range slices.Sorted(maps.Keys(p)) {
		m = append(m, shopapi.Member{Name: name, Value: p[name]})
	}
	return jsonenc.Append(dst, m)
}

// MarshalJSON is [PaymentInfo.AppendJSON].
func (p PaymentInfo) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil) }

// bindPaymentInfo reads payment_info: null erases it, an object replaces all of it, and an
// empty value changes nothing.
func bindPaymentInfo(p *shopapi.Payload, o *Order, problems *shopapi.Problems) {
	raw := bytes.TrimSpace(p.Raw("payment_info"))
	switch {
	case string(raw) == "null":
		o.PaymentInfo = nil
		return
	case wire.IsEmpty(raw):
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		problems.Add("payment_info", "must be an object of texts, such as {\"transaction_id\": \"T-1\"}")
		return
	}
	info := PaymentInfo{}
	for name, value := range members {
		text, ok := wire.Text(value)
		if !ok {
			problems.Add("payment_info", "must be an object of texts: a value is an array or an object")
			return
		}
		info[name] = text
	}
	o.PaymentInfo = info
}

// check reports texts that may not be stored, without repeating them.
func (p PaymentInfo) check(problems *shopapi.Problems) {
	stored, _ := p.MarshalText() // never fails
	if len(stored) > maxPaymentInfo {
		problems.Add("payment_info", "must have at most %d bytes as JSON, not %d", maxPaymentInfo, len(stored))
		return
	}
	for name, text := range p {
		if strings.ContainsRune(name+text, 0) {
			problems.Add("payment_info", "must not have NUL characters")
			return
		}
		if isCardNumber(name) || isCardNumber(text) {
			problems.Add("payment_info", "must not have the number of a card: at most its last digits")
			return
		}
	}
}

type paymentInfoKey struct{}

// withPaymentInfo returns the context in which the answer to a request shows payment_info,
// if it may: GET of an order at its own address, without a choice of fields.
func withPaymentInfo(ctx context.Context, r *shopapi.Request) context.Context {
	_, confined := shopapi.CompanyOf(ctx)
	if r.IsLookup() || r.Choice() != nil || len(r.Parents) > 0 || confined || !r.User.Can("manage_orders") {
		return ctx
	}
	return context.WithValue(ctx, paymentInfoKey{}, true)
}

// shownIn returns what answers of ctx show.
func (p PaymentInfo) shownIn(ctx context.Context) PaymentInfo {
	if shown, _ := ctx.Value(paymentInfoKey{}).(bool); shown {
		return p
	}
	return nil
}

// Get implements [shopapi.Getter].
func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	return e.Entity.Get(withPaymentInfo(ctx, r), r, id)
}
