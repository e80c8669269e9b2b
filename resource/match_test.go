package resource_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type bulb struct {
	BulbID int64        `json:"bulb_id,string" store:"key" bind:"-"`
	Name   string       `json:"bulb" store:"fold" rule:"required"`
	Status string       `json:"status"`
	Socket string       `json:"socket"`
	Watts  int64        `json:"watts"`
	Dims   shopapi.Flag `json:"dims"`
	Made   int64        `json:"made"`
}

type bulbFilter struct {
	resource.ListOptions
	Name   string        `json:"bulb" match:"contains"`
	Status string        `json:"status" bind:"codes" match:"equal"`
	Socket string        `json:"socket" match:"equal"`
	Kind   string        `json:"kind" bind:"codes" match:"equal=status"`
	Power  *int64        `json:"power" match:"equal=watts"`
	Dims   *shopapi.Flag `json:"dims" match:"equal"`
	IDs    []int64       `json:"ids" match:"equal=bulb_id"`
	From   string        `json:"made_from" match:"since=made"`
	To     string        `json:"made_to" match:"until=made"`
}

// registerBulbs registers bulbs with a filter, over a new store.
func registerBulbs(ctx context.Context, f func() resource.Filter) (resource.Collection[bulb, bulb], error) {
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { return nil, nil }})
	return resource.Register(ctx, api, memory.New(), resource.Definition[bulb, bulb]{
		Name: "bulbs", Object: "bulb",
		Privileges: shopapi.Privileges{View: "view", Manage: "manage"},
		Table:      store.MustTable[bulb]("bulbs"),
		Filter:     f,
		Sorts:      []resource.Sort{{Key: "id", Column: "bulb_id"}},
	})
}

func TestFilter_Match(t *testing.T) {
	bulbs, err := registerBulbs(t.Context(), func() resource.Filter { return new(bulbFilter) })
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []bulb{
		{Name: "Red", Status: "A", Socket: "E27", Watts: 5, Dims: true, Made: 100},
		{Name: "Dark red", Status: "D", Socket: "E14", Watts: 7, Made: 200},
		{Name: "Blue", Status: "H", Socket: "E27", Watts: 7, Made: 300},
	} {
		if _, err := bulbs.Create(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	seven, dims := int64(7), shopapi.Flag(true)
	for name, test := range map[string]struct {
		filter resource.Filter
		want   []string
	}{
		"nothing":            {&bulbFilter{}, []string{"Red", "Dark red", "Blue"}},
		"a part of a text":   {&bulbFilter{Name: "RED"}, []string{"Red", "Dark red"}},
		"codes":              {&bulbFilter{Status: "D, H"}, []string{"Dark red", "Blue"}},
		"a text":             {&bulbFilter{Socket: "E14"}, []string{"Dark red"}},
		"another column":     {&bulbFilter{Power: &seven}, []string{"Dark red", "Blue"}},
		"a flag":             {&bulbFilter{Dims: &dims}, []string{"Red"}},
		"ids":                {&bulbFilter{IDs: []int64{1, 3}}, []string{"Red", "Blue"}},
		"no ids":             {&bulbFilter{IDs: []int64{}}, nil},
		"since":              {&bulbFilter{From: "200"}, []string{"Dark red", "Blue"}},
		"until":              {&bulbFilter{To: "200"}, []string{"Red", "Dark red"}},
		"all together":       {&bulbFilter{Name: "red", Power: &seven, From: "150", To: "250"}, []string{"Dark red"}},
		"a filter of a host": {&socketFilter{Socket: "E27"}, []string{"Red", "Blue"}},
	} {
		list, _, err := bulbs.Find(t.Context(), test.filter)
		var names []string
		for _, b := range list {
			names = append(names, b.Name)
		}
		if diff := cmp.Diff(test.want, names); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	_, _, err = bulbs.Find(t.Context(), &bulbFilter{Socket: strings.Repeat("x", 1025), Kind: strings.Repeat("y", 1025), To: "soon"})
	if err == nil || !strings.HasPrefix(err.Error(), "socket must have at most 1024 bytes, not 1025; kind must have at most 1024 bytes, not 1025; made_to ") {
		t.Errorf("the error of a long text and a bad date is %v", err)
	}
}

// A socketFilter is another filter than the one of the definition.
type socketFilter struct {
	resource.ListOptions
	Socket string `json:"socket" match:"equal"`
}

func TestFilter_BadMatch(t *testing.T) {
	for want, f := range map[string]resource.Filter{
		`Name: the tag match:"like" does not fit the field`: &struct {
			resource.ListOptions
			Name string `json:"bulb" match:"like"`
		}{},
		`Watts: the tag match:"contains" does not fit the field`: &struct {
			resource.ListOptions
			Watts *int64 `json:"watts" match:"contains"`
		}{},
		`Volts: bulbs has no column volts`: &struct {
			resource.ListOptions
			Volts *int64 `json:"volts" match:"equal"`
		}{},
		`To: the tag match:"until=made" does not fit the field`: &struct {
			resource.ListOptions
			To string `json:"made_to" match:"until=made"`
		}{},
		`C: the tag match:"until=watts" does not fit the field`: &struct {
			resource.ListOptions
			A string `json:"a" match:"since=made"`
			C string `json:"c" match:"until=watts"`
		}{},
		`B: the tag match:"since=watts" does not fit the field`: &struct {
			resource.ListOptions
			A string `json:"a" match:"since=made"`
			B string `json:"b" match:"since=watts"`
			C string `json:"c" match:"until=watts"`
		}{},
		`Socket: the tag match:"contains" does not fit the column`: &struct {
			resource.ListOptions
			Socket string `json:"socket" match:"contains"`
		}{},
		`Socket: the tag match:"equal" does not fit the column`: &struct {
			resource.ListOptions
			Socket *int64 `json:"socket" match:"equal"`
		}{},
		`Socket: the tag match:"since" does not fit the column`: &struct {
			resource.ListOptions
			Socket string `json:"socket" match:"since"`
		}{},
		`embeds *resource_test.socketFilter: embed the struct itself`: &struct {
			resource.ListOptions
			*socketFilter
		}{},
		`the range since made_from has no field for its end`: &struct {
			resource.ListOptions
			From string `json:"made_from" match:"since=made"`
		}{},
	} {
		if _, err := registerBulbs(t.Context(), func() resource.Filter { return f }); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("the error is %v, want one that ends with %q", err, want)
		}
	}
}
