package shopapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

func TestObserved(t *testing.T) {
	p, rules := shopapi.Observed()
	p.Required("name", "A", "the name")
	p.Length("name", "A", 255)
	p.OneOf("status", "A", "A", "D")
	p.Range("position", 5, 0, 100)
	p.Bytes("text", "", 4096)
	p.Add("product_id", "is required: the id of the product")
	p.Add("phone", "is required, unless email is given")
	p.Add("other", "must be something else")
	want := []shopapi.Rule{
		{Field: "name", Required: true, Length: 255},
		{Field: "status", OneOf: []string{"A", "D"}},
		{Field: "position", Range: &shopapi.Range{Low: 0, High: 100}},
		{Field: "text", Bytes: 4096},
		{Field: "product_id", Required: true},
		{Field: "phone", Note: "is required, unless email is given"},
	}
	if diff := cmp.Diff(want, rules()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Err() == nil {
		t.Error("the problems are not noted")
	}
}

func TestPlaces(t *testing.T) {
	api := shopapi.New(nil)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "products", Privileges: p, Parents: []string{"categories"}}},
		getter{described{Name: "categories", Privileges: p, Parents: []string{"stores"}}},
		getter{described{Name: "discussions", Privileges: p, Parents: []string{"products"}}},
		getter{described{Name: "stores", Privileges: p}},
		deleter{described{Name: "files", Privileges: p, Parents: []string{"discussions"}}},
	} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.RegisterUnder("stores", getter{described{Name: "keys", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, place := range api.Places() {
		got = append(got, place.String())
		if only := place.String() == "stores/{id}/keys"; place.OnlyHere != only {
			t.Errorf("%s: OnlyHere is %v", place, place.OnlyHere)
		}
		if fields, parameters := place.Rules(t.Context()); fields != nil || parameters != nil {
			t.Errorf("%s has the rules %v, %v", place, fields, parameters)
		}
	}
	want := []string{
		"categories", "categories/{id}/products", "categories/{id}/products/{id}/discussions",
		"discussions", "discussions/{id}/files",
		"files",
		"products", "products/{id}/discussions", "products/{id}/discussions/{id}/files",
		"stores", "stores/{id}/categories", "stores/{id}/categories/{id}/products", "stores/{id}/keys",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
