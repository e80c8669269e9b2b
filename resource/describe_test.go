package resource_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type crate struct {
	CrateID int64  `json:"crate_id,string" store:"key" bind:"-"`
	Name    string `json:"crate" rule:"required,len=5" hint:"the name"`
	Kind    string `json:"kind"`
}

type crateFilter struct {
	resource.ListOptions

	Kind string `json:"sort_of_crate" rule:"oneof=wood steel"`
	Yard int64  `json:"yard_id" rule:"required"`
}

func (f *crateFilter) Where(w *resource.Where) {
	if f.Yard == 0 {
		w.Problems.Add("yard_id", "is required: the id of the yard")
	}
	w.Text("kind", f.Kind)
}

// TestRules: the rules in tags and in the definition are described and checked.
func TestRules(t *testing.T) {
	api, st := shopapi.New(nil), memory.New()
	defer st.Close()
	crates, err := resource.Register(t.Context(), api, st, resource.Definition[crate, crate]{
		Name:       "crates",
		Object:     "crate",
		Privileges: shopapi.Privileges{View: "v", Manage: "m"},
		Table:      store.MustTable[crate]("crates"),
		Filter:     func() resource.Filter { return new(crateFilter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "crate_id"}},
		Rules: resource.Rules[crate]{
			Fields: []shopapi.Rule{{Field: "kind", OneOf: []string{"wood", "steel"}}, {Field: "load", Note: "is required of steel"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := api.Descriptions()[0]
	wantFields := []shopapi.Rule{
		{Field: "crate", Required: true, Hint: "the name", Length: 5},
		{Field: "kind", OneOf: []string{"wood", "steel"}, Required: true}, // a new crate has none of them
		{Field: "load", Note: "is required of steel"},
	}
	if diff := cmp.Diff(wantFields, d.Rules); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	wantParameters := []shopapi.Rule{{Field: "sort_of_crate", OneOf: []string{"wood", "steel"}}, {Field: "yard_id", Required: true}}
	if diff := cmp.Diff(wantParameters, d.FilterRules); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	_, err = crates.Create(t.Context(), crate{Kind: "glass"})
	checkFields(t, err, map[string]string{
		"crate": "is required: the name", "kind": `must be one of wood, steel, not "glass"`,
	})
	_, err = crates.Create(t.Context(), crate{Name: "box"})
	checkFields(t, err, map[string]string{"kind": `must be one of wood, steel, not ""`})
	_, _, err = crates.Find(t.Context(), &crateFilter{Kind: "glass", Yard: 1})
	checkFields(t, err, map[string]string{"sort_of_crate": `must be one of wood, steel, not "glass"`})
}

// checkFields compares the fields that an error names.
func checkFields(t *testing.T, err error, want map[string]string) {
	t.Helper()
	var refused *shopapi.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	if diff := cmp.Diff(want, refused.Fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
