package shippings

import (
	"cmp"
	"context"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a shipping method as lists show it.
type Summary struct {
	ShippingID   int64           `json:"shipping_id,string" store:"key" bind:"-"`
	MinWeight    decimal.Decimal `json:"min_weight" store:"scale=2" rule:"scale=2,max=99999999.99"` // of the orders that it can ship
	MaxWeight    decimal.Decimal `json:"max_weight" store:"scale=2" rule:"scale=2,max=99999999.99"` // 0 for no limit
	Position     int64           `json:"position,string" store:"index" rule:"min=0,max=int32"`
	Status       string          `json:"status" rule:"oneof=A D H,default=A"` // A active, D disabled, H hidden
	Name         string          `json:"shipping" store:"fold,index,translated" rule:"required,len=255" hint:"the name of the shipping method"`
	DeliveryTime string          `json:"delivery_time" store:"translated" rule:"len=255"`
	UsergroupIDs shopapi.IDList  `json:"usergroup_ids" rule:"default=0"` // groups that may choose it; 0 is all
	TaxIDs       shopapi.IDList  `json:"tax_ids"`                        // taxes on its cost

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A Shipping is a shipping method as GET of one returns it.
type Shipping struct {
	Summary
	CompanyID       int64        `json:"company_id,string" store:"index"`
	Destination     string       `json:"destination" bind:"-" rule:"default=I"`
	RateCalculation string       `json:"rate_calculation" rule:"oneof=M R,default=M"` // M by Rates, R by a service of the host
	ServiceID       int64        `json:"service_id,string" rule:"min=0,max=int32"`
	ServiceParams   shopapi.JSON `json:"service_params" types:"object array string" rule:"bytes=16384"` // an object or a text; none is []
	Localization    string       `json:"localization" rule:"len=255"`
	Rates           Rates        `json:"rates" types:"array"`
	LangCode        string       `json:"lang_code,omitempty" store:"-" bind:"-"` // the language that the request names
}

var (
	table     = store.MustTable[Shipping]("shippings")
	summaries = store.Project[Summary](table)
)

// The statuses of a shipping method. A hidden one can be used for orders but is not
// offered.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// Available reports whether the method ships an order of the weight.
func (s *Summary) Available(weight decimal.Decimal) bool {
	return weight.Cmp(s.MinWeight) >= 0 && (s.MaxWeight.IsZero() || weight.Cmp(s.MaxWeight) <= 0)
}

// Pricing returns the method in the form of package pricing, for an address in the
// destinations.
func (s *Shipping) Pricing(destinations ...int64) *pricing.Shipping {
	return &pricing.Shipping{Rates: s.Rates.Pricing(), Destinations: destinations, TaxIDs: s.TaxIDs.IDs()}
}

func normalize(s *Shipping, problems *shopapi.Problems) {
	resource.NormalizeIDs(problems, "usergroup_ids", &s.UsergroupIDs)
	resource.NormalizeIDs(problems, "tax_ids", &s.TaxIDs)
	s.UsergroupIDs = cmp.Or(s.UsergroupIDs, "0")
}

// load sets the language that was asked for (decisions §15).
func load(ctx context.Context, _ store.Tx, list ...*Shipping) error {
	for _, s := range list {
		s.LangCode = shopapi.LanguageFrom(ctx)
	}
	return nil
}

// check adds the problems of a shipping method.
func (s *Shippings) check(ctx context.Context, _ store.Tx, before, v *Shipping, problems *shopapi.Problems) error {
	v.Destination = cmp.Or(before.Destination, v.Destination)
	if !v.MaxWeight.IsZero() && v.MinWeight.Cmp(v.MaxWeight) > 0 && !(problems.Skips("min_weight") && problems.Skips("max_weight")) {
		problems.Add("min_weight", "must not be more than max_weight, unless that is 0 for no limit")
	}
	if p := v.ServiceParams; len(p) > 0 && p[0] != '{' && p[0] != '"' && string(p) != "[]" && !problems.Skips("service_params") {
		problems.Add("service_params", "must be a text or an object")
	}
	if !problems.Skips("rates") {
		if err := v.Rates.UnmarshalJSON([]byte(cmp.Or(v.Rates, "[]"))); err != nil {
			problems.Add("rates", "%s", err)
		}
	}
	if err := resource.CheckUsergroups(ctx, s.api, problems, v.UsergroupIDs); err != nil {
		return err
	}
	return resource.CheckIDs(ctx, s.api, problems, "tax_ids", "taxes", v.TaxIDs)
}

// A Filter selects the shipping methods of a list. Its zero value selects all that the
// user may see.
type Filter struct {
	resource.ListOptions
	Status    string `json:"status" bind:"codes" rule:"oneof=A D H" match:"equal"`
	CompanyID *int64 `json:"company_id" match:"equal"`
}

var sorts = []resource.Sort{
	{Key: "position", Column: "position"},
	{Key: "shipping_id", Column: "shipping_id"},
	{Key: "shipping", Column: "shipping"},
}
