package pull

import (
	"encoding/json"

	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/taxes"
)

// taxRates are the rates of a tax, as the column holds them.
func taxRates(o *object) store.Value {
	var rates taxes.Rates
	if err := readRates(o, &rates); err != nil {
		o.problem("rates", err.Error())
	}
	return store.String(string(rates))
}

// shippingRates are the rates of a shipping method, as the column holds them.
func shippingRates(o *object) store.Value {
	var rates shippings.Rates
	if err := readRates(o, &rates); err != nil {
		o.problem("rates", err.Error())
	}
	return store.String(string(rates))
}

func readRates(o *object, into json.Unmarshaler) error {
	raw := o.members["rates"]
	if wire.IsEmpty(raw) {
		return nil
	}
	return into.UnmarshalJSON(raw)
}

// compactObject is a field that is an object, "" where it is empty or none.
func compactObject(o *object, field string) (string, error) {
	text, err := wire.Compact(o.members[field])
	if err != nil || text == "" || text[0] != '{' {
		return "", err
	}
	return text, nil
}
