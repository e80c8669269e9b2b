package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/users"
)

// A tenant is a vendor or storefront of the demo beside the first company, with an
// administrator.
type tenant struct {
	name, storefront, email, category string
	goods                             []string
}

var tenants = []tenant{
	{"Kiln & Co", "kiln.example.com", "vendor@example.com", "Stoneware", []string{"Bread crock", "Butter dish", "Oil jar", "Salt pig"}},
	{"Loom Studio", "loom.example.com", "loom@example.com", "Textiles", []string{"Table runner", "Tea towel", "Wool rug", "Linen napkin"}},
}

// tenantRights are the privileges of the tenants' administrators.
var tenantRights = []string{
	"view_catalog", "manage_catalog", "view_orders", "manage_orders", "view_users", "manage_users", "view_pages", "manage_pages",
	"view_shippings", "manage_shippings", "view_payments", "view_taxes", "view_statuses", "view_languages", "view_discussions",
	"manage_discussions", "view_call_requests", "manage_call_requests", "view_vendors", "manage_vendors", "view_stores", "manage_stores",
}

// tenantOrders is the number of orders of each tenant.
const tenantOrders = 4

// addTenants creates the vendors or storefronts, each with an administrator, a
// catalogue, a page, a customer and orders, one of them shipped. Vendors also offer
// common products, and one order has goods of all vendors.
func (f *filler) addTenants(ctx context.Context) error {
	if f.shop.Edition() == shopapi.SingleStore {
		return nil
	}
	if err := f.findMethods(ctx); err != nil {
		return err
	}
	group, err := f.shop.Users.Groups().Create(ctx, users.Group{Type: shopapi.Administrator, Status: users.Active, Name: "Companies"})
	if err != nil {
		return err
	}
	if err := f.shop.Users.Groups().SetPrivileges(ctx, group.UsergroupID, tenantRights...); err != nil {
		return err
	}
	var all []orders.Purchase
	var companies []int64
	for _, t := range tenants {
		carts, err := f.addTenant(ctx, t, group.UsergroupID)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		companies = append(companies, carts[0].CompanyID)
		if f.shop.Edition() == shopapi.MultiVendor && all != nil {
			for i := range all {
				all[i].Lines = append(all[i].Lines, carts[i].Lines...)
			}
			continue
		}
		all = append(all, carts...)
	}
	if err := f.placeAll(ctx, all); err != nil {
		return err
	}
	return f.addOffers(ctx, companies)
}

// addTenant creates the objects of a tenant, and returns the orders to place with it.
func (f *filler) addTenant(ctx context.Context, t tenant, group int64) ([]orders.Purchase, error) {
	c := f.shop.Companies.Defaults(ctx)
	c.Name, c.Storefront, c.Email = t.name, t.storefront, t.email
	c.VendorFields.Phone, c.Address, c.City, c.Country, c.State, c.Zipcode = "+10000000001", "Harbour Road 1", "London", "GB", "LND", "N1 4AB"
	c, err := f.shop.Companies.Create(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := f.addStaff(ctx, t, c, group); err != nil {
		return nil, err
	}
	home := f.anAddress()
	customer := users.User{Summary: users.Summary{
		Email: fmt.Sprintf("customer@%s", t.storefront), UserType: shopapi.Customer, CompanyID: c.CompanyID, FirstName: home.FirstName, LastName: home.LastName,
	}}
	customer.Phone, customer.Billing, customer.Shipping = home.Phone, home, home
	if customer, err = f.shop.Users.Create(ctx, customer, ""); err != nil {
		return nil, err
	}
	_, err = f.shop.Pages.Create(ctx, pages.Page{Name: "About " + t.name, Type: pages.Text, CompanyID: c.CompanyID, Description: "<p>" + t.category + ", made by hand.</p>"})
	if err != nil {
		return nil, err
	}
	payment, shipping, err := f.methodsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	goods, err := f.addGoods(ctx, t, c)
	if err != nil {
		return nil, err
	}
	carts := make([]orders.Purchase, tenantOrders)
	for i := range carts {
		carts[i] = orders.Purchase{
			UserID: customer.UserID, PaymentID: payment, ShippingID: shipping, CompanyID: c.CompanyID,
			Lines:     []orders.PurchaseLine{{ProductID: goods[i%len(goods)], Amount: int64(1 + i%2)}},
			Timestamp: f.now.Add(time.Duration(i-tenantOrders) * 24 * time.Hour).Unix(),
		}
	}
	return carts, nil
}

// addStaff creates the administrator.
func (f *filler) addStaff(ctx context.Context, t tenant, c companies.Company, group int64) error {
	kind := shopapi.Vendor
	if f.shop.Edition() == shopapi.MultiStorefront {
		kind = shopapi.Administrator
	}
	u, err := f.shop.Users.Create(ctx, users.User{Summary: users.Summary{
		Email: t.email, UserType: kind, CompanyID: c.CompanyID, FirstName: t.name, LastName: "Office",
	}}, "")
	if err != nil {
		return err
	}
	return f.shop.Users.SetMembership(ctx, u.UserID, group, users.Member)
}

// methodsOf returns a payment and a shipping method: vendors share the shop's.
func (f *filler) methodsOf(ctx context.Context, c companies.Company) (payment, shipping int64, err error) {
	if f.shop.Edition() == shopapi.MultiVendor {
		return f.payments[0].PaymentID, f.shippings[0].ShippingID, nil
	}
	p, err := f.shop.Payments.Create(ctx, payments.Payment{Name: "Card", CompanyID: c.CompanyID})
	if err != nil {
		return 0, 0, err
	}
	s, err := f.shop.Shippings.Create(ctx, shippings.Shipping{Summary: shippings.Summary{Name: "Parcel"}, CompanyID: c.CompanyID})
	return p.PaymentID, s.ShippingID, err
}

// addGoods creates a category and its products.
func (f *filler) addGoods(ctx context.Context, t tenant, c companies.Company) (goods []int64, err error) {
	shelf, err := f.shop.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: t.category, CompanyID: c.CompanyID}})
	if err != nil {
		return nil, err
	}
	for i, name := range t.goods {
		p, err := f.shop.Products.Create(ctx, products.Product{Summary: products.Summary{
			Name: name, Code: fmt.Sprintf("C%d-%02d", c.CompanyID, i+1), Price: decimal.MustNew(900+int64(i)*750, 2), Amount: 20,
			CompanyID: c.CompanyID, CategoryIDs: []int64{shelf.CategoryID}, TaxIDs: shopapi.IDList(shopapi.FormatID(f.tax.TaxID)),
		}})
		if err != nil {
			return nil, err
		}
		goods = append(goods, p.ProductID)
	}
	return goods, nil
}

// placeAll places orders; each company ships the first of its own.
func (f *filler) placeAll(ctx context.Context, all []orders.Purchase) error {
	for _, cart := range all {
		if _, err := f.shop.Orders.Create(ctx, cart); err != nil {
			return err
		}
	}
	first := map[int64]int64{} // by company
	for o, err := range f.shop.Orders.All(ctx, orders.Filter{}) {
		if err != nil {
			return err
		}
		if first[o.CompanyID] == 0 {
			first[o.CompanyID] = o.OrderID
		}
	}
	for _, company := range slices.Sorted(maps.Keys(first)) {
		o, err := f.shop.Orders.SetStatus(ctx, first[company], orders.Complete, orders.Notify{})
		if err != nil {
			return err
		}
		pieces := orders.Quantities{}
		for _, l := range o.Lines {
			pieces[l.ItemID] = l.Amount
		}
		if _, err := f.shop.Orders.Shipments().Create(ctx, f.aShipment(&o, pieces, f.now.Unix())); err != nil {
			return err
		}
	}
	return nil
}
