package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// E7: the entities of a shop, exported as JSON lines and imported into a new shop one after the
// other, are the same when they are exported again.
func TestE7_ImportIntoANewShop(t *testing.T) {
	long := os.Getenv("SHOPAPI_PULL") == "long"
	for name, edition := range map[string]shopapi.Edition{
		"single": shopapi.SingleStore, "storefronts": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := demoIn(t, pulledDemo(t, edition, long), edition, shopapi.DialectDocumented)
			for name, open := range targets(long) {
				t.Run(name, func(t *testing.T) {
					st := open(t)
					made := demoIn(t, st, edition, shopapi.DialectDocumented)
					if err := users.EnsureRootKey(t.Context(), st, pulledEmail, pulledKey); err != nil {
						t.Fatal(err)
					}
					importAll(t, made, old)
					compareExports(t, made, old)
				})
			}
		})
	}
}

// importAll imports the exports of all entities of a shop.
func importAll(t *testing.T, made, old *shop.Shop) {
	t.Helper()
	for _, entity := range importOrder {
		file := exported(t, old, entity)
		if file == "" {
			continue
		}
		report, err := pull.Import(t.Context(), made, entity, strings.NewReader(file), &files.ImportOptions{
			Problem: func(p files.RowProblem) { t.Errorf("%s: %+v", entity, p) },
		})
		if rows := int64(strings.Count(file, "\n")); err != nil || len(report.UnknownColumns) > 0 || report.Rows != rows {
			t.Errorf("%s: %+v of %d rows, %v", entity, report, rows, err)
		}
	}
}

// compareExports reports the first difference of each entity.
func compareExports(t *testing.T, made, old *shop.Shop) {
	t.Helper()
	for _, entity := range importOrder {
		want, got := strings.Split(exported(t, old, entity), "\n"), strings.Split(exported(t, made, entity), "\n")
		if entity == "orders" {
			want, got = withoutRules(want), withoutRules(got)
		}
		if len(want) != len(got) {
			t.Errorf("%s: %d rows, want %d", entity, len(got), len(want))
		}
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Errorf("%s: %s", entity, gocmp.Diff(strings.Split(want[i], ","), strings.Split(got[i], ",")))
				break
			}
		}
	}
}

// withoutRules leaves out the fields that depend on the documents of orders and on the rules under
// which they were placed, which an export of orders does not have.
func withoutRules(lines []string) []string {
	rules := regexp.MustCompile(`"(shipping_cost_set|payment_surcharge_set|invoice_date|credit_memo_date)":("[^"]*"|null),`)
	for i := range lines {
		lines[i] = rules.ReplaceAllString(lines[i], "")
	}
	return lines
}

// importOrder are the entities, each after the entities that its objects name.
var importOrder = []string{
	"stores", "vendors", "languages", "langvars", "usergroups", "users", "statuses", "taxes", "payments", "shippings", "categories",
	"features", "products", "master_products", "options", "combinations", "exceptions",
	"product_variations_groups", "discussions", "pages", "blocks", "carts", "orders", "shipments", "call_requests",
}

// exported are all objects of an entity, as shopctl export writes them; "" where the edition does not
// have the entity.
func exported(t *testing.T, sh *shop.Shop, entity string) string {
	t.Helper()
	if _, err := sh.EntityAt(entity); err != nil {
		return ""
	}
	var lines bytes.Buffer
	if err := files.Export(t.Context(), &lines, sh.API, entity, &files.ExportOptions{Languages: []string{"de", "en"}}); err != nil {
		t.Errorf("%s: %v", entity, err)
	}
	return lines.String()
}
