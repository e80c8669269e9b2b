package taxes

import (
	"cmp"
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Tax is one tax.
type Tax struct {
	TaxID               int64        `json:"tax_id,string" store:"key" bind:"-"`
	Name                string       `json:"tax" store:"fold,index,translated" rule:"required,len=255" hint:"the name of the tax"`
	AddressType         string       `json:"address_type" rule:"oneof=S B,default=S"` // S uses the shipping address, B the billing address
	Status              string       `json:"status" rule:"oneof=A D H,default=A"`     // A active, D disabled, H hidden
	PriceIncludesTax    shopapi.Flag `json:"price_includes_tax"`                      // the prices of products include it
	DisplayIncludingTax shopapi.Flag `json:"display_including_tax"`                   // a storefront shows prices with it
	DisplayInfo         string       `json:"display_info" rule:"bytes=4096"`
	RegNumber           string       `json:"regnumber" rule:"len=255"`               // the shop's number with the tax office
	Priority            int64        `json:"priority,string" rule:"min=0,max=int32"` // computed on the taxes of lower priorities too
	Rates               Rates        `json:"rates,omitempty" types:"array"`

	LangCode string `json:"lang_code,omitempty" store:"-" bind:"-"` // the language that the request names

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
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

// load sets the language that was asked for (decisions §15).
func load(ctx context.Context, _ store.Tx, list ...*Tax) error {
	for _, t := range list {
		t.LangCode = shopapi.LanguageFrom(ctx)
	}
	return nil
}

// check adds the problems of a tax.
func check(_ context.Context, _ store.Tx, _, t *Tax, problems *shopapi.Problems) error {
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
	Status string `json:"status" bind:"codes" rule:"oneof=A D H" match:"equal"`
}

var sorts = []resource.Sort{
	{Key: "tax_id", Column: "tax_id"},
	{Key: "tax", Column: "tax"},
}
