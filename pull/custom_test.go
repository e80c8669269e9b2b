package pull_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// declaring opens a shop with custom fields of products and of addresses.
func declaring(t *testing.T, st store.Store, customer ...string) *shop.Shop {
	t.Helper()
	o := options(shopapi.DialectDocumented)
	o.CustomFields = map[string][]shopapi.CustomField{"products": {
		{Name: "x_rank", Type: shopapi.CustomNumber, View: "view_ranks", Set: "manage_ranks"},
		{Name: "x_care", Type: shopapi.CustomText, Translated: true},
	}}
	for _, name := range customer {
		o.CustomerFields = append(o.CustomerFields, shopapi.CustomField{Name: name, Type: shopapi.CustomText})
	}
	sh, err := shop.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// fieldsOfCustomers changes a user and an order of the old shop, which then have fields of addresses.
func fieldsOfCustomers(t *testing.T, sh *shop.Shop) {
	t.Helper()
	if _, err := sh.Users.Update(t.Context(), 2, func(u *users.User) error {
		u.Custom.Set("b_district", "Old town")
		u.Custom.Set("s_floor", "3")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	request(t, sh, "PUT", "products/1", `{"x_rank":7,"x_care":"By hand"}`, 200)
	request(t, sh, "PUT", "products/1?sl=nb", `{"x_care":"Tåler ikke maskin"}`, 200)
	for o, err := range sh.Orders.All(t.Context(), orders.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		request(t, sh, "PUT", fmt.Sprint("orders/", o.OrderID), `{"user_data":{"b_district":"Harbour","s_floor":"1"}}`, 200)
	}
}

// E13: pull takes custom fields and the fields of addresses into a shop that was only started, and
// counts what this shop does not declare.
func TestE13_PullTakesTheFields(t *testing.T) {
	t.Parallel()
	old := declaring(t, oldShop(t), "b_district", "s_floor")
	fieldsOfCustomers(t, old)
	request(t, old, "POST", "usergroups", `{"type":"A","status":"A","usergroup":"Ranks","privileges":["view_ranks","manage_ranks","view_reports","view_moon"]}`, 201)
	server := httptest.NewServer(old)
	t.Cleanup(server.Close)

	sh := declaring(t, memory.New(), "b_district", "s_floor")
	report := run(t, sh, from(server.URL+"/api"))
	if diff := gocmp.Diff(map[string]int64{"view_moon": 1}, report.NotCarried["privileges"]); diff != "" {
		t.Error("privileges:", diff)
	}
	for _, entity := range []string{"users", "orders"} {
		if unknown := report.NotCarried["fields of "+entity]; unknown != nil {
			t.Errorf("not carried: fields of %s %v", entity, unknown)
		}
		fields := files.ExportOptions{}
		fields.Fields = []string{"b_district", "s_floor"}
		want := exportFields(t, old, entity, fields)
		if diff := gocmp.Diff(want, exportFields(t, sh, entity, fields)); diff != "" || !strings.Contains(want, "Old town") && !strings.Contains(want, "Harbour") {
			t.Errorf("%s: %s%s", entity, want, diff)
		}
	}
	fields := files.ExportOptions{Languages: []string{"nb"}}
	fields.Fields = []string{"x_rank", "x_care", "x_care@nb"}
	if diff := gocmp.Diff(exportFields(t, old, "products", fields), exportFields(t, sh, "products", fields)); diff != "" {
		t.Error(diff)
	}

	sh = declaring(t, memory.New(), "b_district")
	report = run(t, sh, from(server.URL+"/api"))
	for _, entity := range []string{"users", "orders"} {
		if report.NotCarried["fields of "+entity]["fields"] == 0 {
			t.Errorf("the report does not count the field s_floor of %s: %v", entity, report.NotCarried)
		}
	}
}

// E7, E13: an import below the rules writes the fields of addresses of users and of orders.
func TestE13_ImportBelowTheRulesWritesTheFieldsOfCustomers(t *testing.T) {
	t.Parallel()
	old := declaring(t, oldShop(t), "b_district", "s_floor")
	fieldsOfCustomers(t, old)
	sh := declaring(t, memory.New(), "b_district", "s_floor")
	for _, entity := range []string{"users", "orders"} {
		fields := files.ExportOptions{}
		fields.Fields = []string{"b_district", "s_floor"}
		report, _, err := importFile(t, sh, entity, exportLines(t, old, entity), files.ImportOptions{})
		if err != nil || len(report.UnknownColumns) > 0 {
			t.Errorf("%s: %+v, %v", entity, report, err)
		}
		want := exportFields(t, old, entity, fields)
		if diff := gocmp.Diff(want, exportFields(t, sh, entity, fields)); diff != "" || !strings.Contains(want, "Old town") && !strings.Contains(want, "Harbour") {
			t.Errorf("%s: %s%s", entity, want, diff)
		}
	}
}

// exportFields are some fields of all objects of an entity as JSON lines.
func exportFields(t *testing.T, sh *shop.Shop, entity string, o files.ExportOptions) string {
	t.Helper()
	var lines strings.Builder
	if err := files.Export(t.Context(), &lines, sh.API, entity, &o); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}
