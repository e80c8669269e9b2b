package apidoc_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
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
