package apidoc_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
)

// TestDocument_MediaTypes: the document names the media types of an endpoint at the response
// that has a body, even if the response to success has no body.
func TestDocument_MediaTypes(t *testing.T) {
	api := apitest.New(t, nil).API
	serve := func(context.Context, *shopapi.EndpointRequest) (*shopapi.Response, error) { return nil, nil }
	err := api.RegisterEndpoint(shopapi.Endpoint{Address: "tills", Methods: map[string]shopapi.Method{
		"GET":  {Serve: serve, MediaTypes: []string{"text/event-stream"}},
		"POST": {Serve: serve, MediaTypes: []string{"text/plain"}, Success: 201},
		"PUT":  {Serve: serve, MediaTypes: []string{"text/plain"}, Success: 204},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := documentOf(t, api, nil)
	text := map[string]any{"schema": map[string]any{"type": "string"}}
	for path, want := range map[string]any{
		"get responses 200 content text/event-stream": text,
		"post responses 201 content text/plain":       text,
		"put responses 200 content":                   map[string]any{"text/plain": text},
		"put responses 204 description":               "It was done.",
		"put responses 204 content":                   nil,
	} {
		if diff := cmp.Diff(want, at(at(d, "paths /tills"), path)); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}

// TestDocument_PagesOfEndpoints: the parameters that choose a page have the types of the lists of
// entities.
func TestDocument_PagesOfEndpoints(t *testing.T) {
	s := apitest.New(t, &shop.Options{Reports: orders.ReportOptions{On: true}})
	d := documentOf(t, s.API, nil)
	for path, names := range map[string][]string{
		"/orders/{id}/history": {"page", "items_per_page", "sort_order"}, "/orders/{id}/documents": {"page", "items_per_page", "sort_order"},
		"/reports/orders": {"page", "items_per_page"},
	} {
		list, _ := at(d, "paths "+path+" get parameters").([]any)
		for _, name := range names {
			i := slices.IndexFunc(list, func(p any) bool { return at(p, "name") == name })
			if i < 0 {
				t.Errorf("%s has no parameter %s", path, name)
				continue
			}
			for _, keyword := range []string{"type", "minimum", "enum"} {
				want := at(d, "components parameters "+name+" schema "+keyword)
				if diff := cmp.Diff(want, at(list[i], "schema "+keyword)); diff != "" {
					t.Errorf("%s of %s, %s (-want +got):\n%s", name, path, keyword, diff)
				}
			}
		}
	}
}
