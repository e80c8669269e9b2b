package orders_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pricing"
)

// imported is an order of a former shop: two lines with a discount, an included tax and
// an added tax.
func imported() orders.Order {
	d := decimal.MustParse
	var o orders.Order
	o.Email, o.FirstName, o.LastName, o.Timestamp, o.Status = " ana@example.org ", "Ana", "Petrov", 1_600_000_000, orders.Complete
	o.ShippingCost, o.PaymentSurcharge, o.SubtotalDiscount = d("6"), d("1.50"), d("4")
	o.Lines = orders.Lines{
		{ProductID: 7, Name: "Mug", Amount: 2, Price: d("12"), BasePrice: d("12"), Discount: d("0"), TaxIDs: []int64{1}, Ships: true, Reserved: 2},
		{ProductID: 7, Name: "Mug", Amount: 1, Price: d("20"), BasePrice: d("20"), Discount: d("2"), TaxIDs: []int64{2}, Ships: true},
	}
	o.Methods = orders.Methods{{ShippingID: 3, Name: "Parcel"}}
	o.Taxes = orders.Taxes{
		{TaxID: 1, Name: "VAT", Included: true, OnProducts: &pricing.TaxRate{Value: d("20")}},
		{TaxID: 2, Name: "Local", OnProducts: &pricing.TaxRate{Value: d("10")}},
	}
	return o
}

// TestOrders_Import computes amounts from what the orders say, and leaves their time and
// status, and the stock, as they are:
//
//	lines     12 × 2 = 24.00, 20 × 1 − 2 = 18.00
//	discount  4 × 24 / 42 = 2.29, and the rest, 1.71
//	added     (18.00 − 1.71) × 10 % = 1.63
//	total     42.00 − 4.00 + 6.00 + 1.63 + 1.50 = 47.13
func TestOrders_Import(t *testing.T) {
	s := apitest.New(t, nil)
	list, err := s.Orders.Import(t.Context(), []orders.Order{imported(), imported()})
	if err != nil || len(list) != 2 {
		t.Fatal(err)
	}
	for _, o := range list {
		got, err := s.Orders.Get(t.Context(), o.OrderID)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string][2]string{
			"subtotal": {got.Subtotal.String(), "42.00"}, "tax": {got.TaxSubtotal.String(), "1.63"}, "total": {got.Total.String(), "47.13"},
			"discount": {got.Discount.String(), "2.00"}, "surcharge": {got.PaymentSurcharge.String(), "1.50"},
			"shipping": {got.ShippingCost.String(), "6.00"}, "status": {got.Status, "C"}, "email": {got.Email, "ana@example.org"},
		} {
			if c[0] != c[1] {
				t.Errorf("%s is %s, want %s", name, c[0], c[1])
			}
		}
		if got.Timestamp != 1_600_000_000 || got.Lines[0].Reserved != 0 || got.Lines[0].ItemID == got.Lines[1].ItemID || got.Lines[0].ItemID == 0 {
			t.Errorf("imported %+v", got.Lines)
		}
	}
	if events := s.Events(); len(events) != 2 || events[0].Operation != shopapi.OpCreate {
		t.Errorf("events %v", events)
	}
}

// TestOrders_ImportRefuses invalid orders, and then imports none.
func TestOrders_ImportRefuses(t *testing.T) {
	s := apitest.New(t, nil)
	for field, spoil := range map[string]func(*orders.Order){
		"status":              func(o *orders.Order) { o.Status = "Q" },
		"products":            func(o *orders.Order) { o.Lines = nil },
		"products[1][amount]": func(o *orders.Order) { o.Lines[1].Amount = 0 },
		"products[0][price]":  func(o *orders.Order) { o.Lines[0].Price = decimal.MustParse("-1") },
		"subtotal_discount":   func(o *orders.Order) { o.SubtotalDiscount = decimal.MustParse("43") },
	} {
		wrong := imported()
		spoil(&wrong)
		_, err := s.Orders.Import(t.Context(), []orders.Order{imported(), wrong})
		var told *shopapi.Error
		if !errors.As(err, &told) || told.Status != 400 || told.Fields[field] == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, n, err := s.Orders.Find(t.Context(), orders.Filter{}); n != 0 || err != nil {
		t.Errorf("%d orders were imported, %v", n, err)
	}
}

// TestOrders_ImportKeepsTheRules: what no request can write to an order, no import can either.
func TestOrders_ImportKeepsTheRules(t *testing.T) {
	s := apitest.New(t, nil)
	d := decimal.MustParse
	for field, change := range map[string]func(*orders.Order){
		"repaid":            func(o *orders.Order) { more := d("47.14"); o.Repaid = &more },
		"payment_info":      func(o *orders.Order) { o.PaymentInfo = orders.PaymentInfo{"card": "4111 1111 1111 1111"} },
		"subtotal_discount": func(o *orders.Order) { o.SubtotalDiscount = d("0.001") },
	} {
		wrong := imported()
		change(&wrong)
		_, err := s.Orders.Import(t.Context(), []orders.Order{imported(), wrong})
		var e *shopapi.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Fields[field] == "" || !strings.HasPrefix(e.Message, "Order 2: ") {
			t.Errorf("an order with a wrong %s: %v", field, err)
		}
	}
	if list, _, err := s.Orders.Find(t.Context(), orders.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("the refused imports left %v, %v", list, err)
	}
}

// TestOrders_ImportIssuesNoInvoice: an imported order has the number of an invoice that was
// issued elsewhere, and one without a number can be invoiced.
func TestOrders_ImportIssuesNoInvoice(t *testing.T) {
	s := apitest.New(t, nil)
	number, date := "F-12", int64(1_600_000_100)
	elsewhere, none := imported(), imported()
	elsewhere.InvoiceID, elsewhere.InvoiceDate = &number, &date
	none.InvoiceDate, none.Change = &date, &orders.Change{ShippingID: 3}
	list, err := s.Orders.Import(t.Context(), []orders.Order{elsewhere, none})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []orders.Document{{Kind: orders.Invoice, Number: "F-12"}, {Kind: orders.Invoice, Number: "INV-2024-1", Date: apitest.Start.Unix()}} {
		got, err := s.Orders.IssueInvoice(t.Context(), list[i].OrderID)
		if err != nil || got.Number != want.Number || got.Date != want.Date {
			t.Errorf("the invoice of order %d is %s of %d, %v; want %s of %d", i, got.Number, got.Date, err, want.Number, want.Date)
		}
	}
}

// TestOrders_RepaidHasALimit: an amount that no column holds is a 400.
func TestOrders_RepaidHasALimit(t *testing.T) {
	s := apitest.New(t, nil)
	list, err := s.Orders.Import(t.Context(), []orders.Order{imported()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Orders.Update(t.Context(), list[0].OrderID, func(o *orders.Order) error {
		most := decimal.MustParse("9999999999999999999")
		o.Repaid = &most
		return nil
	})
	var e *shopapi.Error
	if !errors.As(err, &e) || e.Status != 400 || e.Fields["repaid"] == "" {
		t.Errorf("got %T %v, want a 400 that names repaid", err, err)
	}
}
