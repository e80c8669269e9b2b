// Package access has the address GET /access (extensions E12): everything that the caller
// may do, in one response. Consoles and other clients offer these operations.
//
// [Of] returns the same for Go code.
package access

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
)

// Options say whether GET /access is on. The zero value is off.
type Options struct {
	On bool

	// Document adds GET /openapi, the OpenAPI document of what the caller may do:
	// apidoc.RegisterCaller. Nil leaves the address out, and the packages that make the
	// document out of the program.
	Document func(*shopapi.API) error
}

// Rights are what a user may do.
type Rights struct {
	UserID    int64        `json:"user_id,string"` // 0 for the host's own Go code
	IsRoot    shopapi.Flag `json:"is_root"`
	CompanyID int64        `json:"company_id,string"` // 0 for users of no company
	Edition   string       `json:"edition"`           // single, multi-storefront or multi-vendor
	Dialect   string       `json:"dialect"`           // documented or live

	// Entities are the rights by the name of an entity, such as "orders", of an entity
	// below the objects of another, such as "products/options", and of an action, such as
	// "orders:issue_invoice". Names without a right are absent.
	Entities map[string]Verbs `json:"entities"`

	// Extensions are the addresses beside entities, such as "changes", that are switched on
	// and that the user has the privileges for, and "keys" for users/ID/keys.
	Extensions []string `json:"extensions"`

	Languages []string `json:"languages"` // their codes
	Currency  string   `json:"currency"`  // its code, "" where the shop has none
	TimeZone  string   `json:"time_zone"`
}

// Verbs are the rights over the objects of one entity, by verb: list, get, create, update,
// delete, and do for an action. A verb that is absent is refused.
type Verbs map[string]Reach

// A Reach says over which objects a right extends.
type Reach string

// The reaches.
const (
	All Reach = "all" // all objects
	Own Reach = "own" // the objects of the user's company alone (§11)
)

// A Languages function returns the codes of the languages of a shop.
type Languages func(ctx context.Context) ([]string, error)

// Register adds the address GET /access to an API with all its entities registered.
func Register(api *shopapi.API, languages Languages) error {
	serve := func(ctx context.Context, _ *shopapi.EndpointRequest) (*shopapi.Response, error) {
		rights, err := Of(ctx, api, languages)
		if err != nil {
			return nil, err
		}
		return &shopapi.Response{Body: rights}, nil
	}
	return api.RegisterEndpoint(shopapi.Endpoint{
		Address: "access",
		Methods: map[string]shopapi.Method{http.MethodGet: {
			Serve: serve, Cacheable: true,
			Summary: "What the caller may do, and the facts of the shop that clients need first.", Answer: reflect.TypeFor[Rights](),
		}},
	})
}

// Of returns what the user of ctx may do, by the checks that a request passes.
func Of(ctx context.Context, api *shopapi.API, languages Languages) (*Rights, error) {
	ctx = api.Confine(ctx)
	user := shopapi.UserFrom(ctx)
	r := &Rights{
		IsRoot: user == nil || shopapi.Flag(user.Root), Edition: editions[api.Edition()], Dialect: dialects[api.Dialect()],
		Entities: map[string]Verbs{}, Extensions: extensions(api, user),
	}
	if user != nil {
		r.UserID, r.CompanyID = user.ID, user.CompanyID
	}
	for _, p := range api.EntityPaths() {
		if len(p.Parents) <= 1 {
			r.add(ctx, api, p)
		}
	}
	zone, err := api.LocationIn(ctx)
	if err != nil {
		return nil, err
	}
	r.TimeZone = zone.String()
	if r.Currency, _, err = api.Setting(ctx, shopapi.SettingCurrency); err != nil {
		return nil, err
	}
	r.Languages, err = languages(shopapi.WithUser(ctx, nil))
	return r, err
}

var (
	editions = map[shopapi.Edition]string{
		shopapi.SingleStore: "single", shopapi.MultiStorefront: "multi-storefront", shopapi.MultiVendor: "multi-vendor",
	}
	dialects = map[shopapi.Dialect]string{shopapi.DialectDocumented: "documented", shopapi.DialectLive: "live"}
)

// add adds the rights at a place of the API.
func (r *Rights) add(ctx context.Context, api *shopapi.API, p shopapi.EntityPath) {
	name, ofCompany := p.Name, p.OfCompany
	var parents []string
	for _, parent := range p.Parents {
		name, ofCompany = parent.Name+"/"+name, ofCompany || parent.OfCompany
		parents = append(parents, parent.Name)
	}
	reach := All
	if ofCompany && shopapi.UserFrom(ctx).IsConfined() {
		reach = Own
	}
	verbs := Verbs{}
	for _, op := range p.Operations {
		if api.Authorize(ctx, p.Name, op, parents...) == nil {
			verbs[string(op)] = reach
		}
	}
	if len(verbs) > 0 {
		r.Entities[name] = verbs
	}
	if len(p.Actions) == 0 || api.Authorize(ctx, p.Name, shopapi.OpAction, parents...) != nil {
		return
	}
	for _, action := range p.Actions {
		r.Entities[name+":"+action.Name] = Verbs{"do": reach}
	}
}

// extensions are the names of the extensions that the user may use.
func extensions(api *shopapi.API, user *shopapi.User) []string {
	names := []string{}
	for _, e := range api.Endpoints() {
		name, _, _ := strings.Cut(e.Address, "/")
		if e.OfEntity {
			if e.Address != "users/{id}/keys" {
				continue
			}
			name = "keys"
		}
		if name != "version" && mayUse(user, &e) {
			names = append(names, name)
		}
	}
	if api.Exports() {
		names = append(names, "export")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mayUse reports whether the user has the privileges for a method of the endpoint.
func mayUse(user *shopapi.User, e *shopapi.Endpoint) bool {
	for _, m := range e.Methods {
		if !slices.ContainsFunc(m.Privileges, func(name string) bool { return !user.Can(name) }) {
			return true
		}
	}
	return false
}
