package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/options"
)

// A body has the members of payloads of orders that bind reads itself (§18, decisions
// §26). It documents them.
type body struct {
	UserID     int64          `json:"user_id"`     // the customer; without it user_data is required
	Customer   customerBody   `json:"user_data"`   // a guest, or changes of the order's copy of the customer
	Lines      []lineBody     `json:"products"`    // by ids of lines or products, or with product_id; on PUT all lines that the order is to have
	ShippingID shippingIDBody `json:"shipping_id"` // a shipping method, or one for each company

	ShippingCost     decimal.Decimal `json:"shipping_cost" empty:"true"`     // written in place of the computed one until the method changes; empty ends that
	PaymentSurcharge decimal.Decimal `json:"payment_surcharge" empty:"true"` // written in place of the computed one until the method changes; empty ends that
	Repaid           decimal.Decimal `json:"repaid" empty:"true"`            // the amount that was paid back, from 0 to the total
	PaymentInfo      paymentInfoBody `json:"payment_info"`                   // texts on the payment by name, never numbers of cards; null erases all
	Timestamp        int64           `json:"timestamp" empty:"true"`         // of a new order of the past
	TakeStock        shopapi.Flag    `json:"take_stock" empty:"true"`        // N: a new order that takes and holds nothing
	Reprice          shopapi.Flag    `json:"reprice" empty:"true"`           // Y takes today's tables of the methods and taxes
	Recalculate      shopapi.Flag    `json:"recalculate" empty:"true"`       // N keeps the sums and taxes for this PUT

	NotifyUser       shopapi.Flag `json:"notify_user" empty:"true"`
	NotifyDepartment shopapi.Flag `json:"notify_department" empty:"true"`
	NotifyVendor     shopapi.Flag `json:"notify_vendor" empty:"true"`
}

// A customerBody is the member user_data.
type customerBody struct {
	Email     string          `json:"email"`
	FirstName string          `json:"firstname"`
	LastName  string          `json:"lastname"`
	Phone     string          `json:"phone"`
	Company   string          `json:"company"`
	Fax       string          `json:"fax"`
	URL       string          `json:"url"`
	Billing   address.Address `json:"-" prefix:"b_"`
	Shipping  address.Address `json:"-" prefix:"s_"`
}

// A lineBody is one of products.
type lineBody struct {
	ProductID int64             `json:"product_id"`            // where the key is neither a line nor a product
	Amount    int64             `json:"amount"`                // pieces, from 1
	Options   options.Selection `json:"product_options"`       // ids of options with ids of variants or texts
	Price     decimal.Decimal   `json:"price" empty:"true"`    // of one piece, on PUT and in orders of the past
	Discount  decimal.Decimal   `json:"discount" empty:"true"` // of the line, on PUT
}

// A paymentInfoBody is the member payment_info.
type paymentInfoBody struct{}

// PayloadForms implements [shopapi.PayloadFormer].
func (paymentInfoBody) PayloadForms() []any { return []any{map[string]string{}} }

// A shippingIDBody is the member shipping_id.
type shippingIDBody struct{}

// PayloadForms implements [shopapi.PayloadFormer].
func (shippingIDBody) PayloadForms() []any { return []any{int64(0), map[int64]int64{}} }
