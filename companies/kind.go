package companies

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
)

// A kind is the difference between the entities stores and vendors, which are rows of one
// table with rules in common: see [Companies.storefronts] and [Companies.vendors].
type kind struct {
	name       string // of the entity
	object     string // in messages
	summary    string
	privileges shopapi.Privileges
	operations []shopapi.Operation // nil for all
	payload    reflect.Type        // of bodies

	// required names the fields that check looks for in a new company.
	required []string

	// bind binds a payload without the fields of the other kind.
	bind func(ctx context.Context, r *shopapi.Request, v *Company) error

	// check checks the fields that the kind alone has.
	check func(ctx context.Context, before, after *Company, problems *shopapi.Problems) error

	encode      func(*Company) any  // one on its own
	encodeItems func([]Company) any // a list

	// created returns the members of the reply to POST beside the id.
	created func(api *shopapi.API, id string) shopapi.Map

	// relate registers what happens when objects of other entities are deleted, and
	// entities under this one.
	relate func(ctx context.Context) error
}

// has reports whether bodies of the kind have a field.
func (k *kind) has(name string) bool {
	return slices.ContainsFunc(structfields.Of(k.payload), func(f reflect.StructField) bool {
		own, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return own == name
	})
}

// statusesOf returns the statuses of the companies of an edition.
func statusesOf(api *shopapi.API) []string {
	if api.Edition() == shopapi.MultiVendor {
		return vendorStatuses
	}
	return storefrontStatuses
}
