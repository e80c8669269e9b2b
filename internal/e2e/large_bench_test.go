package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkLargeShop is how long the pages of a large shop on SQLite take, from the address to
// the content: the slowest time of each is the first one, before the shop caches the responses.
// SHOPAPI_LARGE_PRODUCTS and SHOPAPI_LARGE_ORDERS are the numbers of its rows, 100,000 of each
// without them, and 20,024 at least.
func BenchmarkLargeShop(b *testing.B) {
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	s := newShopOver(b, st, everything())
	enlarge(b, s, rowsOf(b, "SHOPAPI_LARGE_PRODUCTS"), rowsOf(b, "SHOPAPI_LARGE_ORDERS"))
	b.Run("sign-in", func(b *testing.B) {
		report(b, func() (took time.Duration) {
			tab := open(b, s, desk, tall)
			tab.goTo("")
			tab.do(chromedp.WaitVisible("#email"), chromedp.SendKeys("#email", s.Email), chromedp.SendKeys("#key", s.Key))
			begun := time.Now()
			tab.do(chromedp.SendKeys("#key", "\r"))
			tab.sees("figcaption", "Orders per day")
			return time.Since(begun)
		})
	})
	for _, p := range []struct{ name, address, selector, text string }{
		{"first-page", "#/", "figcaption", "Orders per day"},
		{"orders", "#/orders", ".pager", "1–20 of"},
		{"orders-by-status", "#/orders?status=F", ".pager", "1–20 of"},
		{"orders-by-total", "#/orders?sort_by=total&sort_order=desc", ".pager", "1–20 of"},
		{"orders-page-1000", "#/orders?page=1000", ".pager", "19981–20000 of"},
		{"orders-found", "#/orders?q=Kim150", ".pager", "1–20 of"},
		{"orders-found-all", "#/orders?q=Kim", ".pager", "1–20 of"},
		{"order", "#/orders/150", "h1", "Order 150"},
		{"products", "#/products", ".pager", "1–20 of"},
		{"products-found", "#/products?q=20024&pname=Y&pcode_from_q=Y", "th", "20024"},
		{"products-hidden", "#/products?status=H", ".pager", "1–20 of"},
		{"products-by-price", "#/products?sort_by=price&sort_order=desc", ".pager", "1–20 of"},
		{"product", "#/products/2", "h1", "Cobalt"},
		{"categories", "#/categories", ".tree", "Cups"},
		{"users", "#/users", "h1", "Users"},
	} {
		b.Run(p.name, func(b *testing.B) {
			measure(b, s, func(tab *browser) {
				tab.visit(p.address)
				tab.sees("#page "+p.selector, p.text)
			})
		})
	}
	b.Run("search", func(b *testing.B) {
		measure(b, s, func(tab *browser) {
			tab.do(chromedp.Evaluate(`document.querySelector("site-search input").value = ""`, nil), chromedp.SendKeys("site-search input", "Cobalt"))
			tab.sees("site-search", "Cobalt dinner plate")
		})
	})
}

// measure reports how long it takes what a user does in a page, after another one.
func measure(b *testing.B, s *apitest.Shop, do func(tab *browser)) {
	tab := openSignedIn(b, s, "Taxes")
	report(b, func() time.Duration {
		tab.visit("#/statuses") // a page that is open already is not loaded again
		tab.visit("#/taxes")
		begun := time.Now()
		do(tab)
		return time.Since(begun)
	})
}

// report reports the slowest and the usual one of the times that do returns.
func report(b *testing.B, do func() time.Duration) {
	var times []time.Duration
	for b.Loop() {
		times = append(times, do())
	}
	slices.Sort(times)
	b.ReportMetric(0, "ns/op") // includes what prepares
	b.ReportMetric(float64(times[len(times)-1].Milliseconds()), "ms/slowest")
	b.ReportMetric(float64(times[len(times)/2].Milliseconds()), "ms/median")
}

func rowsOf(b *testing.B, name string) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return n
}

// A categoryLink puts a product into a category.
type categoryLink struct {
	LinkID     int64        `json:"link_id" store:"key"`
	ProductID  int64        `json:"product_id"`
	CategoryID int64        `json:"category_id"`
	Main       shopapi.Flag `json:"main"`
	Position   int64        `json:"position"`
}

var (
	productTable = store.MustTable[products.Product]("products")
	linkTable    = store.MustTable[categoryLink]("products_categories")
	orderTable   = store.MustTable[orders.Order]("orders")
)

// enlarge copies the products and orders of a shop until it has as many, the orders spread over a
// year. It writes the tables without the entities' rules, which would take hours.
func enlarge(b *testing.B, s *apitest.Shop, allProducts, allOrders int) {
	b.Helper()
	begun := time.Now()
	copyRows(b, s, productTable, allProducts, func(p *products.Product, n int) {
		p.ProductID, p.Code, p.Name = 0, fmt.Sprintf("P-%d", n), fmt.Sprintf("%s %d", p.Name, n)
	})
	copyRows(b, s, linkTable, allProducts, func(l *categoryLink, n int) { l.LinkID, l.ProductID = 0, int64(n) })
	now, year := time.Now().Unix(), int64(365*24*3600)
	copyRows(b, s, orderTable, allOrders, func(o *orders.Order, n int) {
		o.OrderID, o.Email, o.FirstName, o.LastName = 0, fmt.Sprintf("kim%d@example.com", n), fmt.Sprintf("Kim%d", n%1000), fmt.Sprintf("Berg%d", n/1000)
		o.Name, o.Customer = o.FirstName+" "+o.LastName, o.LastName+" "+o.FirstName
		o.Timestamp = now - int64(n)*7919%year
	})
	b.Logf("%d products and %d orders after %s", allProducts, allOrders, time.Since(begun).Round(time.Second))
}

// copyRows adds changed copies of the rows of a table until it has as many. n is the key of the copy.
func copyRows[T any](b *testing.B, s *apitest.Shop, table *store.Table[T], all int, change func(v *T, n int)) {
	b.Helper()
	const batch = 10_000
	var from []T
	for next := -1; next < 0 || next <= all; {
		err := s.Store.Update(b.Context(), func(_ context.Context, tx store.Tx) (err error) {
			if next < 0 {
				if from, err = table.Select(tx, store.Query{}); err != nil {
					return err
				}
				next = len(from) + 1
			}
			list := make([]T, min(batch, max(all+1-next, 0)))
			for i := range list {
				list[i] = from[(next+i)%len(from)]
				change(&list[i], next+i)
			}
			if err := table.InsertAll(tx, list); err != nil {
				return err
			}
			next += batch
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
