package orders

import (
	"net/http"

	"github.com/shopapi/shopapi"
)

// isInvoiced reports whether an invoice is issued. An InvoiceID that a client wrote names an
// invoice of another program, and freezes nothing.
func (o *Order) isInvoiced() bool { return o.InvoiceDate != nil }

// refuseChange notes changes of the content and of the amounts of an invoiced order
// (decisions §26).
func (o *Order) refuseChange(after *Order, asked *Change, lines *lineChange, problems *shopapi.Problems) {
	shipping := asked.shippingFor(after.CompanyID, true)
	for _, field := range []struct {
		name    string
		changed bool
	}{
		{"products", lines.changed},
		{"shipping_id", shipping > 0 && (len(o.Methods) == 0 || shipping != o.Methods[0].ShippingID)},
		{"payment_id", after.PaymentID != o.PaymentID},
		{"subtotal_discount", !after.SubtotalDiscount.Equal(o.SubtotalDiscount)},
		{"shipping_cost", !after.ShippingCost.Equal(o.ShippingCost) || after.ShippingCostSet != o.ShippingCostSet},
		{"payment_surcharge", !after.PaymentSurcharge.Equal(o.PaymentSurcharge) || after.PaymentSurchargeSet != o.PaymentSurchargeSet},
		{"total", !after.Total.Equal(o.Total)},
		{"tax_exempt", after.TaxExempt != o.TaxExempt},
		{"reprice", asked.Reprice},
		{"user_data[b_country]", after.Billing.Country != o.Billing.Country},
		{"user_data[b_state]", after.Billing.State != o.Billing.State},
		{"user_data[b_zipcode]", after.Billing.Zipcode != o.Billing.Zipcode},
		{"user_data[s_country]", after.Shipping.Country != o.Shipping.Country},
		{"user_data[s_state]", after.Shipping.State != o.Shipping.State},
		{"user_data[s_zipcode]", after.Shipping.Zipcode != o.Shipping.Zipcode},
	} {
		if field.changed {
			problems.Add(field.name, "cannot be changed: the invoice %s is issued", *o.InvoiceID)
		}
	}
}

// refuseDeletion returns a 400 if the order is invoiced.
func (o *Order) refuseDeletion() error {
	if !o.isInvoiced() {
		return nil
	}
	return shopapi.Errorf(http.StatusBadRequest, "The order %d cannot be deleted: its invoice %s is issued.", o.OrderID, *o.InvoiceID)
}
