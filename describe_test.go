package shopapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

func TestDescriptions(t *testing.T) {
	api := shopapi.New(&shopapi.Options{Privileges: map[string]shopapi.Privileges{"pages": {View: "read_pages", Manage: "write_pages"}}})
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "pages", Privileges: p, Parents: []string{"stores"}}},
		deleter{described{Name: "files", Privileges: p}},
	} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.RegisterUnder("files", getter{described{Name: "parts", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	for _, parent := range []string{"products", "categories", "stores"} {
		if err := api.DeclareParent("pages", parent); err != nil {
			t.Fatal(err)
		}
	}
	want := []shopapi.Description{
		{Name: "files", Privileges: p, Operations: []shopapi.Operation{shopapi.OpDelete}},
		{
			Name: "pages", Privileges: shopapi.Privileges{View: "read_pages", Manage: "write_pages"},
			Operations: []shopapi.Operation{shopapi.OpGet}, Parents: []string{"stores", "categories", "products"},
		},
	}
	if diff := cmp.Diff(want, api.Descriptions()); diff != "" {
		t.Errorf("Descriptions (-want +got):\n%s", diff)
	}
}
