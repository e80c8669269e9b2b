package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/pulltest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// The demo of each edition, served in each dialect and pulled into an empty shop, has the
// same tables there but for what no response contains (E8).
func TestDemo_Pulled(t *testing.T) {
	long := os.Getenv("SHOPAPI_PULL") == "long"
	for name, edition := range map[string]shopapi.Edition{
		"single": shopapi.SingleStore, "storefronts": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := pulledDemo(t, edition, long)
			want := pulltest.Tables(t, old, pulltest.Held, pulltest.Seller)
			for name, dialect := range map[string]shopapi.Dialect{"documented": shopapi.DialectDocumented, "live": shopapi.DialectLive} {
				if !long && (dialect == shopapi.DialectLive) != (edition == shopapi.MultiStorefront) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					server := httptest.NewServer(demoIn(t, old, edition, dialect))
					defer server.Close()
					for name, open := range targets(long) {
						t.Run(name, func(t *testing.T) {
							st := open(t)
							report, err := pull.Run(t.Context(), demoIn(t, st, edition, shopapi.DialectDocumented), pull.Options{
								From: server.URL + "/api", Email: pulledEmail, Key: pulledKey, Insecure: true,
							})
							if err != nil {
								t.Fatal(err)
							}
							for _, p := range report.Problems {
								t.Errorf("problem: %+v", p)
							}
							if len(report.NotCarried) > 0 {
								t.Errorf("not carried: %v", report.NotCarried)
							}
							if diff := pulltest.Diff(want, pulltest.Tables(t, st, pulltest.Held, pulltest.Seller)); diff != "" {
								t.Error(diff)
							}
						})
					}
				})
			}
		})
	}
}

// The root administrator of the shop that is pulled.
const pulledEmail, pulledKey = "root@example.com", "a-key-of-some-length-1"

// pulledDemo returns a store with the demo: a small one, or in a long run one with about 1,000
// products and 5,000 orders.
func pulledDemo(t *testing.T, edition shopapi.Edition, long bool) store.Store {
	t.Helper()
	st := memory.New()
	sh := demoIn(t, st, edition, shopapi.DialectDocumented)
	if err := users.EnsureRootKey(t.Context(), st, pulledEmail, pulledKey); err != nil {
		t.Fatal(err)
	}
	if err := st.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	f := newFiller(t.Context(), sh)
	size := demoSize{products: productsPerPart, orders: 25}
	if long {
		size = demoSize{products: 16 * productsPerPart, orders: 5000}
	}
	if err := f.fill(t.Context(), size, io.Discard); err != nil {
		t.Fatal(err)
	}
	if edition == shopapi.MultiStorefront {
		for name, value := range map[string]string{"Company.company_name": "Kiln & Co", "General.currency": "EUR"} {
			if err := sh.Settings.Set(t.Context(), 2, name, value); err != nil {
				t.Fatal(err)
			}
		}
		c := (&apitest.Client{T: t, Handler: sh}).As(pulledEmail, pulledKey)
		for _, text := range []string{`"email_subj":"is ready"`, `"email_subj":"ist fertig","lang_code":"de"`, `"email_header":"Danke","lang_code":"de"`} {
			if put := c.Put("/api/2.0/stores/2/statuses/1", "{"+text+"}"); put.Status != http.StatusOK {
				t.Fatal(put.Body)
			}
		}
	}
	invoice(t, sh)
	return st
}

// invoice issues invoices of orders, in place of the numbers that they have, and credits every
// second one.
func invoice(t *testing.T, sh *shop.Shop) {
	t.Helper()
	list, _, err := sh.Orders.Find(t.Context(), orders.Filter{Status: orders.Complete + "," + orders.Processed + "," + orders.Open})
	if err != nil {
		t.Fatal(err)
	}
	issued := 0
	for _, o := range list {
		if o.IsParent || issued == 10 {
			continue
		}
		_, err := sh.Orders.Update(t.Context(), o.OrderID, func(o *orders.Order) error {
			o.InvoiceID = nil
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sh.Orders.IssueInvoice(t.Context(), o.OrderID); err != nil {
			t.Fatal(err)
		}
		if issued++; issued%2 == 0 {
			continue
		}
		if _, err := sh.Orders.IssueCreditMemo(t.Context(), o.OrderID, orders.Credit{}); err != nil {
			t.Fatal(err)
		}
	}
	if issued == 0 {
		t.Error("no order could be invoiced")
	}
}

func demoIn(t *testing.T, st store.Store, edition shopapi.Edition, dialect shopapi.Dialect) *shop.Shop {
	t.Helper()
	now := time.Unix(1_800_000_000, 0)
	sh, err := shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{
		Edition: edition, Dialect: dialect, Clock: func() time.Time { return now },
	}})
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// targets are the stores to pull into: all of them only in a long run.
func targets(long bool) map[string]func(t *testing.T) store.Store {
	all := map[string]func(t *testing.T) store.Store{"memory": func(*testing.T) store.Store { return memory.New() }}
	if !long {
		return all
	}
	all["sqlite"] = func(t *testing.T) store.Store {
		st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "new.db"), nil)
		return opened(t, st, err)
	}
	all["postgres"] = func(t *testing.T) store.Store {
		st, err := postgres.Open(t.Context(), pgtest.DSN(t))
		return opened(t, st, err)
	}
	return all
}

func opened(t *testing.T, st store.Store, err error) store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
