// Package entitytest holds an entity against what every entity of the interface
// does alike, as package storetest does stores: privileges, addresses, payloads,
// fields, events, editions, parents, lists, formats, caching and languages. The entities of
// the library run it, and so can a host's own, however it is made:
//
//	func TestSuppliers(t *testing.T) {
//		entitytest.Run(t, entitytest.Config{
//			Entity: "suppliers",
//			New: func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
//				api := shopapi.New(o)
//				_, err := suppliers.Register(ctx, api, st)
//				return api, err
//			},
//			Sample: entitytest.Payloads(`{"city": "Oslo"}`, func(n int) string {
//				return fmt.Sprintf(`{"supplier": "Supplier %d", "city": "Bergen"}`, n)
//			}),
//			Required: []string{"supplier"},
//		})
//	}
//
// Each check is a subtest in a shop of its own, over each store; a failure says
// which rule was broken, with its section of the decisions (§N). What an entity has
// no part in is skipped with the reason that its [Config] gives.
package entitytest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
)

// A Config says how to make an API with the entity, and what its objects are like.
// Entity, New and Sample are required. What the entity's
// [shopapi.Description] tells, such as its sort keys and types, is not said again.
type Config struct {
	// Entity is the name in addresses.
	Entity string

	// Below is the parent entity of one that has no address at the top. Sample.Above has
	// the id of the parent.
	Below string

	// Events is the entity that events name, Entity if empty: offers are reported as
	// products.
	Events string

	// ItemID is the field of objects that has the id, where replies name it otherwise.
	ItemID string

	// New makes an API over a store, with the entity and what its objects refer to.
	// It is called with options that have users, a clock and an observer of the
	// suite's. Several APIs may be over one store.
	New func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error)

	// Handler answers the requests of the suite in place of an API that New made, to
	// look at them and at the answers. It may be nil.
	Handler func(t testing.TB, api *shopapi.API) http.Handler

	// Stores open the stores to run over, each without tables; the suite closes
	// them. The default is memory and SQLite.
	Stores map[string]func(testing.TB) store.Store

	// Sample makes, as the client's user, what objects refer to, and tells how they
	// are made. The user is confined to a company in some checks, and Sample may be
	// called several times in one shop. See [Payloads] for objects that refer to
	// nothing.
	Sample func(t testing.TB, c *apitest.Client) Sample

	// Required are the fields without which POST is refused. Several names in one
	// text, separated by spaces, are fields of which one is needed.
	Required []string

	// Unique are the fields, or one of several that are unique together, in which no
	// two objects are alike.
	Unique []string

	// ReadOnly are the fields of answers that no payload sets, beside the id and
	// those whose Go field has the tag bind:"-".
	ReadOnly []string

	// Follows are the fields that an update may change by itself, such as the time
	// of the last one.
	Follows []string

	// SortFields name the field of items that a sort key orders by, where it has
	// another name; "" is none. Texts are compared without regard to case.
	SortFields map[string]string

	// Except gives the reason for which a check, or a group of them, does not apply, by its
	// name as go test shows it, without the store: "Editions/Vendors", "Languages".
	Except map[string]string
}

// A Sample is how one user makes objects of the entity.
type Sample struct {
	// Payload returns the JSON of POST for the n-th object, from 1. Together with
	// Change it gives every field that can be written a value which a new object has
	// not by itself. Values inside documents, which are returned as they were given,
	// are texts: a form has no others. An entity without POST has none.
	Payload func(n int) string

	// IDs are of objects that are there, for an entity without POST: at least ten.
	IDs []string

	// Change returns the JSON of a PUT that changes any of the objects, with each
	// value as GET shows it. What has to be unique differs by n, which is given once.
	Change func(n int) string

	// Query is what a list needs beside the address, such as "product_id=1".
	Query string

	// Above holds the id of an object that the objects lie below, for each parent
	// that the entity names and the API knows. Storefronts and vendors are left out.
	Above map[string]string
}

// Payloads returns the Sample of an entity whose objects refer to nothing, and can
// all be changed alike.
func Payloads(change string, payload func(n int) string) func(testing.TB, *apitest.Client) Sample {
	return func(testing.TB, *apitest.Client) Sample {
		return Sample{Payload: payload, Change: func(int) string { return change }}
	}
}

// A check is one rule.
type check struct {
	name  string
	needs []shopapi.Operation
	run   func(w *world)
}

var (
	gets      = []shopapi.Operation{shopapi.OpGet}
	reads     = []shopapi.Operation{shopapi.OpList, shopapi.OpGet}
	updates   = []shopapi.Operation{shopapi.OpGet, shopapi.OpUpdate}
	changes   = []shopapi.Operation{shopapi.OpList, shopapi.OpGet, shopapi.OpUpdate}
	creates   = []shopapi.Operation{shopapi.OpCreate, shopapi.OpGet}
	writes    = []shopapi.Operation{shopapi.OpCreate, shopapi.OpGet, shopapi.OpUpdate}
	allOfThem = []shopapi.Operation{shopapi.OpCreate, shopapi.OpList, shopapi.OpGet, shopapi.OpUpdate, shopapi.OpDelete}
)

var groups = []struct {
	name   string
	checks []check
}{
	{"Privileges", privilegeChecks},
	{"Addresses", addressChecks},
	{"Payloads", payloadChecks},
	{"Fields", fieldChecks},
	{"Events", eventChecks},
	{"Editions", editionChecks},
	{"Parents", parentChecks},
	{"Lists", listChecks},
	{"Formats", formatChecks},
	{"Cache", cacheChecks},
	{"Languages", languageChecks},
}

// Run holds an entity against every rule that applies to it.
func Run(t *testing.T, c Config) {
	t.Helper()
	c.complete(t)
	for _, store := range slices.Sorted(maps.Keys(c.Stores)) {
		t.Run(store, func(t *testing.T) {
			for _, group := range groups {
				t.Run(group.name, func(t *testing.T) {
					for _, check := range group.checks {
						t.Run(check.name, func(t *testing.T) { c.run(t, c.Stores[store], group.name, check) })
					}
				})
			}
		})
	}
}

func (c *Config) run(t *testing.T, open func(testing.TB) store.Store, group string, check check) {
	c.skipExcepted(t, group)
	c.skipExcepted(t, group+"/"+check.name)
	w := &world{t: t, config: c, open: open}
	w.start(shopapi.Options{})
	for _, op := range check.needs {
		if !w.offers(op) {
			t.Skipf("%s does not offer the operation %s", c.Entity, op)
		}
	}
	check.run(w)
}

// skipExcepted ends a check that does not apply.
func (c *Config) skipExcepted(t *testing.T, name string) {
	t.Helper()
	if reason, excepted := c.Except[name]; excepted {
		t.Skip(reason)
	}
}

// complete sets the defaults, and ends the test when something is missing.
func (c *Config) complete(t *testing.T) {
	t.Helper()
	if c.Entity == "" || c.New == nil || c.Sample == nil {
		t.Fatal("entitytest: Entity, New and Sample are required")
	}
	if c.Stores == nil {
		c.Stores = defaultStores
	}
	for name, reason := range c.Except {
		if reason == "" || !isCheck(name) {
			t.Fatalf("entitytest: Except[%q] names no check, or gives no reason", name)
		}
	}
}

// isCheck reports whether a check has the name, or one that is made of others, or a group.
func isCheck(name string) bool {
	for _, group := range groups {
		if name == group.name {
			return true
		}
		for _, check := range group.checks {
			full := group.name + "/" + check.name
			if name == full || strings.HasPrefix(name, full+"/") {
				return true
			}
		}
	}
	return false
}
