package shopapi_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// acting are things that have actions too.
type acting struct{ *things }

func (e acting) Describe() shopapi.Description {
	d := e.Description
	d.Name, d.Parents = "boxes", []string{"aisles"}
	d.Privileges = shopapi.Privileges{View: "view_boxes", Manage: "manage_boxes"}
	d.Actions = []shopapi.Action{{Name: "open_box", Summary: "Opens it."}, {Name: "count_things"}}
	return d
}

func (e acting) Act(_ context.Context, r *shopapi.Request, action, id string) (shopapi.Reply, error) {
	if err := e.note(action, id, r); err != nil {
		return shopapi.Reply{}, err
	}
	row, err := e.row(id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	if action == "open_box" {
		return shopapi.Reply{ID: id}, nil
	}
	return shopapi.Reply{More: shopapi.Map{{Name: "count", Value: row.Count}, {Name: "unit", Value: r.Payload.Has("unit")}}}, nil
}

// newActingShop is newShop with boxes, which have actions.
func newActingShop(t *testing.T, change ...func(*shopapi.Options)) *shop {
	t.Helper()
	s := newShop(t, change...)
	if err := s.Register(acting{newThings("boxes", &s.trace)}); err != nil {
		t.Fatal(err)
	}
	return s
}

// An action is POST on its name below an object, in every form of address, with or
// without a payload (§1, §4).
func TestActions(t *testing.T) {
	s := newActingShop(t)
	for _, address := range []string{
		"/api/2.0/boxes/2/open_box", "/api/boxes/2/open_box", "/api/boxes/2/open_box/", "/api/2/boxes/2/%6fpen_box",
		"/api.php?_d=boxes/2/open_box", "/api.php?_d=2.0/boxes/2/open_box&ajax_custom=1",
	} {
		for _, body := range []string{"", "{}", "a=b"} {
			s.do("POST", address, body, bodyType(body)).want(201).is(`{"thing_id":"2"}`)
		}
	}
	s.do("POST", "/api/aisles/1/boxes/2/open_box", "").want(201).is(`{"thing_id":"2"}`)
	if diff := cmp.Diff([]string{"get aisles 1", "open_box boxes 2"}, s.trace[len(s.trace)-2:]); diff != "" {
		t.Error(diff)
	}
	s.do("POST", "/api/boxes/3/count_things", `{"unit":"kg"}`, asJSON).want(201).is(`{"count":30,"unit":true}`)
	s.do("POST", "/api/boxes/3/count_things", "", with("Accept", "text/plain")).want(201).is("count=30&unit=false")
}

func bodyType(body string) header {
	if strings.HasPrefix(body, "{") {
		return asJSON
	}
	return with("Content-Type", "text/plain")
}

// The checks of an action come in their order (§2).
func TestActions_Checks(t *testing.T) {
	s := newActingShop(t)
	clerk := as("clerk@example.com", "key")
	s.clerk["view_boxes"] = true
	for _, address := range []string{"/api/2.0/boxes/2/open_box", "/api/boxes/2/open_box", "/api.php?_d=boxes/2/open_box", "/api/aisles/1/boxes/2/open_box"} {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH"} {
			s.do(method, address, "a=b").want(405).has("Allow", "POST")
		}
		s.do("GET", address, "").contains("open_box")
		s.do("POST", address, "", anonymous).want(401)
		s.do("POST", address, "", with("Accept", "image/png")).want(406)
		s.do("POST", address, "", clerk).want(403)
		s.do("POST", address, "{", asJSON).want(400)
		s.do("POST", address, "<a/>", with("Content-Type", "text/xml")).want(415)
	}
	for _, address := range []string{
		"/api/boxes/2/close_box", "/api/boxes/open_box", "/api/boxes/2/open_box/3", "/api/boxes/2/open_box/count_things",
		"/api/aisles/1/open_box", "/api/open_box/1", "/api/aisles/1/shelves/2/labels/3/open_box",
	} {
		s.do("POST", address, "").want(map[bool]int{true: 405, false: 404}[address == "/api/boxes/open_box"])
	}
	if s.trace != nil {
		t.Errorf("operations ran: %q", s.trace)
	}
	s.do("POST", "/api/boxes/9/open_box", "").want(404)
	s.do("POST", "/api/aisles/9/boxes/2/open_box", "").want(404)
	s.clerk["manage_boxes"] = true
	s.do("POST", "/api/boxes/2/open_box", "", clerk).want(201)
	s.do("POST", "/api/aisles/1/boxes/2/open_box", "", clerk).want(403).contains("view_aisles")
}

// An entity may not have a child and an action of one name: the address would mean
// both. Elsewhere an entity may have the name of an action.
func TestActions_ChildOfTheSameName(t *testing.T) {
	p := shopapi.Privileges{View: "v", Manage: "m"}
	s := newActingShop(t)
	if err := s.Register(getter{described{Name: "open_box", Privileges: p, Parents: []string{"shelves"}}}); err != nil {
		t.Fatal(err)
	}
	s.do("POST", "/api/boxes/2/open_box", "").want(201)
	s.do("GET", "/api/open_box/2", "").want(200)

	s = newActingShop(t)
	if err := s.RegisterUnder("boxes", getter{described{Name: "open_box", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "open_box under boxes") {
		t.Errorf("Check: %v", err)
	}
	s.do("POST", "/api/boxes/2/open_box", "").want(500)
}

// What is wrong with actions is found when the entity is registered.
func TestRegister_Actions(t *testing.T) {
	p := shopapi.Privileges{View: "v", Manage: "m"}
	describe := func(d shopapi.Description) shopapi.Entity { return actor{described(d)} }
	for _, c := range []struct {
		entity shopapi.Entity
		want   string
	}{
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "a"}}}), ""},
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id"}), "no capability"},
		{describe(shopapi.Description{Name: "pages", Privileges: p, Actions: []shopapi.Action{{Name: "a"}}}), "no IDField"},
		{describe(shopapi.Description{Name: "pages", IDField: "id", Actions: []shopapi.Action{{Name: "a"}}}), "privilege Manage"},
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "a"}, {Name: "a"}}}), "twice"},
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "A"}}}), "no name"},
		{getter{described{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "a"}}}}, "no Actor"},
	} {
		err := newShop(t).Register(c.entity)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.entity, err, c.want)
		}
	}
}

type actor struct{ described }

func (actor) Act(context.Context, *shopapi.Request, string, string) (shopapi.Reply, error) {
	return shopapi.Reply{}, nil
}

// The route of an action names it, its description lists it, and its privilege is
// that of changes.
func TestActions_Route(t *testing.T) {
	s := newActingShop(t)
	got, ok := s.Match(httptest.NewRequest("POST", "/api/aisles/1/boxes/2/open_box", nil))
	want := shopapi.Route{Entity: "boxes", Operation: shopapi.OpAction, Action: "open_box", Parents: []string{"aisles"}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("Match (-want +got):\n%s", diff)
	}
	clerk := shopapi.WithUser(t.Context(), &shopapi.User{ID: 2, Privileges: map[string]bool{"view_boxes": true}})
	if err := s.Authorize(clerk, "boxes", shopapi.OpAction); err == nil || !strings.Contains(err.Error(), "manage_boxes") {
		t.Errorf("Authorize: %v", err)
	}
	if err := s.Authorize(clerk, "aisles", shopapi.OpAction); err == nil || !strings.Contains(err.Error(), "does not have the operation") {
		t.Errorf("Authorize without actions: %v", err)
	}
	for _, d := range s.Descriptions() {
		if d.Name == "boxes" && (len(d.Actions) != 2 || d.Actions[0].Summary != "Opens it.") {
			t.Errorf("described actions: %+v", d.Actions)
		}
	}
}

// An action is an update of its object to the observer, once, unless the entity
// reported what it changed.
func TestActions_Events(t *testing.T) {
	var events []string
	s := newActingShop(t, func(o *shopapi.Options) {
		o.Observer = func(_ context.Context, e shopapi.Event) {
			events = append(events, string(e.Operation)+" "+e.Entity+" "+e.ID)
		}
	})
	s.do("POST", "/api/boxes/2/count_things", "").want(201)
	s.do("POST", "/api/boxes/9/count_things", "").want(404)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"update boxes 2"}, events); diff != "" {
		t.Error(diff)
	}
}
