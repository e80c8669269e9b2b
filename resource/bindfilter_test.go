package resource_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A lampFilter has a parameter of its own making: watts, a number and W.
type lampFilter struct {
	resource.ListOptions
	Name  string `json:"lamp"`
	Watts string `json:"-"`
}

func (f *lampFilter) Where(w *resource.Where) {
	w.Contains("lamp", f.Name)
	w.Text("watts", f.Watts)
}

// TestEntity_BindFilter: what it finds wrong is named together with the parameters
// of the page.
func TestEntity_BindFilter(t *testing.T) {
	type lamp struct {
		LampID int64  `json:"lamp_id,string" store:"key" bind:"-"`
		Name   string `json:"lamp" store:"fold"`
		Watts  string `json:"watts"`
	}
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { return &shopapi.User{Root: true}, nil }})
	lamps, err := resource.Register(t.Context(), api, memory.New(), resource.Definition[lamp, lamp]{
		Name:       "lamps",
		Object:     "lamp",
		Privileges: shopapi.Privileges{View: "view_lamps", Manage: "manage_lamps"},
		Table:      store.MustTable[lamp]("lamps"),
		Filter:     func() resource.Filter { return new(lampFilter) },
		Sorts:      []resource.Sort{{Key: "id", Column: "lamp_id"}},
		Wire: resource.Wire[lamp, lamp]{
			BindFilter: func(r *shopapi.Request, f resource.Filter) error {
				var problems shopapi.Problems
				problems.Merge(r.BindFilter(f))
				for _, text := range r.Filter["watts"] {
					watts, ok := strings.CutSuffix(text, "W")
					if !ok {
						problems.Add("watts", "must end in W")
					}
					f.(*lampFilter).Watts = watts
				}
				return problems.Err()
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lamps.CreateAll(t.Context(), []lamp{{Name: "Desk", Watts: "5"}, {Name: "Desk", Watts: "9"}}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"lamp=desk&watts=9W": `{"lamps":[{"lamp_id":"2","lamp":"Desk","watts":"9"}],`,
		"watts=9&page=0":     `"errors":{"page":"must be a whole number from 1, not \"0\"","watts":"must end in W"}`,
	} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/lamps?"+query, nil))
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s, want %s", query, w.Body, want)
		}
	}
}
