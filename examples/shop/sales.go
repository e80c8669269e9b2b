package main

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
)

const (
	cartsPerPart = 4
	demoDays     = 730 // time span of the orders
)

var ordersPerPart = 1250 // fewer in processes of tests

// demand is the relative number of orders of a day: the shop grows, sells most before
// Christmas and little in summer, and more on Sundays than on Fridays.
func demand(day time.Time, age int) float64 {
	growth := 1 + 1.4*float64(demoDays-age)/demoDays
	season := 1 + 0.25*math.Cos(2*math.Pi*float64(day.YearDay()-350)/365)
	if day.Month() == time.December && day.Day() < 20 || day.Month() == time.November && day.Day() > 20 {
		season += 0.6
	}
	return growth * season * []float64{1.25, 1.05, 1, 1, 0.95, 0.8, 1.1}[day.Weekday()]
}

// hours are the shares of a day's orders, by the hour.
var hours = [24]float64{3, 1, 1, 0, 0, 1, 2, 4, 6, 7, 8, 8, 9, 8, 7, 7, 7, 8, 9, 11, 13, 12, 9, 6}

// A calendar distributes the orders over time.
type calendar struct {
	first time.Time
	sums  []float64 // of demand by the hour, from first on
}

func newCalendar(now time.Time) *calendar {
	c := &calendar{first: now.Add(-demoDays * 24 * time.Hour).Truncate(time.Hour)}
	sum := 0.0
	for at := c.first; !at.Add(time.Hour).After(now); at = at.Add(time.Hour) {
		sum += demand(at, int(now.Sub(at).Hours()/24)) * hours[at.Hour()]
		c.sums = append(c.sums, sum)
	}
	return c
}

// at returns the time at which a share of all orders, from 0 to 1, has been placed.
func (c *calendar) at(share float64) time.Time {
	sum := share * c.sums[len(c.sums)-1]
	i := sort.SearchFloat64s(c.sums, sum)
	before := 0.0
	if i > 0 {
		before = c.sums[i-1]
	}
	part := 0.0
	if width := c.sums[i] - before; width > 0 {
		part = (sum - before) / width
	}
	return c.first.Add(time.Duration((float64(i) + part) * float64(time.Hour)))
}

// addOrders creates the part's share of the orders of two years, with their shipments.
// The oldest come first, so that ids rise with time. They take no stock.
func (f *filler) addOrders(ctx context.Context) error {
	c := newCalendar(f.now)
	first, next := f.size.ordersOf(f.part, f.parts-1)
	list := make([]orders.Order, next-first)
	for n := range list {
		list[n] = f.anOrder(c.at((float64(first+n) + f.random.Float64()) / float64(f.size.orders)))
	}
	placed, err := f.shop.Orders.Import(ctx, list)
	if err != nil {
		return err
	}
	return f.addShipments(ctx, placed)
}

// anOrder returns an order placed at a time.
func (f *filler) anOrder(at time.Time) orders.Order {
	o := orders.Order{}
	o.Timestamp, o.CompanyID, o.Status = at.Unix(), f.company, f.statusSince(f.now.Sub(at))
	bill, ship := f.anAddress(), address.Address{}
	if f.random.IntN(10) < 7 {
		u := &f.customers[f.random.IntN(len(f.customers))]
		bill, ship = address.Address(u.Billing), address.Address(u.Shipping)
		o.UserID, o.FirstName, o.LastName, o.Email = u.UserID, u.FirstName, u.LastName, u.Email
	} else {
		o.FirstName, o.LastName = bill.FirstName, bill.LastName
		o.Email = fmt.Sprintf("%s.%s@example.com", ascii(bill.FirstName), ascii(bill.LastName))
	}
	bill.CountryDescr, bill.StateDescr, ship.CountryDescr, ship.StateDescr = "", "", "", ""
	o.Billing, o.Shipping, o.Phone = bill, ship.Or(bill), bill.Phone
	o.IPAddress = fmt.Sprintf("198.51.100.%d", f.random.IntN(256))
	if o.Status == orders.Complete {
		invoice := fmt.Sprintf("%d-%05d", at.Year(), f.random.IntN(100_000))
		o.InvoiceID = &invoice
	}
	for range 1 + f.random.IntN(3)*f.random.IntN(2) {
		o.Lines = append(o.Lines, f.aLine())
	}
	f.addCosts(&o)
	return o
}

// statusSince returns the status of an order by its age: most are complete after a week.
func (f *filler) statusSince(age time.Duration) string {
	n := f.random.IntN(100)
	switch {
	case n < 5:
		return orders.Cancelled
	case n < 8:
		return orders.Failed
	case n < 10:
		return orders.Declined
	case age > 7*24*time.Hour:
		return orders.Complete
	case n < 12:
		return orders.Backordered
	case n < 16:
		return orders.AwaitingCall
	case age > 24*time.Hour || n < 50:
		return orders.Processed
	}
	return orders.Open
}

// aLine returns a line with some pieces of a product without options.
func (f *filler) aLine() orders.Line {
	p := &f.offer[withOptions+f.random.IntN(len(f.offer)-withOptions)]
	return orders.Line{
		ProductID: p.ProductID, CompanyID: p.CompanyID, Code: p.Code, Name: p.Name, Status: products.Active,
		Amount: int64(1 + f.random.IntN(4)*f.random.IntN(2)), BasePrice: p.Price, Price: p.Price,
		Discount: decimal.MustNew(0, 2), TaxIDs: p.TaxIDs.IDs(), Ships: true, Weight: p.Weight, Freight: p.ShippingFreight,
	}
}

// addCosts adds taxes, a payment and a shipping method to an order.
func (f *filler) addCosts(o *orders.Order) {
	goods := decimal.MustNew(0, 2)
	for i := range o.Lines {
		l := &o.Lines[i]
		price, err := l.Price.Mul(decimal.MustNew(l.Amount, 0))
		if err == nil {
			goods, err = goods.Add(price)
		}
		if err != nil { // prices of the demo are small
			panic(err)
		}
	}
	payment := f.payments[min(f.random.IntN(6)/2, f.random.IntN(3))]
	o.PaymentID, o.Payment, o.PaymentSurcharge = payment.PaymentID, orders.PaymentMethod{Payment: payment}, payment.ASurcharge
	method, cost := f.shippings[min(f.random.IntN(3), f.random.IntN(3))], decimal.MustNew(0, 2)
	switch {
	case method.ShippingID == f.shippings[1].ShippingID:
		cost = decimal.MustNew(1290, 2)
	case method.ShippingID == f.shippings[0].ShippingID && goods.Cmp(decimal.MustNew(75, 0)) < 0:
		cost = decimal.MustNew(590, 2)
	}
	o.ShippingIDs, o.ShippingCost = shopapi.IDList(shopapi.FormatID(method.ShippingID)), cost
	o.Methods = orders.Methods{{
		ShippingID: method.ShippingID, CompanyID: f.company, Name: method.Name, DeliveryTime: method.DeliveryTime,
		RateCalculation: "M", TaxIDs: []int64{f.tax.TaxID}, Rate: cost,
	}}
	o.Taxes = orders.Taxes{f.orderTax}
}

// addCarts creates carts of customers and of guests, of the last days.
func (f *filler) addCarts(ctx context.Context) error {
	if f.part >= partsPerScale {
		return nil
	}
	for n := range cartsPerPart {
		owner := carts.Owner{ID: f.customers[n].UserID, IPAddress: fmt.Sprintf("203.0.113.%d", f.random.IntN(256))}
		if n%2 == 1 {
			home := f.anAddress()
			owner = carts.Owner{ID: carts.FirstGuest + f.random.Int64N(1<<40), IPAddress: owner.IPAddress, FirstName: home.FirstName, LastName: home.LastName, Phone: home.Phone}
		}
		var items []carts.Item
		for range 1 + n {
			items = append(items, carts.Item{ProductID: f.aLine().ProductID, Amount: int64(1 + f.random.IntN(3))})
		}
		if _, err := f.shop.Carts.Put(ctx, owner, items...); err != nil {
			return err
		}
	}
	return nil
}
