package products_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	library "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// customOptions declare a field of each type.
func customOptions() shopapi.Options {
	return shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"products": {
		{Name: "x_supplier", Type: shopapi.CustomText, Length: 40, Filters: true, Sorts: true},
		{Name: "x_care", Type: shopapi.CustomText, Translated: true, Filters: true},
		{Name: "x_shelf", Type: shopapi.CustomNumber, Range: &shopapi.Range{Low: 1, High: 900}, Filters: true, Sorts: true},
		{Name: "x_deposit", Type: shopapi.CustomAmount, Filters: true, Sorts: true},
		{Name: "x_fragile", Type: shopapi.CustomFlag, Filters: true},
		{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"summer", "winter"}, Filters: true},
		{Name: "x_margin", Type: shopapi.CustomAmount, View: "view_margins", Set: "manage_margins", Filters: true, Sorts: true},
	}}}
}

// customSuite is suite with a user who manages products without seeing margins.
func customSuite() shoptest.Suite[*shop] {
	custom := suite
	staff := maps.Clone(users)
	staff[clerk] = &shopapi.User{ID: 5, Type: shopapi.Administrator, Privileges: map[string]bool{"view_catalog": true, "manage_catalog": true}}
	custom.Users = staff
	return custom
}

const clerk = "clerk@example.com"

// eachCustom runs a test in a shop with custom fields over each store.
func eachCustom(t *testing.T, test func(s *shop)) {
	t.Helper()
	customSuite().EachWith(t, customOptions(), func(t *testing.T, s *shop) { test(s.in(t)) })
}

// addNamed creates a product in a category of its own.
func (s *shop) addNamed(name string) int64 {
	s.Helper()
	return s.add(`{"product": %q, "price": 1, "category_ids": [%d]}`, name, s.addCategory(name, 0, 1))
}

const allCustom = `"x_supplier": "Acme", "x_care": "Wash cold", "x_shelf": 12, "x_deposit": "4.5", "x_fragile": "Y", "x_season": "winter"`

func TestE13_CustomFieldsOfProducts(t *testing.T) {
	eachCustom(t, func(s *shop) {
		first := s.addNamed("Mug")
		at := at(first)
		custom := func(want string) {
			s.Helper()
			fields := "?fields=x_supplier,x_care,x_shelf,x_deposit,x_fragile,x_season,x_none"
			shoptest.SameJSON(s, s.Call(200, "GET", at+fields, ""), `{"product_id": "`+shopapi.FormatID(first)+`", `+want+`}`)
		}
		null := `"x_supplier": null, "x_care": null, "x_shelf": null, "x_deposit": null, "x_fragile": null, "x_season": null`
		custom(null)
		s.Call(200, "PUT", at, `{`+allCustom+`}`)
		stored := `"x_supplier": "Acme", "x_care": "Wash cold", "x_shelf": "12", "x_deposit": "4.50", "x_fragile": "Y", "x_season": "winter"`
		custom(stored)
		object := s.Object(at)
		if object["x_supplier"] != "Acme" || object["x_deposit"] != "4.50" || object["product"] != "Mug" {
			s.Errorf("the object is %v", object)
		}
		if item := s.Call(200, "GET", "products", ""); !strings.Contains(item, `"x_shelf":"12"`) {
			s.Errorf("the list lacks the fields: %s", item)
		}
		s.Unchanged(func() { s.Call(200, "PUT", at, `{"x_supplier": "Acme", "x_deposit": "4.50", "x_shelf": "12.0"}`) })
		s.Call(200, "PUT", at, `x_shelf=7&x_deposit=&x_fragile=N`)
		custom(`"x_supplier": "Acme", "x_care": "Wash cold", "x_shelf": "7", "x_deposit": null, "x_fragile": "N", "x_season": "winter"`)
		s.Call(200, "PUT", at, `{"x_supplier": null, "x_care": null, "x_shelf": null, "x_fragile": null, "x_season": null}`)
		custom(null)
		s.Call(200, "PUT", at, `{"product": "Cup"}`)
		custom(null)
	})
}

func TestE13_BadCustomFields(t *testing.T) {
	eachCustom(t, func(s *shop) {
		at := at(s.addNamed("Mug"))
		for _, test := range []struct{ field, value, about string }{
			{"x_supplier", `"` + strings.Repeat("a", 2000) + `"`, "at most 40 characters, not 2000"},
			{"x_supplier", `["a"]`, "single value"},
			{"x_shelf", "12.5", "whole number"},
			{"x_shelf", "1e400", "whole number"},
			{"x_shelf", `"NaN"`, "whole number"},
			{"x_shelf", "901", "from 1 to 900"},
			{"x_deposit", "4.505", "at most 2 decimals"},
			{"x_deposit", "99999999999999999.00", "number from"},
			{"x_deposit", `"NaN"`, "must be a number"},
			{"x_fragile", `"maybe"`, "Y or N"},
			{"x_season", `"spring"`, "one of summer, winter"},
		} {
			errs := s.Refuses("PUT", at, `{"product": "Changed", "`+test.field+`": `+test.value+`}`, test.field)
			if !strings.Contains(errs[test.field], test.about) {
				s.Errorf("%s %s: %q, want %q in it", test.field, test.value, errs[test.field], test.about)
			}
		}
		for _, query := range []string{"x_shelf=a", "x_shelf_from=1.5", "x_deposit_to=x", "x_fragile=maybe", "x_season=spring", "sort_by=x_care"} {
			name, _, _ := strings.Cut(query, "=")
			s.Refuses("GET", "products?"+query, "", name)
		}
	})
}

func TestE13_FiltersAndSorts(t *testing.T) {
	eachCustom(t, func(s *shop) {
		for _, p := range []string{
			`{"product": "a", "x_supplier": "Acme", "x_shelf": 3, "x_deposit": "0.30", "x_fragile": "Y", "x_season": "winter"}`,
			`{"product": "b", "x_supplier": "zeta", "x_shelf": 2, "x_deposit": "10.00", "x_fragile": "N"}`,
			`{"product": "c", "x_supplier": "Beta", "x_shelf": 1, "x_deposit": "2.00", "x_season": "summer"}`,
			`{"product": "d"}`,
		} {
			s.Call(201, "POST", "products", strings.Replace(p, "{", `{"price": 1, "category_ids": [`+shopapi.FormatID(s.addCategory("c", 0, 1))+`], `, 1))
		}
		for query, want := range map[string]string{
			"x_supplier=ACME":                         "a",
			"x_supplier=acm":                          "",
			"x_shelf=2":                               "b",
			"x_shelf_from=2":                          "a b",
			"x_shelf_from=2&x_shelf_to=2":             "b",
			"x_deposit_to=2":                          "a c",
			"x_deposit=0.3&x_fragile=Y":               "a",
			"x_fragile=N":                             "b",
			"x_season=summer":                         "c",
			"x_season=winter&x_shelf=2":               "",
			"sort_by=x_supplier":                      "d a c b",
			"sort_by=x_shelf&sort_order=desc":         "a b c d",
			"sort_by=x_deposit&x_deposit_from=0.01":   "a c b",
			"sort_by=x_shelf&items_per_page=2":        "d c",
			"sort_by=x_shelf&items_per_page=2&page=2": "b a",
		} {
			if !strings.Contains(query, "sort_by") {
				query += "&sort_by=product&sort_order=asc"
			} else if !strings.Contains(query, "sort_order") {
				query += "&sort_order=asc"
			}
			if got := s.List("products?"+query, "product"); got != want {
				s.Errorf("%s: %q, want %q", query, got, want)
			}
		}
	})
}

func TestE13_Translated(t *testing.T) {
	eachCustom(t, func(s *shop) {
		at := at(s.addNamed("Mug"))
		care := func(sl string, want any) {
			s.Helper()
			if got := s.Object(at + "?sl=" + sl)["x_care"]; got != want {
				s.Errorf("in %s: %v, want %v", sl, got, want)
			}
		}
		s.Call(200, "PUT", at, `{"x_care": "Wash cold"}`)
		care("de", "Wash cold")
		s.Call(200, "PUT", at+"?sl=de", `{"x_care": "Kalt waschen"}`)
		care("de", "Kalt waschen")
		care("en", "Wash cold")
		s.Call(200, "PUT", at+"?sl=de", `{"product": "Tasse"}`)
		care("de", "Kalt waschen")
		for query, want := range map[string]string{
			"x_care=wash+cold&sl=en": "Mug", "x_care=wash+cold&sl=de": "", "x_care=KALT+waschen&sl=de": "Tasse", "x_care=wash+cold&sl=fr": "Mug",
		} {
			if got := s.List("products?"+query, "product"); got != want {
				s.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		s.Call(200, "PUT", at+"?sl=de", `{"x_care": null}`)
		care("de", "Wash cold")
	})
}

// A field that needs a privilege does not exist to users without it.
func TestE13_HiddenFields(t *testing.T) {
	eachCustom(t, func(s *shop) {
		at := at(s.addNamed("Mug"))
		s.Call(200, "PUT", at, `{"x_margin": "12.00"}`)
		clerk := s.as(clerk)
		if _, there := clerk.Object(at)["x_margin"]; there {
			s.Error("the object shows the field")
		}
		if got := clerk.Call(200, "GET", at+"?fields=x_margin", ""); !strings.Contains(got, `"product"`) {
			s.Errorf("the choice of a hidden field counts: %s", got)
		}
		if got := clerk.List("products?x_margin=1", "product"); got != "Mug" {
			s.Errorf("the filter of a hidden field counts: %q", got)
		}
		clerk.Refuses("GET", "products?sort_by=x_margin", "", "sort_by")
		clerk.Call(200, "PUT", at, `{"x_margin": "99", "product": "Cup"}`)
		if got := s.Object(at)["x_margin"]; got != "12.00" {
			s.Errorf("the margin is %v", got)
		}
		if got := s.List("products?x_margin=12", "product"); got != "Cup" {
			s.Errorf("root finds %q", got)
		}
	})
}

func TestE13_CustomFieldsFromGo(t *testing.T) {
	eachCustom(t, func(s *shop) {
		s.Products.BeforeSave(func(_ context.Context, _ store.Tx, _, after *products.Product) error {
			if n, ok := after.Custom.Number("x_shelf"); ok && n == 13 {
				after.Custom.Set("x_shelf", 14)
			}
			return nil
		})
		p := products.Product{Summary: products.Summary{Name: "Mug", CategoryIDs: []int64{s.addCategory("c", 0, 1)}}}
		p.Custom.Set("x_deposit", decimal.MustParse("3"))
		p.Custom.Set("x_shelf", 13)
		p.Custom.Set("x_fragile", true)
		created, err := s.Products.Create(s.Context(), p)
		s.Must(err)
		if n, _ := created.Custom.Number("x_shelf"); n != 14 {
			s.Errorf("the hook set %d", n)
		}
		got, err := s.Products.Get(s.Context(), created.ProductID)
		s.Must(err)
		if d, ok := got.Custom.Amount("x_deposit"); !ok || d.String() != "3.00" {
			s.Errorf("the deposit is %v", d)
		}
		if _, ok := got.Custom.Text("x_supplier"); ok {
			s.Error("a field that was never written has a value")
		}
		list, _, err := s.Products.Find(s.Context(), products.Filter{})
		s.Must(err)
		if yes, ok := list[0].Custom.Flag("x_fragile"); !ok || !bool(yes) {
			s.Error("items of lists lack the fields")
		}
		for _, bad := range []func(*shopapi.Custom){
			func(c *shopapi.Custom) { c.Set("x_shelf", "twelve") },
			func(c *shopapi.Custom) { c.Set("x_unknown", "a") },
			func(c *shopapi.Custom) { c.Set("x_deposit", decimal.MustParse("1.005")) },
		} {
			_, err := s.Products.Update(s.Context(), created.ProductID, func(p *products.Product) error {
				bad(&p.Custom)
				return nil
			})
			shoptest.WantStatus(s, "a bad value", err, 400)
		}
	})
}

// openError returns the error of opening a shop.
func openError(t *testing.T, st store.Store, options shopapi.Options) error {
	options.Authenticator = users
	_, err := library.New(t.Context(), st, &library.Options{Options: options})
	return err
}

// Mistakes in declarations fail at the start, and the error names the field.
func TestE13_BadDeclarations(t *testing.T) {
	text := func(name string) shopapi.CustomField {
		return shopapi.CustomField{Name: name, Type: shopapi.CustomText}
	}
	number := shopapi.CustomField{Name: "x_a", Type: shopapi.CustomNumber, Filters: true}
	for _, test := range []struct {
		entity, field string
		fields        []shopapi.CustomField
	}{
		{"products", "ribbon", []shopapi.CustomField{text("ribbon")}},
		{"products", "x_", []shopapi.CustomField{text("x_")}},
		{"products", "x_A", []shopapi.CustomField{text("x_A")}},
		{"products", "x_twice", []shopapi.CustomField{text("x_twice"), text("x_twice")}},
		{"products", "x_a_from", []shopapi.CustomField{number, text("x_a_from")}},
		{"products", "x_a", []shopapi.CustomField{text("x_a_to"), number}},
		{"products", "x_a", []shopapi.CustomField{{Name: "x_a"}}},
		{"products", "x_a", []shopapi.CustomField{{Name: "x_a", Type: shopapi.CustomOneOf}}},
		{"products", "x_a", []shopapi.CustomField{{Name: "x_a", Type: shopapi.CustomText, Length: 300, Sorts: true}}},
		{"products", "x_a", []shopapi.CustomField{{Name: "x_a", Type: shopapi.CustomNumber, Translated: true}}},
		{"things", "x_a", []shopapi.CustomField{text("x_a")}},
		{"settings", "x_a", []shopapi.CustomField{text("x_a")}},
	} {
		options := shopapi.Options{CustomFields: map[string][]shopapi.CustomField{test.entity: test.fields}}
		if err := openError(t, memory.New(), options); err == nil || !strings.Contains(err.Error(), test.field) {
			t.Errorf("%s %v: error %v, want one that names %s", test.entity, test.fields, err, test.field)
		}
	}
}

// The columns stay when the host no longer declares a field, and its type never changes.
func TestE13_DeclarationsInTheDatabase(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, customOptions())
		at := at(s.addNamed("Mug"))
		s.Call(200, "PUT", at, `{`+allCustom+`}`)

		without := suite.Open(t, st, shopapi.Options{})
		without.Call(200, "PUT", at, `{"product": "Cup", "x_supplier": "None"}`)
		if _, there := without.Object(at)["x_supplier"]; there {
			t.Error("a field that is not declared is shown")
		}
		again := suite.Open(t, st, customOptions())
		if got := again.Object(at); got["x_supplier"] != "Acme" || got["product"] != "Cup" {
			t.Errorf("after a process without the fields: %v, %v", got["x_supplier"], got["product"])
		}
		for _, change := range []func(f *shopapi.CustomField){
			func(f *shopapi.CustomField) { f.Type, f.Length = shopapi.CustomNumber, 0 },
			func(f *shopapi.CustomField) { f.Translated = true },
		} {
			options := customOptions()
			change(&options.CustomFields["products"][0])
			if err := openError(t, st, options); err == nil || !strings.Contains(err.Error(), "x_supplier") {
				t.Errorf("a changed declaration: %v", err)
			}
		}
		narrow := customOptions()
		narrow.CustomFields["products"][0].Length = 2
		s = suite.Open(t, st, narrow)
		s.Call(200, "PUT", at, `{"product": "Mug", "x_shelf": 2}`)
		s.Refuses("PUT", at, `{"x_supplier": "Other"}`, "x_supplier")
	})
}

// A vendor neither writes nor finds the custom fields of another company's products, by whichever
// address: they are those of a product that does not exist.
func TestE13_CustomFieldsOfAnotherCompany(t *testing.T) {
	o := customOptions()
	o.Edition = shopapi.MultiVendor
	customSuite().EachWith(t, o, func(t *testing.T, s *shop) {
		market(s)
		foreign := s.add(`{"product": "foreign", "product_code": "F-1", "category_ids": [1], "company_id": 3, "x_supplier": "Acme", "x_shelf": 12}`)
		vendor := s.as("vendor2@example.com")
		vendor.add(`{"product": "own", "category_ids": [2], "x_supplier": "Beta"}`)
		s.Unchanged(func() {
			vendor.Call(404, "PUT", at(foreign), `{"x_supplier": "Mine"}`)
			vendor.Call(404, "PUT", "products/code:F-1", `{"x_supplier": "Mine"}`)
			vendor.Call(404, "PUT", "vendors/3/"+at(foreign), `{"x_supplier": "Mine"}`)
		})
		for query, want := range map[string]string{"x_supplier=Acme": "", "x_shelf_from=1": "", "x_supplier=Beta": "own", "sort_by=x_supplier": "own"} {
			if got := vendor.List("products?"+query, "product"); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		vendor.Call(404, "GET", at(foreign)+"?fields=x_supplier", "")
	})
}

// §26: several values of a field with a closed set mean any of them, separated by commas or as a
// list. Of several texts, the last one counts, as in other filters by a text.
func TestE13_FiltersOfSeveralValues(t *testing.T) {
	options := shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"products": {
		{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"spring", "summer", "winter"}, Filters: true},
		{Name: "x_size", Type: shopapi.CustomOneOf, OneOf: []string{"1,5 l", "1", "5 l"}, Filters: true},
		{Name: "x_supplier", Type: shopapi.CustomText, Filters: true},
	}}}
	customSuite().EachWith(t, options, func(t *testing.T, s *shop) {
		category := shopapi.FormatID(s.addCategory("c", 0, 1))
		for _, p := range []string{
			`"product": "a", "product_code": "A", "x_season": "summer", "x_size": "1,5 l", "x_supplier": "Acme"`,
			`"product": "b", "product_code": "B", "x_season": "winter", "x_size": "5 l", "x_supplier": "Beta"`,
			`"product": "c", "product_code": "C", "x_season": "spring", "x_size": "1"`,
			`"product": "d"`,
		} {
			s.Call(201, "POST", "products", `{"price": 1, "category_ids": [`+category+`], `+p+`}`)
		}
		for query, want := range map[string]string{
			"x_season=summer":                        "a",
			"x_season=summer,winter":                 "a b",
			"x_season=+winter+,,spring,winter":       "b c",
			"x_season[]=summer&x_season[]=winter":    "a b",
			"x_season=summer&x_season=winter,spring": "a b c",
			"x_season=,":                             "a b c d",
			"x_season=summer,winter&x_size=5+l,1":    "b",
			"x_size=1,5+l":                           "a",
			"x_size=1,1,5+l":                         "a c",
			"x_size=5+l,1":                           "b c",
			"x_size[]=1&x_size[]=5+l":                "b c",
			"x_supplier[]=Acme&x_supplier[]=Beta":    "b",
			"pcode[]=A&pcode[]=B":                    "b",
		} {
			if got := s.List("products?sort_by=product&sort_order=asc&"+query, "product"); got != want {
				s.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		for _, query := range []string{"x_season=summer,fall", "x_season[]=fall&x_season[]=summer", "x_season=" + strings.Repeat("y,x", 2000)} {
			s.Refuses("GET", "products?"+query, "", "x_season")
		}
	})
}
