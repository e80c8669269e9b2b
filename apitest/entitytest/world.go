package entitytest

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
)

var defaultStores = map[string]func(testing.TB) store.Store{
	"memory": func(testing.TB) store.Store { return memory.New() },
	"sqlite": func(t testing.TB) store.Store {
		t.Helper()
		st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "shop.db"), nil)
		if err != nil {
			t.Fatalf("entitytest: %v", err)
		}
		return st
	},
}

// A world is the shop of one check, with its root user as the client.
type world struct {
	*apitest.API
	t           *testing.T
	config      *Config
	open        func(testing.TB) store.Store
	store       *openStore
	description shopapi.Description
	sample      Sample
	base        string // address of the entity
	made        int    // objects of the sample created so far
	changed     int    // changes used so far
}

// An openStore fails on demand, and records its tables.
type openStore struct {
	*apitest.FailingStore
	tables []*store.Schema
}

func (s *openStore) Migrate(ctx context.Context, schemas ...*store.Schema) error {
	for _, schema := range schemas {
		if schema != store.SchemaChanges() && !slices.Contains(s.tables, schema) { // a change in this table stops the store
			s.tables = append(s.tables, schema)
		}
	}
	return s.FailingStore.Migrate(ctx, schemas...)
}

// start opens the shop over a new store.
func (w *world) start(o shopapi.Options) *world {
	w.t.Helper()
	st := &openStore{FailingStore: apitest.NewFailingStore(w.open(w.t))}
	w.t.Cleanup(func() {
		if err := st.Close(); err != nil {
			w.t.Errorf("closing the store: %v", err)
		}
	})
	return w.startOver(st, o)
}

// startOver opens the shop, with storefronts or vendors 1 to 9 if the edition has
// companies and none are registered.
func (w *world) startOver(st *openStore, o shopapi.Options) *world {
	w.t.Helper()
	w.store = st
	w.API = apitest.NewAPI(w.t, &o, func(o *shopapi.Options) (*shopapi.API, error) {
		api, err := w.config.New(w.t.Context(), st, o)
		if err != nil {
			return nil, err
		}
		if name := companiesOf(o.Edition); name != "" && !api.Registered(name) {
			err = api.Register(companies(name))
		}
		return api, err
	})
	if name := companiesOf(o.Edition); name != "" {
		w.makeCompanies(name)
	}
	if w.config.Handler != nil {
		w.Handler = w.config.Handler(w.t, w.API.API)
	}
	w.base, w.made, w.changed = "/api/2.0/"+w.config.Entity, 0, 0
	for _, place := range w.EntityPaths() {
		if place.Name == w.config.Entity && w.isAt(place.Parents) {
			w.description = place.Description
			return w
		}
	}
	w.t.Fatalf("the API has no entity named %s", w.config.Entity)
	return nil
}

// isAt reports whether the entity is reached below exactly these parents.
func (w *world) isAt(parents []shopapi.Description) bool {
	if w.config.Below == "" {
		return len(parents) == 0
	}
	return len(parents) == 1 && parents[0].Name == w.config.Below
}

// offers reports whether the entity has the operation.
func (w *world) offers(op shopapi.Operation) bool {
	return slices.Contains(w.description.Operations, op)
}

// itemID returns the field of objects that contains the id.
func (w *world) itemID() string { return cmp.Or(w.config.ItemID, w.description.IDField) }

// makeCompanies creates the companies up to 4 of the library's entity, which has only
// company 1 at first.
func (w *world) makeCompanies(entity string) {
	w.t.Helper()
	if w.Get("/api/2.0/"+entity+"/4").Status == 200 {
		return
	}
	for n := 2; n <= 4; n++ {
		made := w.Post("/api/2.0/"+entity, fmt.Sprintf(`{"company": "Company %d", "storefront": "%d.example.org", "email": "c%d@example.org",
			"phone": "1", "address": "Quay 1", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"}`, n, n, n))
		if made.Status != 201 {
			w.t.Fatalf("POST %s: %d %s", entity, made.Status, made.Body)
		}
	}
}

// in returns the world for a subtest.
func (w *world) in(t *testing.T) *world {
	sub, fixture := *w, *w.Fixture
	fixture.Client = w.Client.In(t)
	sub.t, sub.API = t, &apitest.API{API: w.API.API, Fixture: &fixture}
	return &sub
}

func companiesOf(e shopapi.Edition) string {
	switch e {
	case shopapi.MultiStorefront:
		return "stores"
	case shopapi.MultiVendor:
		return "vendors"
	}
	return ""
}

// companies replaces the entity of storefronts or vendors.
type companies string

func (c companies) Describe() shopapi.Description {
	return shopapi.Description{
		Name: string(c), IDField: "company_id",
		Privileges: shopapi.Privileges{View: "view_" + string(c), Manage: "manage_" + string(c)},
	}
}

func (c companies) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if len(id) != 1 || id < "1" || id > "9" {
		return nil, shopapi.NotFound("company", id)
	}
	return map[string]string{"company_id": id, "company": "Company " + id}, nil
}

// stocked opens a shop, prepares the sample, and returns the ids of its first n objects.
func (w *world) stocked(n int) (ids []string) {
	w.t.Helper()
	w.sample = w.config.Sample(w.t, w.Client)
	if !w.offers(shopapi.OpCreate) && len(w.sample.IDs) == 0 {
		w.t.Skipf("%s does not offer the operation %s, and Sample.IDs tells no objects", w.config.Entity, shopapi.OpCreate)
	}
	if w.config.Below != "" {
		w.base = "/api/2.0/" + w.config.Below + "/" + w.sample.Above[w.config.Below] + "/" + w.config.Entity
	}
	for range n {
		ids = append(ids, w.add())
	}
	w.Events()
	return ids
}

// add creates the next object of the sample, or takes the next existing one, and returns
// its id. The clock advances for every second one.
func (w *world) add() string {
	w.t.Helper()
	w.made++
	if len(w.sample.IDs) > 0 {
		if w.made > len(w.sample.IDs) {
			w.t.Fatalf("Sample.IDs are %d, and more are needed", len(w.sample.IDs))
		}
		return w.sample.IDs[w.made-1]
	}
	if w.made%2 == 0 {
		w.Clock.Advance(time.Second)
	}
	return w.create(w.Client, w.base, w.sample.Payload(w.made))
}

// payload returns the POST payload of the n-th object.
func (w *world) payload(n int) string {
	if w.sample.Payload == nil { // POST is refused before the body is read
		return `{"entity": "` + w.config.Entity + `"}`
	}
	return w.sample.Payload(n)
}

// change returns the next change of the sample.
func (w *world) change() string {
	w.changed++
	return w.sample.Change(w.changed)
}

// create creates an object and returns its id.
func (w *world) create(c *apitest.Client, base, payload string) string {
	w.t.Helper()
	created := c.Post(base, payload)
	if created.Status != 201 {
		w.t.Fatalf("POST %s %s answers %d %s, want 201", base, payload, created.Status, created.Body)
	}
	return created.Field(w.description.IDField)
}

// at returns the address of an object.
func (w *world) at(id string) string { return w.base + "/" + id }

// list returns the address of a list.
func (w *world) list(parameters ...string) string { return listAt(w.base, w.sample, parameters...) }

func listAt(base string, sample Sample, parameters ...string) string {
	if sample.Query != "" {
		parameters = append([]string{sample.Query}, parameters...)
	}
	if len(parameters) == 0 {
		return base
	}
	return base + "?" + strings.Join(parameters, "&")
}

// all returns the address of a list with all objects.
func (w *world) all(parameters ...string) string {
	return w.list(append(parameters, "items_per_page=1000")...)
}

// object returns the GET response of an object.
func (w *world) object(id string) map[string]any {
	w.t.Helper()
	object, _ := decode(w.t, w.want(w.Get(w.at(id)), 200, "GET of an object that exists").Body).(map[string]any)
	return object
}

// want expects a status. An error must have a message (§5).
func (w *world) want(a *apitest.Answer, status int, rule string) *apitest.Answer {
	w.t.Helper()
	if a.Status != status {
		w.t.Fatalf("%s: the answer is %d %s, want %d", rule, a.Status, a.Body, status)
	}
	if status >= 400 && a.Body != "" {
		var e struct {
			Message string
			Status  int
		}
		if a.Decode(&e); e.Message == "" || e.Status != status {
			w.t.Errorf("%s: the error is %s, want a message and the status (§5)", rule, a.Body)
		}
	}
	return a
}

// refused expects a 400 whose errors name one of the fields (§5).
func (w *world) refused(a *apitest.Answer, rule string, fields ...string) {
	w.t.Helper()
	var e struct{ Errors map[string]string }
	w.want(a, 400, rule).Decode(&e)
	for _, field := range fields {
		if e.Errors[field] != "" {
			return
		}
	}
	w.t.Errorf("%s: the answer is %s, want errors that name %s (§5)", rule, a.Body, strings.Join(fields, " or "))
}

// unchanged checks that do changes no object that the root user sees, and causes no
// event.
func (w *world) unchanged(ids []string, rule string, do func()) {
	w.t.Helper()
	before := w.seen(ids)
	w.Events()
	do()
	if events := w.Events(); len(events) > 0 {
		w.t.Errorf("%s: nothing changes, but the observer is told of %s", rule, describe(events))
	}
	if diff := gocmp.Diff(before, w.seen(ids)); diff != "" {
		w.t.Errorf("%s: something changed (-before +after):\n%s", rule, diff)
	}
}

// seen returns the list and the objects as the root user sees them.
func (w *world) seen(ids []string) []string {
	w.t.Helper()
	var seen []string
	if w.offers(shopapi.OpList) {
		seen = append(seen, w.Get(w.all()).Body)
	}
	for _, id := range ids {
		seen = append(seen, w.Get(w.at(id)).Body)
	}
	return seen
}

func describe(events []shopapi.Event) string {
	texts := make([]string, len(events))
	for i, e := range events {
		texts[i] = fmt.Sprintf("%s %s %s", e.Operation, e.Entity, e.ID)
	}
	return strings.Join(texts, ", ")
}

// privileges returns all privileges of the shop.
func (w *world) privileges() (names []string) {
	for _, d := range w.Descriptions() {
		names = append(names, d.Privileges.View, d.Privileges.Manage)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
