package access_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// editions are the editions by their names in GET /access.
var editions = map[string]shopapi.Edition{
	"single": shopapi.SingleStore, "multi-storefront": shopapi.MultiStorefront, "multi-vendor": shopapi.MultiVendor,
}

func options(edition shopapi.Edition) *shop.Options {
	return &shop.Options{Options: shopapi.Options{Edition: edition}, Access: access.Options{On: true, Document: apidoc.RegisterCaller}}
}

func rightsOf(t *testing.T, c *apitest.Client) access.Rights {
	t.Helper()
	answer := c.Get("/api/2.0/access")
	if answer.Status != http.StatusOK {
		t.Fatalf("GET access: %d %s", answer.Status, answer.Body)
	}
	var rights access.Rights
	if err := json.Unmarshal([]byte(answer.Body), &rights); err != nil {
		t.Fatal(err)
	}
	return rights
}

func TestE12_Access(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, options(shopapi.SingleStore))
		root := rightsOf(t, s.Client)
		if got, want := root.Entities["orders"], (access.Verbs{"list": "all", "get": "all", "create": "all", "update": "all", "delete": "all"}); !cmp.Equal(got, want) {
			t.Errorf("root has %v on orders, want %v", got, want)
		}
		if got := root.Entities["users/usergroups"]; got["update"] != access.All {
			t.Errorf("root has %v on users/usergroups", got)
		}
		got := rightsOf(t, s.User("view_orders", "view_users"))
		want := access.Rights{
			UserID: 2, CompanyID: 1, Edition: "single", Dialect: "documented", Currency: "USD", TimeZone: "UTC",
			Extensions: []string{"access", "openapi"}, Languages: []string{"en"},
			Entities: map[string]access.Verbs{},
		}
		for _, name := range []string{"orders", "carts", "shipments", "users"} {
			want.Entities[name] = access.Verbs{"list": "all", "get": "all"}
		}
		for name := range got.Entities {
			if strings.Contains(name, "/") {
				delete(got.Entities, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rights (-want +got):\n%s", diff)
		}
	})
}

func TestE12_AccessIsOffByDefault(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	if got := s.Get("/api/2.0/access").Status; got != http.StatusNotFound {
		t.Errorf("GET access: %d, want 404", got)
	}
}

// TestE12_AccessIsWhatThePipelineDecides compares the rights with what requests are
// answered: 403 exactly where a right is absent.
func TestE12_AccessIsWhatThePipelineDecides(t *testing.T) {
	for name, edition := range editions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, options(edition))
			var privileges []string
			for _, d := range s.Descriptions() {
				privileges = append(privileges, d.Privileges.View, d.Privileges.Manage)
			}
			slices.Sort(privileges)
			privileges = slices.Compact(privileges)
			var views []string
			for _, p := range privileges {
				if strings.HasPrefix(p, "view_") {
					views = append(views, p)
				}
			}
			users := map[string]*apitest.Client{
				"root": s.Client, "staff": s.User(privileges...), "reader": s.User(views...),
				"of the catalogue": s.User("view_catalog", "manage_catalog"), "of nothing": s.User(),
			}
			if edition != shopapi.SingleStore {
				users["of a company"] = s.UserOf(2, privileges...)
			}
			for who, c := range users {
				compare(t, s, who, c)
			}
		})
	}
}

// compare sends a request for each operation at each place of the first two levels.
func compare(t *testing.T, s *apitest.Shop, who string, c *apitest.Client) {
	t.Helper()
	rights := rightsOf(t, c)
	if rights.IsRoot != (who == "root") {
		t.Errorf("%s: is_root %v", who, rights.IsRoot)
	}
	for _, p := range s.EntityPaths() {
		if len(p.Parents) > 1 {
			continue
		}
		name, address := p.Name, "/api/2.0/"+p.Name
		if len(p.Parents) == 1 {
			name, address = p.Parents[0].Name+"/"+name, "/api/2.0/"+p.Parents[0].Name+"/999999/"+p.Name
		}
		for _, op := range p.Operations {
			address := address
			if name == "discussions" && op == shopapi.OpList {
				address += "?object_type=P" // the list that vendors have
			}
			_, offered := rights.Entities[name][string(op)]
			answer := request(c, op, address)
			if refused := answer == http.StatusForbidden; refused == offered {
				t.Errorf("%s: %s of %s is offered: %v, and the request is answered %d", who, op, name, offered, answer)
			}
		}
		for _, action := range p.Actions {
			_, offered := rights.Entities[name+":"+action.Name]["do"]
			answer := c.Post(address+"/999999/"+action.Name, "{}").Status
			if refused := answer == http.StatusForbidden; refused == offered {
				t.Errorf("%s: the action %s of %s is offered: %v, and the request is answered %d", who, action.Name, name, offered, answer)
			}
		}
	}
}

// request sends a request that changes nothing.
func request(c *apitest.Client, op shopapi.Operation, address string) int {
	const object = "/999999"
	switch op {
	case shopapi.OpList:
		return c.Get(address).Status
	case shopapi.OpGet:
		return c.Get(address + object).Status
	case shopapi.OpCreate:
		return c.Post(address, "{}").Status
	case shopapi.OpUpdate:
		return c.Put(address+object, "{}").Status
	}
	return c.Delete(address + object).Status
}

func TestE12_AccessOfACompany(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, options(shopapi.MultiVendor))
	vendor := rightsOf(t, s.UserOf(2, "view_catalog", "manage_catalog", "view_languages", "manage_languages", "view_orders", "manage_orders"))
	if vendor.CompanyID != 2 || vendor.Edition != "multi-vendor" {
		t.Errorf("company %d, edition %s", vendor.CompanyID, vendor.Edition)
	}
	want := map[string]access.Verbs{
		"products":         {"list": "own", "get": "own", "create": "own", "update": "own", "delete": "own"},
		"products/options": {"list": "own", "get": "own", "create": "own", "update": "own", "delete": "own"},
		"languages":        {"list": "all", "get": "all"},
		"orders":           {"list": "own", "get": "own", "update": "own"},
	}
	got := maps.Clone(vendor.Entities)
	maps.DeleteFunc(got, func(name string, _ access.Verbs) bool { return want[name] == nil })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights of a vendor (-want +got):\n%s", diff)
	}
}
