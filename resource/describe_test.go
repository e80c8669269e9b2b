package resource_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type crate struct {
	CrateID int64  `json:"crate_id,string" store:"key" bind:"-"`
	Name    string `json:"crate"`
	Kind    string `json:"kind"`
}

type crateFilter struct {
	resource.ListOptions

	Kind string `json:"sort_of_crate"`
	Yard int64  `json:"yard_id"`
}

func (f *crateFilter) Where(w *resource.Where) {
	if f.Yard == 0 {
		w.Problems.Add("yard_id", "is required: the id of the yard")
	}
	w.Code("kind", f.Kind, "wood", "steel")
}

// TestRules: what a definition asks for is described, also that part which comes
// before a rule that cannot run.
func TestRules(t *testing.T) {
	api, st := shopapi.New(nil), memory.New()
	defer st.Close()
	_, err := resource.Register(t.Context(), api, st, resource.Definition[crate, crate]{
		Name:       "crates",
		Object:     "crate",
		Privileges: shopapi.Privileges{View: "v", Manage: "m"},
		Table:      store.MustTable[crate]("crates"),
		Filter:     func() resource.Filter { return new(crateFilter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "crate_id"}},
		Rules: resource.Rules[crate]{
			Check: func(_ context.Context, _ store.Tx, _, c *crate, problems *shopapi.Problems) error {
				problems.Required("crate", c.Name, "the name")
				problems.OneOf("kind", c.Kind, "wood", "steel")
				panic("a rule that counts on a name")
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	fields, parameters := api.Places()[0].Rules(t.Context())
	wantFields := []shopapi.Rule{{Field: "crate", Required: true}, {Field: "kind", OneOf: []string{"wood", "steel"}}}
	if diff := cmp.Diff(wantFields, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	wantParameters := []shopapi.Rule{{Field: "yard_id", Required: true}, {Field: "sort_of_crate", OneOf: []string{"wood", "steel"}}}
	if diff := cmp.Diff(wantParameters, parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}
