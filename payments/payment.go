package payments

import (
	"cmp"
	"context"
	"math"

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
	UsergroupIDs    shopapi.IDList  `json:"usergroup_ids"` // groups that may choose it; 0 is all
	Position        int64           `json:"position,string" store:"index"`
	Status          string          `json:"status"`   // A active, D disabled, H hidden
	Template        string          `json:"template"` // path of a template of the storefront
	ProcessorID     int64           `json:"processor_id,string"`
	ProcessorParams Params          `json:"processor_params"`            // may contain secrets
	ASurcharge      decimal.Decimal `json:"a_surcharge" store:"scale=3"` // in the shop's currency
	PSurcharge      decimal.Decimal `json:"p_surcharge" store:"scale=3"` // percent of goods and shipping
	TaxIDs          shopapi.IDList  `json:"tax_ids"`                     // without effect
	Localization    string          `json:"localization"`
	Category        string          `json:"payment_category"` // tab1 card, tab2 internet, tab3 other
	Name            string          `json:"payment" store:"fold,index,translated"`
	Description     string          `json:"description" store:"translated"`
	Instructions    string          `json:"instructions" store:"translated"` // shown when the order is placed
	SurchargeTitle  string          `json:"surcharge_title" store:"translated"`
	LangCode        string          `json:"lang_code"` // the language of the request
}

var table = store.MustTable[Payment]("payments")

// The statuses of a payment method. A hidden one can be used for orders but is not
// offered.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

const (
	defaultTemplate = "views/orders/components/payments/business_check.tpl"
	maxText         = 255      // characters of names and paths
	maxDescription  = 64 << 10 // bytes of description and instructions
	maxParams       = 16 << 10 // bytes of processor_params
)

var categories = []string{"tab1", "tab2", "tab3"}

// maxSurcharge is the greatest surcharge: an amount, or percent.
var maxSurcharge = decimal.MustParse("999999.999")

// Surcharge returns the surcharge of the method, in the form of package pricing.
func (p *Payment) Surcharge() pricing.Surcharge {
	return pricing.Surcharge{Value: p.ASurcharge, Percent: p.PSurcharge}
}

// setDefaults sets the defaults of fields at their zero value.
func setDefaults(_ context.Context, p *Payment) {
	p.Status = cmp.Or(p.Status, Active)
	p.Template = cmp.Or(p.Template, defaultTemplate)
	p.Category = cmp.Or(p.Category, categories[0])
	p.UsergroupIDs = cmp.Or(p.UsergroupIDs, "0")
}

func normalize(p *Payment, problems *shopapi.Problems) {
	resource.NormalizeIDs(problems, "usergroup_ids", &p.UsergroupIDs)
	resource.NormalizeIDs(problems, "tax_ids", &p.TaxIDs)
	p.UsergroupIDs = cmp.Or(p.UsergroupIDs, "0")
	resource.NormalizeDecimal(problems, "a_surcharge", &p.ASurcharge, 3, maxSurcharge)
	resource.NormalizeDecimal(problems, "p_surcharge", &p.PSurcharge, 3, maxSurcharge)
}

// check adds the problems of a payment method.
func (p *Payments) check(ctx context.Context, _ store.Tx, _, v *Payment, problems *shopapi.Problems) error {
	problems.Required("payment", v.Name, "the name of the payment method")
	problems.Length("payment", v.Name, maxText)
	problems.OneOf("status", v.Status, Active, Disabled, Hidden)
	problems.OneOf("payment_category", v.Category, categories...)
	problems.Range("position", v.Position, 0, math.MaxInt32)
	problems.Range("processor_id", v.ProcessorID, 0, math.MaxInt32)
	problems.Length("template", v.Template, maxText)
	problems.Length("localization", v.Localization, maxText)
	problems.Length("surcharge_title", v.SurchargeTitle, maxText)
	problems.Bytes("description", v.Description, maxDescription)
	problems.Bytes("instructions", v.Instructions, maxDescription)
	problems.Bytes("processor_params", string(v.ProcessorParams), maxParams)
	return resource.CheckIDs(ctx, p.api, problems, "tax_ids", "taxes", v.TaxIDs)
}

// A Filter selects the payment methods of a list. Its zero value selects all that the
// user may see.
type Filter struct {
	resource.ListOptions
	Status    string `json:"status" bind:"codes"`
	CompanyID *int64 `json:"company_id"`
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	w.Code("status", f.Status, Active, Disabled, Hidden)
	w.Int("company_id", f.CompanyID)
}

var sorts = []resource.Sort{
	{Key: "position", Column: "position"},
	{Key: "payment_id", Column: "payment_id"},
	{Key: "payment", Column: "payment"},
}
