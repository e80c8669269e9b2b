package apidoc

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

// RegisterCaller adds the address GET /openapi (extensions E12): the document of what the
// caller may do. Register all entities before the first request.
func RegisterCaller(api *shopapi.API) error {
	c := &callers{api: api, documents: map[string]shopapi.JSON{}}
	return api.RegisterEndpoint(shopapi.Endpoint{
		Address: "openapi",
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve: c.serve, Cacheable: true,
			Summary: "The OpenAPI document of what the caller may do.", Answer: reflect.TypeFor[map[string]any](),
		}},
	})
}

// maxDocuments is the number of documents in the cache.
const maxDocuments = 32

// callers keeps the documents of users by what they may do.
type callers struct {
	api *shopapi.API

	mu        sync.Mutex
	documents map[string]shopapi.JSON
}

func (c *callers) serve(ctx context.Context, _ *shopapi.EndpointRequest) (*shopapi.Response, error) {
	document, err := c.document(ctx)
	return &shopapi.Response{Body: document}, err
}

// document returns the document of the user of ctx. One is made at a time.
func (c *callers) document(ctx context.Context) (shopapi.JSON, error) {
	ctx = c.api.Confine(ctx)
	var allowed, endpoints []string
	for _, p := range c.api.EntityPaths() {
		for _, op := range append(slices.Clip(p.Operations), shopapi.OpAction) {
			if mayDo(ctx, c.api, p, op) {
				allowed = append(allowed, p.String()+" "+string(op))
			}
		}
	}
	for _, p := range c.api.EntityPaths() {
		for _, f := range shopapi.CustomFieldsFor(shopapi.UserFrom(ctx), p.Custom) {
			if f.View != "" {
				allowed = append(allowed, p.Name+" "+f.Name)
			}
		}
	}
	for _, e := range c.api.Endpoints() {
		for method := range methodsOf(shopapi.UserFrom(ctx), &e) {
			endpoints = append(endpoints, method+" "+e.Address)
		}
	}
	slices.Sort(endpoints)
	key := strings.Join(append(allowed, endpoints...), "\n")
	c.mu.Lock()
	defer c.mu.Unlock()
	if document, made := c.documents[key]; made {
		return document, nil
	}
	document, err := json.Marshal(ForCaller(ctx, c.api, nil))
	if err != nil {
		return nil, err
	}
	if len(c.documents) >= maxDocuments {
		clear(c.documents)
	}
	c.documents[key] = document
	return document, nil
}

// ForCaller returns the document of what the user of ctx may do: without the operations that
// are refused to the user, and without what only these need.
func ForCaller(ctx context.Context, api *shopapi.API, opts *Options) *openapi31.Spec {
	ctx = api.Confine(ctx)
	spec := document(ctx, api, opts, shopapi.UserFrom(ctx), func(p shopapi.EntityPath, op shopapi.Operation) bool { return mayDo(ctx, api, p, op) })
	prune(spec)
	return spec
}

// mayDo reports whether the user of ctx may carry out an operation at a place.
func mayDo(ctx context.Context, api *shopapi.API, p shopapi.EntityPath, op shopapi.Operation) bool {
	names := make([]string, len(p.Parents))
	for i, parent := range p.Parents {
		names[i] = parent.Name
	}
	return api.Authorize(ctx, p.Name, op, names...) == nil
}

// prune removes the schemas and tags that no operation needs.
func prune(spec *openapi31.Spec) {
	needed := map[string]bool{}
	var need func(v any)
	need = func(v any) {
		encoded, err := json.Marshal(v)
		if err != nil {
			panic(err) // the document is made of texts, numbers, lists and maps
		}
		text := string(encoded)
		for {
			_, rest, found := strings.Cut(text, `"#/components/schemas/`)
			if !found {
				return
			}
			name, after, _ := strings.Cut(rest, `"`)
			if text = after; !needed[name] {
				needed[name] = true
				need(spec.Components.Schemas[name])
			}
		}
	}
	need(spec.Paths)
	need(spec.Components.Responses)
	need(spec.Components.Parameters)
	for name := range spec.Components.Schemas {
		if !needed[name] {
			delete(spec.Components.Schemas, name)
		}
	}
	used := map[string]bool{}
	for _, item := range spec.Paths.MapOfPathItemValues {
		for _, op := range []*openapi31.Operation{item.Get, item.Put, item.Post, item.Delete} {
			if op != nil {
				for _, tag := range op.Tags {
					used[tag] = true
				}
			}
		}
	}
	spec.Tags = slices.DeleteFunc(spec.Tags, func(t openapi31.Tag) bool { return !used[t.Name] })
}
