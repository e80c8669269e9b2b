package resource_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A filterOf has one parameter of a type.
type filterOf[V any] struct {
	resource.ListOptions
	Value V `json:"value"`
}

func (f *filterOf[V]) Where(w *resource.Where) {
	if at, ok := any(f.Value).(*time.Time); ok && at != nil {
		w.Contains("lamp", at.Format(time.DateOnly))
	}
}

type handledFilter struct {
	resource.ListOptions
	Value map[string]string `json:"value" bind:"-"` // the entity reads it itself
}

func (f *handledFilter) Where(*resource.Where) {}

// A field of a filter that no parameter can set is refused at the start: the parameter would be
// passed over (decisions §5).
func TestRegister_TypesOfFilters(t *testing.T) {
	for name, c := range map[string]struct {
		filter  resource.Filter
		refused string
	}{
		"a map":         {&filterOf[map[string]string]{}, "map[string]string"},
		"a struct":      {&filterOf[struct{ A string }]{}, "struct { A string }"},
		"times":         {&filterOf[[]time.Time]{}, "[]time.Time"},
		"32-bit ids":    {&filterOf[[]int32]{}, "[]int32"},
		"any":           {&filterOf[any]{}, "interface {}"},
		"a time":        {&filterOf[time.Time]{}, ""},
		"ids":           {&filterOf[[]int64]{}, ""},
		"read by Where": {&handledFilter{}, ""},
	} {
		_, err := registerLamps(t, c.filter)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), "Value") || !strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), "lamps")):
			t.Errorf("%s: the error is %v, want one that names lamps, Value and %s", name, err, c.refused)
		}
	}
}

func registerLamps(t *testing.T, f resource.Filter) (*shopapi.API, error) {
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) {
		return &shopapi.User{Type: shopapi.Administrator, Root: true}, nil
	}})
	_, err := resource.Register(t.Context(), api, memory.New(), resource.Definition[torch, torch]{
		Name: "lamps", Object: "lamp",
		Privileges: shopapi.Privileges{View: "view", Manage: "manage"},
		Table:      store.MustTable[torch]("lamps"),
		Filter:     func() resource.Filter { return f },
		Sorts:      []resource.Sort{{Key: "id", Column: "lamp_id"}},
	})
	return api, err
}

// A time is a parameter as RFC 3339 writes it; another text is refused in words that say so.
func TestFilter_Time(t *testing.T) {
	api, err := registerLamps(t, &filterOf[*time.Time]{})
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"2026-03-01T10:00:00Z": `"lamps":[]`,
		"2026-03-01":           `"errors":{"value":"must be a time such as 2006-01-02T15:04:05Z, not \"2026-03-01\""}`,
	} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest("GET", "/api/lamps?value="+url.QueryEscape(value), nil))
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", value, w.Code, w.Body, want)
		}
	}
}

type torch struct {
	ID   int64  `json:"lamp_id,string" store:"key" bind:"-"`
	Name string `json:"lamp" store:"fold"`
}
