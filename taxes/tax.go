package taxes

import (
	"cmp"
	"context"
	"math"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Tax is one tax.
type Tax struct {
	TaxID               int64        `json:"tax_id,string" store:"key" bind:"-"`
	Name                string       `json:"tax" store:"fold,index,translated"`
	AddressType         string       `json:"address_type"`          // S uses the shipping address, B the billing address
	Status              string       `json:"status"`                // A active, D disabled, H hidden
	PriceIncludesTax    shopapi.Flag `json:"price_includes_tax"`    // the prices of products include it
	DisplayIncludingTax shopapi.Flag `json:"display_including_tax"` // a storefront shows prices with it
	DisplayInfo         string       `json:"display_info"`
	RegNumber           string       `json:"regnumber"`       // the shop's number with the tax office
	Priority            int64        `json:"priority,string"` // computed on the taxes of lower priorities too
	Rates               Rates        `json:"rates,omitempty"`
}

var table = store.MustTable[Tax]("taxes", store.Index{Columns: []string{"priority"}})

// The statuses of a tax.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// The addresses that a tax may use.
const (
	ShippingAddress = "S"
	BillingAddress  = "B"
)

const (
	maxText        = 255  // characters of names and numbers
	maxDisplayInfo = 4096 // bytes
)

// setDefaults sets the defaults of fields at their zero value.
func setDefaults(_ context.Context, t *Tax) {
	t.AddressType = cmp.Or(t.AddressType, ShippingAddress)
	t.Status = cmp.Or(t.Status, Active)
}

// check adds the problems of a tax.
func check(_ context.Context, _ store.Tx, _, t *Tax, problems *shopapi.Problems) error {
	problems.Required("tax", t.Name, "the name of the tax")
	problems.Length("tax", t.Name, maxText)
	problems.OneOf("address_type", t.AddressType, ShippingAddress, BillingAddress)
	problems.OneOf("status", t.Status, Active, Disabled, Hidden)
	problems.Length("regnumber", t.RegNumber, maxText)
	problems.Bytes("display_info", t.DisplayInfo, maxDisplayInfo)
	problems.Range("priority", t.Priority, 0, math.MaxInt32)
	if !problems.Skips("rates") {
		if err := t.Rates.UnmarshalJSON([]byte(cmp.Or(t.Rates, "[]"))); err != nil {
			problems.Add("rates", "%s", err)
		}
	}
	return nil
}

// A Filter selects the taxes of a list. Its zero value selects all.
type Filter struct {
	resource.ListOptions
	Status string `json:"status" bind:"codes"`
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) { w.Code("status", f.Status, Active, Disabled, Hidden) }

var sorts = []resource.Sort{
	{Key: "tax_id", Column: "tax_id"},
	{Key: "tax", Column: "tax"},
}
