// Package entitytest is the conformance suite of entities: the rules that every entity
// of the interface follows on privileges, addresses, payloads, fields, events, editions,
// parents, lists, formats, caching and languages. Stores have package storetest instead.
//
// The entities of the library run it, and so can a host's own, however implemented:
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
// Each check is a subtest in a shop of its own, over each store; a failure names the
// broken rule with its section of the decisions (§N). Checks that do not apply are
// skipped with the reason in the [Config].
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

// A Config describes how to open an API with the entity, and its objects. Entity, New
// and Sample are required. The suite reads the rest, such as sort keys and types, from
// the entity's [shopapi.Description].
type Config struct {
	// Entity is the name in addresses.
	Entity string

	// Below is the parent of an entity without an address at the top. Sample.Above has
	// the id of the parent.
	Below string

	// Events is the name of the entity in events, Entity if empty: events of offers name
	// products.
	Events string

	// ItemID is the field of objects with the id, if replies name it otherwise.
	ItemID string

	// New opens an API over a store, with the entity and the entities to which it refers.
	// Its options contain users, a clock and an observer of the suite. Several APIs may
	// share a store.
	New func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error)

	// Handler wraps an API from New, to inspect its requests and responses. It may be
	// nil.
	Handler func(t testing.TB, api *shopapi.API) http.Handler

	// Stores open the stores to run over, each without tables; the suite closes
	// them. The default is memory and SQLite.
	Stores map[string]func(testing.TB) store.Store

	// Sample creates, as the client's user, the objects to which the entity refers, and
	// returns payloads for the entity's own. In some checks the user is confined to a
	// company, and one shop may call Sample several times. See [Payloads] for objects
	// without references.
	Sample func(t testing.TB, c *apitest.Client) Sample

	// Required are the fields without which POST is refused. A text with several names,
	// separated by spaces, requires one of these fields.
	Required []string

	// Unique are the fields whose values no two objects share; of several that are unique
	// together, name one.
	Unique []string

	// ReadOnly are the fields of responses that no payload sets, except the id and fields
	// with the tag bind:"-".
	ReadOnly []string

	// Follows are the fields that an update may change by itself, such as the time of the
	// last change.
	Follows []string

	// SortFields maps sort keys to the fields of items by which they sort, if the names
	// differ; "" means that no field shows the order. Texts are compared
	// case-insensitively.
	SortFields map[string]string

	// Except maps names of checks, or groups of them, to the reasons why they do not
	// apply. Names are the subtest names of go test without the store:
	// "Editions/Vendors", "Languages".
	Except map[string]string

	description *shopapi.Description // of the entity in a shop without further options, once known
}

// A Sample has the payloads with which one user creates objects of the entity.
type Sample struct {
	// Payload returns the JSON of POST for the n-th object, from 1. Together with Change
	// it sets every writable field to a value other than its default. Values inside
	// documents, which are returned unchanged, must be texts, because a form has no
	// others. It is nil for an entity without POST.
	Payload func(n int) string

	// IDs are the ids of at least ten existing objects, for an entity without POST.
	IDs []string

	// Change returns the JSON of a PUT that changes any of the objects, with each value
	// in the form of GET. Unique values must depend on n, which is used once.
	Change func(n int) string

	// Query is the required query of a list, such as "product_id=1".
	Query string

	// Above maps each parent that the entity names and the API has, except storefronts
	// and vendors, to the id of an object above the sample's.
	Above map[string]string
}

// Payloads returns a Sample for objects without references, with one change for all.
func Payloads(change string, payload func(n int) string) func(testing.TB, *apitest.Client) Sample {
	return func(testing.TB, *apitest.Client) Sample {
		return Sample{Payload: payload, Change: func(int) string { return change }}
	}
}

// A check tests one rule.
type check struct {
	name  string
	needs []shopapi.Operation
	run   func(w *world)
	opens bool // opened or opens
}

// The shop of a check is opened before it, or the check opens one itself.
const (
	opened = false
	opens  = true
)

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

// Run checks every rule that applies to the entity.
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
	if c.description == nil {
		w.start(shopapi.Options{})
		c.description = &w.description
	}
	w.description = *c.description
	for _, op := range check.needs {
		if !w.offers(op) {
			t.Skipf("%s does not offer the operation %s", c.Entity, op)
		}
	}
	if w.API == nil && !check.opens {
		w.start(shopapi.Options{})
	}
	check.run(w)
}

// skipExcepted skips a check that does not apply.
func (c *Config) skipExcepted(t *testing.T, name string) {
	t.Helper()
	if reason, excepted := c.Except[name]; excepted {
		t.Skip(reason)
	}
}

// complete sets the defaults, and ends the test if a required field is missing.
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

// isCheck reports whether the name is a check's or a group's.
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
