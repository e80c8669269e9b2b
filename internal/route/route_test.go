package route_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/route"
)

// An entity is one for tests. Its code A is of one object, and B of two.
type entity struct {
	name, parent string
	operations   string // separated by spaces
	actions      []string
	codes        bool
}

func (e *entity) Segment() string              { return e.name }
func (e *entity) Offers(operation string) bool { return strings.Contains(e.operations, operation) }
func (e *entity) ActionNames() []string        { return e.actions }
func (e *entity) ParentNames() []string        { return []string{e.parent} }
func (e *entity) LogName() string              { return "" }

func (e *entity) FieldOfCode() string {
	if e.codes {
		return "code"
	}
	return ""
}

func (e *entity) FindCode(_ context.Context, code string) ([]string, error) {
	return map[string][]string{"A": {"7"}, "B": {"8", "9"}}[code], nil
}

func registry() route.Registry[*entity] {
	g := route.New[*entity]()
	for _, e := range []*entity{
		{name: "products", operations: "list get create update delete action", actions: []string{"copy"}, codes: true},
		{name: "reviews", parent: "products", operations: "list get"},
		{name: "logs", operations: "list"},
	} {
		g.Top[e.name] = e
	}
	g.Under[[2]string{"products", "parts"}] = &entity{name: "parts", operations: "list create"}
	return g
}

func TestResolve(t *testing.T) {
	g := registry()
	for _, c := range []struct{ address, method, operation, problem string }{
		{"products", "GET", route.List, ""},
		{"products", "POST", route.Create, ""},
		{"products/7", "HEAD", route.Get, ""},
		{"products/7", "PUT", route.Update, ""},
		{"products/7", "DELETE", route.Delete, ""},
		{"products/7/copy", "POST", route.Action, ""},
		{"products/7/copy", "GET", "", "POST carries out the action copy. No other method is allowed here."},
		{"products/7/reviews/3", "GET", route.Get, ""},
		{"products/7/parts", "POST", route.Create, ""},
		{"products", "PUT", "", "PUT needs the id of the object in the address."},
		{"products", "DELETE", "", "DELETE needs the id of the object in the address."},
		{"products/7", "POST", "", "POST creates an object and takes no id in the address."},
		{"products", "PATCH", "", "The method is not allowed here. Allowed: GET, HEAD, POST."},
		{"logs/7", "GET", "", "No method is allowed here."},
		{"parts", "GET", "", `There is no entity named "parts".`},
		{"products/7/logs", "GET", "", `There is no entity named "logs" under products.`},
		{"logs/1/reviews", "GET", "", `There is no entity named "reviews" under logs.`},
		{"products/1/reviews/2/products/3/x", "GET", "", "The address is nested too deep: at most two levels of entities below the first."},
	} {
		target, err := g.Resolve(strings.Split(c.address, "/"))
		got := ""
		if err == nil {
			got, err = target.Choose(c.method)
		}
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if got != c.operation || problem != c.problem {
			t.Errorf("%s %s: %q, %q", c.method, c.address, got, problem)
		}
	}
	g.Declared[[2]string{"products", "logs"}] = true
	if _, err := g.Resolve([]string{"products", "7", "logs"}); err != nil {
		t.Errorf("a declared parent: %v", err)
	}
}

// A code in an address is replaced by the id of the one object that has it.
func TestCodes(t *testing.T) {
	g := registry()
	for _, c := range []struct {
		address, want string
		escaped       bool
		status        int
	}{
		{"products/code:A", "products/7", false, 0},
		{"products/code:%41/reviews/code:A", "products/7/reviews/code:A", true, 0},
		{"products/code:B", "", false, 409},
		{"products/code:C", "", false, 404},
		{"products/code:", "", false, 404},
		{"products/code:%zz", "", true, 404},
	} {
		target, err := g.Resolve(strings.Split(c.address, "/"))
		if err != nil {
			t.Fatal(err)
		}
		if err = target.TakeCodes(c.escaped, nil); err == nil {
			target, err = target.Found(t.Context())
		}
		var e *clienterror.Error
		if c.status != 0 && (!errors.As(err, &e) || e.Status != c.status) || c.status == 0 && err != nil {
			t.Errorf("%s: %v", c.address, err)
			continue
		}
		got := append(target.ParentNames(), target.ID)
		if c.status == 0 && !strings.HasSuffix(c.want, got[len(got)-1]) {
			t.Errorf("%s: %q", c.address, got)
		}
	}
	target, _ := g.Resolve([]string{"products", "code:A"})
	if err := target.TakeCodes(false, []bool{false, true}); err != nil || target.Code != "" {
		t.Errorf("a literal segment: %v, %q", err, target.Code)
	}
}

func TestNotAmong(t *testing.T) {
	err := route.NotAmong(func(method string) bool { return method == "GET" || method == "PUT" })
	var e *clienterror.Error
	if !errors.As(err, &e) || e.Status != 405 {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET", "HEAD", "PUT"}, e.Allow); diff != "" {
		t.Error(diff)
	}
}

// An action and a child with one name have the same address.
func TestCheckActions(t *testing.T) {
	g := registry()
	if err := g.CheckActions(); err != nil {
		t.Error(err)
	}
	g.Under[[2]string{"products", "copy"}] = &entity{name: "copy", operations: "list"}
	if err := g.CheckActions(); err == nil {
		t.Error("no error")
	}
	if names := g.Names(); !slices.Contains(names, "copy") {
		t.Errorf("the names are %q", names)
	}
}

func TestPaths(t *testing.T) {
	g := registry()
	var got []string
	for _, p := range g.Paths() {
		path := ""
		for _, parent := range p.Parents {
			path += parent.name + "/"
		}
		got = append(got, path+p.Entry.name)
	}
	want := []string{"logs", "products", "products/parts", "products/reviews", "reviews"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An entity may be viewed at an address of its own, or below a parent that may be viewed too.
func TestMayView(t *testing.T) {
	g := registry()
	for _, c := range []struct {
		entity, parent, may, privileged string
		want                            bool
	}{
		{"reviews", "", "reviews", "", true},
		{"reviews", "", "reviews below products", "products", true},
		{"reviews", "", "reviews below products", "", false},
		{"parts", "products", "parts below products", "products", true},
		{"parts", "", "parts below products", "products", true},
		{"parts", "", "", "products", false},
		{"unknown", "", "unknown", "", false},
	} {
		v := route.Viewer[*entity]{
			Privileged: func(e *entity) bool { return e.name == c.privileged },
			May: func(e *entity, parents ...string) bool {
				return c.may == strings.Join(append([]string{e.name}, parents...), " below ")
			},
		}
		if got := g.MayView(v, c.entity, c.parent); got != c.want {
			t.Errorf("%s below %q: %t", c.entity, c.parent, got)
		}
	}
}
