package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// E12: -demo-products and -demo-orders are how many there are.
func TestDemo_Size(t *testing.T) {
	for _, size := range []demoSize{{60, 1251}, {63, 10}, {185, 0}} {
		sh := newTestShop(t, "memory")
		if err := fill(t.Context(), sh, size, io.Discard); err != nil {
			t.Fatal(err)
		}
		_, made, err := sh.Products.Find(t.Context(), products.Filter{ListOptions: resource.ListOptions{Limit: 1}})
		if err != nil {
			t.Fatal(err)
		}
		_, placed, err := sh.Orders.Find(t.Context(), orders.Filter{ListOptions: resource.ListOptions{Limit: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if got := (demoSize{int(made), int(placed)}); got != size {
			t.Errorf("the demo is %+v, want %+v", got, size)
		}
		if err := shopcheck.Check(t.Context(), sh.Store, func(v shopcheck.Violation) { t.Error(v) }); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]demoSize{
		"": {240, 5000}, "-demo-scale=2": {480, 10_000}, "-demo-products=90": {90, 5000}, "-demo-products=90 -demo-orders=7": {90, 7}, "-demo-orders=0": {240, 0},
	} {
		s, err := parse(strings.Fields(args))
		if err != nil || s.size != want {
			t.Errorf("%s: %+v, %v", args, s.size, err)
		}
	}
	for _, args := range []string{"-demo-products=59", "-demo-orders=-1"} {
		if _, err := parse([]string{args}); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}

// TestDemo_GoesOnWhereAStartEnded, after each part: the result equals an uninterrupted
// start.
func TestDemo_GoesOnWhereAStartEnded(t *testing.T) {
	const scale = 1
	ctx := t.Context()
	begun := func(t *testing.T, parts int) string {
		sh := newTestShop(t, "memory")
		if err := sh.Store.Migrate(ctx, demos.Schema()); err != nil {
			t.Fatal(err)
		}
		f := newFiller(ctx, sh)
		for range parts {
			if _, added, err := f.next(ctx, sizeOf(scale, 50)); !added || err != nil {
				t.Fatal(added, err)
			}
		}
		for _, scale := range []int{scale, 7} { // the scale of the first start counts
			if err := f.fill(ctx, sizeOf(scale, 50), io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		return contents(t, sh)
	}
	whole := begun(t, 0)
	for parts := 1; parts <= 1+partsPerScale*scale; parts++ {
		if diff := cmp.Diff(whole, begun(t, parts)); diff != "" {
			t.Errorf("after %d parts (-whole +continued):\n%s", parts, diff)
		}
	}
}

// TestDemo_SpeaksGerman: the pottery has a second language.
func TestDemo_SpeaksGerman(t *testing.T) {
	sh := newTestShop(t, "memory")
	if err := sh.Store.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	f := newFiller(t.Context(), sh)
	for range 2 {
		if _, _, err := f.next(t.Context(), demoSize{productsPerPart, 1}); err != nil {
			t.Fatal(err)
		}
	}
	german := inGerman(t.Context())
	if list, _, err := sh.Categories.Find(german, categories.Filter{Name: "Geschirr"}); err != nil || len(list) != 1 {
		t.Errorf("%d categories are called Geschirr, want 1: %v", len(list), err)
	}
	p, err := sh.Products.Get(german, f.products[0])
	if err != nil || p.ShortDescription != "Von Hand gedreht, zweimal gebrannt." {
		t.Errorf("%+v, %v", p.ShortDescription, err)
	}
	if p, err = sh.Products.Get(t.Context(), f.products[0]); err != nil || p.ShortDescription != "Thrown by hand, fired twice." {
		t.Errorf("%+v, %v", p.ShortDescription, err)
	}
}

// TestDemo_LeavesAShopAlone if it has categories of its own.
func TestDemo_LeavesAShopAlone(t *testing.T) {
	sh := newTestShop(t, filepath.Join(t.TempDir(), "shop.db"))
	if _, err := sh.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Own"}}); err != nil {
		t.Fatal(err)
	}
	before := contents(t, sh)
	if err := fill(t.Context(), sh, sizeOf(1, ordersPerPart), io.Discard); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, contents(t, sh)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func newTestShop(t *testing.T, db string) *shop.Shop {
	t.Helper()
	if db == "memory" {
		sh, err := shop.New(t.Context(), memory.New(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return sh
	}
	st, err := sqlite.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	sh, err := shop.New(t.Context(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// contents returns the number of objects of each entity, and the links between
// categories and products.
func contents(t *testing.T, sh *shop.Shop) string {
	t.Helper()
	ctx := context.Background()
	tree, totalTree, err1 := sh.Categories.Find(ctx, categories.Filter{})
	catalogue, totalProducts, err2 := sh.Products.Find(ctx, products.Filter{})
	_, reviews, err3 := sh.Discussions.Find(ctx, discussions.Filter{})
	_, requests, err4 := sh.CallRequests.Find(ctx, callrequests.Filter{})
	_, people, err5 := sh.Users.Find(ctx, users.Filter{})
	sales, totalSales, err6 := sh.Orders.Find(ctx, orders.Filter{ListOptions: resource.ListOptions{SortBy: "order_id", Order: resource.Ascending}})
	_, totalCarts, err7 := sh.Carts.Find(ctx, carts.Filter{})
	_, parcels, err8 := sh.Orders.Shipments().Find(ctx, orders.ShipmentFilter{})
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf("%d categories, %d products, %d reviews, %d callback requests, %d people, %d orders, %d shipments, %d carts\n",
		totalTree, totalProducts, reviews, requests, people, totalSales, parcels, totalCarts)
	for _, c := range tree {
		text += fmt.Sprintln(c.IDPath, c.Name, c.ProductCount)
	}
	for _, p := range catalogue {
		text += fmt.Sprintln(p.Code, p.Name, p.Price, p.CategoryIDs)
	}
	for _, o := range sales {
		text += fmt.Sprintln(o.OrderID, o.Email, o.UserID, o.Total)
	}
	return text
}

// TestDemo_Orders: totals are sums, ids rise with time, later halves have more orders,
// and most are complete; recent complete ones are shipped.
func TestDemo_Orders(t *testing.T) {
	sh := newTestShop(t, "memory")
	f := newFiller(t.Context(), sh)
	if err := sh.Store.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := f.fill(t.Context(), sizeOf(1, 150), io.Discard); err != nil {
		t.Fatal(err)
	}
	var last int64
	var half, complete int
	year := f.now.AddDate(-1, 0, 0).Unix()
	for summary, err := range sh.Orders.All(t.Context(), orders.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		o, err := sh.Orders.Get(t.Context(), summary.OrderID)
		if err != nil {
			t.Fatal(err)
		}
		sum := decimal.MustNew(0, 2)
		for _, l := range o.Lines {
			if sum, err = sum.Add(l.Subtotal); err != nil {
				t.Fatal(err)
			}
		}
		if !sum.Equal(o.Subtotal) {
			t.Errorf("the lines of order %d are %s, not %s", o.OrderID, sum, o.Subtotal)
		}
		for _, part := range []decimal.Decimal{o.ShippingCost, o.PaymentSurcharge, o.TaxSubtotal} {
			if sum, err = sum.Add(part); err != nil {
				t.Fatal(err)
			}
		}
		if !sum.Equal(o.Total) || len(o.Taxes) != 1 || o.Taxes[0].Subtotal.IsZero() {
			t.Errorf("the parts of order %d are %s, not %s, with the taxes %v", o.OrderID, sum, o.Total, o.Taxes)
		}
		if o.Timestamp < last || o.Timestamp > f.now.Unix() {
			t.Errorf("order %d is of %d, the one before of %d", o.OrderID, o.Timestamp, last)
		}
		last = o.Timestamp
		if o.Timestamp > year {
			half++
		}
		if o.Status == orders.Complete {
			complete++
		}
	}
	shipped := 0
	for s, err := range sh.Orders.Shipments().All(t.Context(), orders.ShipmentFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if o, err := sh.Orders.Get(t.Context(), s.OrderID); err != nil || o.Status != orders.Complete || s.Timestamp < o.Timestamp || s.Timestamp > f.now.Unix() {
			t.Errorf("shipment %d of %d is of the order %+v, %v", s.ShipmentID, s.Timestamp, o.Summary, err)
		}
		shipped++
	}
	if shipped < 10 {
		t.Errorf("there are %d shipments", shipped)
	}
	if all := 150 * partsPerScale; half < all*54/100 || half > all*70/100 || complete < all*7/10 || complete > all*95/100 {
		t.Errorf("of %d orders %d are of the last year, %d complete", all, half, complete)
	}
}

// TestDemo_TakesTheIDsThatItGets: a database does not reuse the ids of a transaction
// that was rolled back, such as the part of a start that met another process.
func TestDemo_TakesTheIDsThatItGets(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, err := postgres.Open(ctx, pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	sh, err := shop.New(ctx, st, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Migrate(ctx, demos.Schema()); err != nil {
		t.Fatal(err)
	}
	f := newFiller(ctx, sh)
	rolledBack := errors.New("rolled back")
	if err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(f.add(ctx, 0), rolledBack)
	}); !errors.Is(err, rolledBack) {
		t.Fatal(err)
	}
	if err := f.fill(ctx, sizeOf(1, 5), io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := shopcheck.Check(ctx, st, func(v shopcheck.Violation) { t.Error(v) }); err != nil {
		t.Fatal(err)
	}
}
