package resource_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// Register runs the conversions of a definition, once for each database (decisions §24).
func TestRegister_RunsConversionsOnce(t *testing.T) {
	st := memory.New()
	t.Cleanup(func() { st.Close() })
	ran := 0
	for range 2 {
		_, err := resource.Register(t.Context(), shopapi.New(nil), st, resource.Definition[Supplier, Supplier]{
			Name:       "suppliers",
			Object:     "supplier",
			Privileges: shopapi.Privileges{View: "view_parts", Manage: "manage_parts"},
			Table:      store.MustTable[Supplier]("suppliers"),
			Sorts:      []resource.Sort{{Key: "id", Column: "supplier_id"}},
			Rows: resource.Rows[Supplier, Supplier]{
				Conversions: []store.Conversion{{
					Name:    "suppliers: test",
					Convert: func(context.Context, store.Tx) error { ran++; return nil },
				}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ran != 1 {
		t.Errorf("the conversion ran %d times", ran)
	}
}
