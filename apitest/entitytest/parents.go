package entitytest

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

var parentChecks = []check{
	{"Declared", reads, declaredParents, opened},
	{"Undeclared", reads, undeclaredParent, opens},
}

// declaredParents: under each parent that the entity names, only the objects below it
// are found.
func declaredParents(w *world) {
	ids := w.stocked(1)
	elsewhere := w.config.Sample(w.t, w.Client).Above
	for _, parent := range w.description.Parents {
		if parent == "stores" || parent == "vendors" || !w.Registered(parent) {
			continue // companies are checked with the editions
		}
		above := w.sample.Above[parent]
		if above == "" {
			if w.config.Except["Parents/Declared/"+parent] == "" {
				w.t.Errorf("%s are reached under %s, but Sample.Above does not tell an object of these; or name it in Except as Parents/Declared/%s", w.config.Entity, parent, parent)
			}
			continue
		}
		base := func(above string) string { return fmt.Sprintf("/api/2.0/%s/%s/%s", parent, above, w.config.Entity) }
		w.liesBelow(ids[0], base(above))
		w.want(w.Get(base("987654321")), 404, "GET of a list below an object that does not exist (specification, nested entities)")
		if other := elsewhere[parent]; other != above {
			w.liesElsewhere(ids[0], base(other))
		}
		if !w.offers(shopapi.OpCreate) {
			continue
		}
		added := w.create(w.Client, base(above), w.sample.Payload(w.made+1))
		w.made++
		w.liesBelow(added, base(above))
	}
}

// liesBelow checks that the object is found below another object.
func (w *world) liesBelow(id, base string) {
	w.t.Helper()
	top := w.Get(w.at(id)).Body
	below := w.want(w.Get(base+"/"+id), 200, "GET "+base+"/"+id+" of an object that lies there")
	if diff := cmp.Diff(top, below.Body); diff != "" {
		w.t.Errorf("an object is shown otherwise below another (-at the top +below):\n%s", diff)
	}
	if list := w.Get(base + "?items_per_page=1000").Body; !slices.Contains(w.idsIn(list), id) {
		w.t.Errorf("the list %s lacks the object %s: %s", base, id, list)
	}
}

// liesElsewhere checks that the object is not found below another object.
func (w *world) liesElsewhere(id, base string) {
	w.t.Helper()
	w.unchanged([]string{id}, "requests below an object where it does not lie", func() {
		for _, a := range []attempt{
			{shopapi.OpGet, "GET", base + "/" + id, ""},
			{shopapi.OpUpdate, "PUT", base + "/" + id, w.change()},
			{shopapi.OpDelete, "DELETE", base + "/" + id, ""},
		} {
			if w.offers(a.op) {
				w.want(a.by(w.Client), 404, a.method+" "+a.address+" of an object that lies elsewhere")
			}
		}
	})
	if list := w.Get(base + "?items_per_page=1000").Body; slices.Contains(w.idsIn(list), id) {
		w.t.Errorf("the list %s shows the object %s, which lies elsewhere: %s", base, id, list)
	}
}

// shelves are an entity that no other entity names as its parent.
type shelves struct{}

func (shelves) Describe() shopapi.Description {
	return shopapi.Description{Name: "entitytest_shelves", Privileges: shopapi.Privileges{View: "view_shelves"}}
}

func (shelves) Get(context.Context, *shopapi.Request, string) (any, error) {
	return map[string]string{"shelf": "1"}, nil
}

// undeclaredParent: addresses below any other entity are 404, and never list everything.
func undeclaredParent(w *world) {
	open := w.config.New
	config := *w.config
	config.New = func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
		api, err := open(ctx, st, o)
		if err == nil {
			err = api.Register(shelves{})
		}
		return api, err
	}
	w.config = &config
	ids := w.start(shopapi.Options{}).stocked(1)
	base := "/api/2.0/entitytest_shelves/1/" + w.config.Entity
	for _, address := range []string{base, base + "/" + ids[0]} {
		w.want(w.Get(address), 404, "GET "+address+", below an entity that it does not name as a parent (§2)")
	}
}
