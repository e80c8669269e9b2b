package payments

import (
	"cmp"
	"context"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Payment is a payment method.
type Payment struct {
	PaymentID       int64           `json:"payment_id,string" store:"key" bind:"-"`
	CompanyID       int64           `json:"company_id,string" store:"index"`
	UsergroupIDs    shopapi.IDList  `json:"usergroup_ids" rule:"default=0"` // groups that may choose it; 0 is all
	Position        int64           `json:"position,string" store:"index" rule:"min=0,max=int32"`
	Status          string          `json:"status" rule:"oneof=A D H,default=A"`                                                 // A active, D disabled, H hidden
	Template        string          `json:"template" rule:"len=255,default=views/orders/components/payments/business_check.tpl"` // path of a template of the storefront
	ProcessorID     int64           `json:"processor_id,string" rule:"min=0,max=int32"`
	ProcessorParams Params          `json:"processor_params" types:"string object" rule:"bytes=16384"` // may contain secrets
	ASurcharge      decimal.Decimal `json:"a_surcharge" store:"scale=3" rule:"scale=3,max=999999.999"` // in the shop's currency
	PSurcharge      decimal.Decimal `json:"p_surcharge" store:"scale=3" rule:"scale=3,max=999999.999"` // percent of goods and shipping
	TaxIDs          shopapi.IDList  `json:"tax_ids"`                                                   // without effect
	Localization    string          `json:"localization" rule:"len=255"`
	Category        string          `json:"payment_category" rule:"oneof=tab1 tab2 tab3,default=tab1"` // tab1 card, tab2 internet, tab3 other
	Name            string          `json:"payment" store:"fold,index,translated" rule:"required,len=255" hint:"the name of the payment method"`
	Description     string          `json:"description" store:"translated" rule:"bytes=65536,html"`
	Instructions    string          `json:"instructions" store:"translated" rule:"bytes=65536,html"` // shown when the order is placed
	SurchargeTitle  string          `json:"surcharge_title" store:"translated" rule:"len=255"`
	LangCode        string          `json:"lang_code"` // the language of the request

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

var table = store.MustTable[Payment]("payments")

// The statuses of a payment method. A hidden one can be used for orders but is not
// offered.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// Surcharge returns the surcharge of the method, in the form of package pricing.
func (p *Payment) Surcharge() pricing.Surcharge {
	return pricing.Surcharge{Value: p.ASurcharge, Percent: p.PSurcharge}
}

func normalize(p *Payment, problems *shopapi.Problems) {
	resource.NormalizeIDs(problems, "usergroup_ids", &p.UsergroupIDs)
	resource.NormalizeIDs(problems, "tax_ids", &p.TaxIDs)
	p.UsergroupIDs = cmp.Or(p.UsergroupIDs, "0")
}

// check adds the problems of a payment method.
func (p *Payments) check(ctx context.Context, _ store.Tx, _, v *Payment, problems *shopapi.Problems) error {
	if err := resource.CheckUsergroups(ctx, p.api, problems, v.UsergroupIDs); err != nil {
		return err
	}
	return resource.CheckIDs(ctx, p.api, problems, "tax_ids", "taxes", v.TaxIDs)
}

// A Filter selects the payment methods of a list. Its zero value selects all that the
// user may see.
type Filter struct {
	resource.ListOptions
	Status    string `json:"status" bind:"codes" rule:"oneof=A D H" match:"equal"`
	CompanyID *int64 `json:"company_id" match:"equal"`
}

var sorts = []resource.Sort{
	{Key: "position", Column: "position"},
	{Key: "payment_id", Column: "payment_id"},
	{Key: "payment", Column: "payment"},
}
