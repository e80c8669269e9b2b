package apidoc

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
)

// Options are facts that the API does not know. The zero value and nil work.
type Options struct {
	// Server is the URL before the paths of the document. The default is /api/2.0, the
	// address of a handler at the root.
	Server string

	// Title and Description of the document.
	Title, Description string

	// JSONOnly leaves the other formats of bodies out. Generators of clients that make one
	// type of all formats need it, such as openapi-typescript with openapi-fetch.
	JSONOnly bool

	// OpenAPI30 has [JSON] and [Handler] write the document as OpenAPI 3.0.3, for
	// generators that do not read 3.1, such as oapi-codegen.
	OpenAPI30 bool
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Server = cmp.Or(strings.TrimSuffix(d.Server, "/"), "/api/2.0")
	d.Title = cmp.Or(d.Title, "Store administration")
	d.Description = cmp.Or(d.Description, about)
	return d
}

// JSON returns the text of the document of an API, in the version of OpenAPI that the
// options name; see [Document].
//
// In OpenAPI 3.0 a value that answers have in several types is a union (anyOf). Where a
// request takes a value in several forms, the document has the first of them.
func JSON(ctx context.Context, api *shopapi.API, opts *Options) ([]byte, error) {
	document, err := json.Marshal(Document(ctx, api, opts))
	if err != nil || opts == nil || !opts.OpenAPI30 {
		return document, err
	}
	return toOpenAPI30(document)
}

// Document returns the OpenAPI 3.1 document of an API with all its entities registered. It
// lacks custom fields that a user needs a privilege of their own to see: [ForCaller] has them.
// It may read from the store, and changes nothing. The caller may change the document.
func Document(ctx context.Context, api *shopapi.API, opts *Options) *openapi31.Spec {
	return document(ctx, api, opts, nil, func(shopapi.EntityPath, shopapi.Operation) bool { return true })
}

// document returns the document of the operations that may has, with the custom fields that a
// user sees; nobody sees fewest.
func document(ctx context.Context, api *shopapi.API, opts *Options, user *shopapi.User, may func(shopapi.EntityPath, shopapi.Operation) bool) *openapi31.Spec {
	o := opts.withDefaults()
	b := &builder{
		api:       api,
		spec:      &openapi31.Spec{Openapi: "3.1.0"},
		schemas:   newSchemas(),
		endpoints: map[string]bool{},
		confined:  confinementOf(api),
		may:       may,
		caller:    user,
		user:      cmp.Or(user, &shopapi.User{}),
	}
	b.spec.Info = openapi31.Info{
		Title: o.Title, Version: "2.0", Description: &o.Description,
		MapOfAnything: map[string]any{"x-shop": b.shop()},
	}
	b.spec.Servers = []openapi31.Server{{URL: o.Server}}
	b.spec.Security = []map[string][]string{{"basic": {}}}
	b.spec.Paths = &openapi31.Paths{MapOfPathItemValues: map[string]openapi31.PathItem{}}
	b.addCommon()
	for _, place := range api.EntityPaths() {
		b.addPlace(ctx, place)
	}
	for _, e := range api.Endpoints() {
		b.addEndpoint(e)
	}
	b.spec.Components.Schemas = b.schemas.components
	slices.SortFunc(b.spec.Tags, func(a, b openapi31.Tag) int { return cmp.Compare(a.Name, b.Name) })
	if o.JSONOnly {
		onlyJSON(b.spec)
	}
	return b.spec
}

// A builder makes one document.
type builder struct {
	api       *shopapi.API
	spec      *openapi31.Spec
	schemas   *schemas
	endpoints map[string]bool // endpoints that are described already
	confined  *confinement    // nil in the edition with one store
	may       func(shopapi.EntityPath, shopapi.Operation) bool
	caller    *shopapi.User // who asked for the document; nil if it describes everything
	user      *shopapi.User // the caller, or somebody without privileges
}

var editions = map[shopapi.Edition]string{
	shopapi.SingleStore: "single store", shopapi.MultiStorefront: "multi-storefront", shopapi.MultiVendor: "multi-vendor",
}

// shop returns the extension that describes how the API is mounted.
func (b *builder) shop() map[string]any {
	dialect := "documented"
	if b.api.Dialect() == shopapi.DialectLive {
		dialect = "live"
	}
	return map[string]any{
		"edition":        editions[b.api.Edition()],
		"dialect":        dialect,
		"defaultCompany": shopapi.FormatID(b.api.DefaultCompany()),
		"timeZone":       b.api.Location().String(),
		"limits":         b.limits(),
		"privileges":     b.privileges(),
	}
}

// limits returns the limits that clients meet.
func (b *builder) limits() map[string]any {
	l := b.api.Limits()
	limits := map[string]any{
		"bodyBytes":          l.Body,
		"queryBytes":         l.Query,
		"responseBytes":      l.Response,
		"itemsPerPage":       l.ItemsPerPage,
		"maxItemsPerPage":    l.MaxItemsPerPage,
		"seconds":            l.Time.Seconds(),
		"filterTextBytes":    shopapi.MaxFilterText,
		"listItems":          shopapi.MaxListItems,
		"loginFailures":      l.LoginFailures,
		"loginWindowSeconds": l.LoginWindow.Seconds(),
	}
	if b.api.Batches() {
		limits["batchRequests"], limits["batchRows"], limits["batchBytes"] = l.Batch, l.BatchRows, l.BatchBody
	}
	return limits
}

// privileges returns the description of each privilege, by its name.
func (b *builder) privileges() map[string]any {
	allowed := map[string]map[string]bool{}
	add := func(privilege, what string, offered bool) {
		if !offered || privilege == "" {
			return
		}
		if allowed[privilege] == nil {
			allowed[privilege] = map[string]bool{}
		}
		allowed[privilege][what] = true
	}
	for _, p := range b.api.EntityPaths() {
		reads := slices.Contains(p.Operations, shopapi.OpList) || slices.Contains(p.Operations, shopapi.OpGet)
		changes := len(p.Actions) > 0 || slices.ContainsFunc(p.Operations, func(op shopapi.Operation) bool {
			return op != shopapi.OpList && op != shopapi.OpGet
		})
		add(p.Privileges.View, "read "+p.Name, reads)
		add(p.Privileges.Manage, "change "+p.Name, changes)
	}
	list := make(map[string]any, len(allowed))
	for privilege, what := range allowed {
		list[privilege] = slices.Sorted(maps.Keys(what))
	}
	return list
}

const about = `The store-administration REST API.

Send the e-mail address of a user and an API key as HTTP Basic credentials with every
request. The same resources are found below ` + "`/api/2.0/`, `/api/` and `/api.php?_d=`" + `.

* Identifiers, counts, amounts and times are texts in answers; bodies may have numbers or
  texts. Times are seconds since 1970. Flags are ` + "`Y` or `N`" + `.
* A PUT changes the fields that it names, and null empties one. Unknown and read-only fields
  are passed over.
* Bodies are JSON or forms, in which ` + "`a[b]=v`" + ` nests; answers are JSON, or with
  ` + "`Accept: text/plain`" + ` form-style pairs.
* An error names every field at fault at once.
* A request needs the privilege that its operation names, unless the user is a root
  administrator.`
