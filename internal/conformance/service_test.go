package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// A hosted is an entity of the host: an object with any id exists.
type hosted struct {
	name    string
	parents []string
	updated *[]string // ids of PUT requests
}

func (e *hosted) Describe() shopapi.Description {
	return shopapi.Description{
		Name: e.name, IDField: "id", Parents: e.parents,
		Privileges: shopapi.Privileges{View: "view_" + e.name, Manage: "manage_" + e.name},
	}
}

func (e *hosted) List(context.Context, *shopapi.Request) (any, error) {
	return shopapi.List{Items: []string{}, Bare: true}, nil
}

func (e *hosted) Get(_ context.Context, r *shopapi.Request, id string) (any, error) {
	path := e.name + " " + id
	for _, p := range slices.Backward(r.Parents) {
		path = p.Entity + " " + p.ID + " " + path
	}
	return shopapi.Map{{Name: "path", Value: path}, {Name: "company_id", Value: id}}, nil
}

func (e *hosted) Update(_ context.Context, _ *shopapi.Request, id string) (shopapi.Reply, error) {
	if e.updated != nil {
		*e.updated = append(*e.updated, id)
	}
	return shopapi.Reply{ID: id}, nil
}

// register adds entities of the host to a shop.
func register(t *testing.T, s *apitest.Shop, entities ...shopapi.Entity) {
	t.Helper()
	for _, e := range entities {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInterface_Service_Methods(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	rows(t, map[string]func(t *testing.T){
		"GET": func(t *testing.T) {
			same(t, s.Get("/api/2.0/categories/1").Field("category"), "Cups")
			same(t, ids(t, s.Get("/api/2.0/categories"), "", "category_id"), "1")
		},
		"POST": func(t *testing.T) {
			id := s.Post("/api/2.0/categories", `{"category": "Plates"}`).Field("category_id")
			same(t, s.Get("/api/2.0/categories/"+id).Field("category"), "Plates")
		},
		"PUT": func(t *testing.T) {
			id := s.Post("/api/2.0/categories", `{"category": "Pans"}`).Field("category_id")
			status(t, s.Put("/api/2.0/categories/"+id, `{"category": "Pots"}`), 200)
			same(t, s.Get("/api/2.0/categories/"+id).Field("category"), "Pots")
		},
		"DELETE": func(t *testing.T) {
			id := s.Post("/api/2.0/categories", `{"category": "Old"}`).Field("category_id")
			status(t, s.Delete("/api/2.0/categories/"+id), 204)
			status(t, s.Get("/api/2.0/categories/"+id), 404)
		},
	}, func(t *testing.T, _ string, test func(t *testing.T)) { test(t) })
}

func TestInterface_Service_HTTP11(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	server := httptest.NewServer(s)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for i := range 2 { // on one connection
		req, err := http.NewRequest("GET", server.URL+"/api/2.0/categories/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(s.Email, s.Key)
		if err := req.Write(conn); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(reader, req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		if resp.Proto != "HTTP/1.1" || resp.StatusCode != 200 {
			t.Errorf("request %d was answered %s %s", i+1, resp.Proto, resp.Status)
		}
	}
}

// TestInterface_Service_EntitiesAreNoTables: PUT creates the cart of a user by adding a
// product to it, and a host's entity need not be stored at all.
func TestInterface_Service_EntitiesAreNoTables(t *testing.T) {
	s := apitest.New(t, nil)
	var added []string
	register(t, s, &hosted{name: "cart", updated: &added})
	status(t, s.Put("/api/2.0/cart/41", `{"amount": 2}`), 200)
	same(t, added, []string{"41"})

	stock(t, s)
	status(t, s.Post("/api/2.0/users", `{"email": "ana@example.com", "user_type": "C"}`), 201)
	status(t, s.Put("/api/2.0/carts/1", `{"products": {"1": {"amount": 2}}}`), 200)
	same(t, s.Get("/api/2.0/carts/1").Field("cart_products"), "2")
}

func TestInterface_Service_Nesting(t *testing.T) {
	s := apitest.New(t, &shop.Options{Without: []string{"products", "features", "options"}})
	register(t, s, &hosted{name: "products"}, &hosted{name: "features", parents: []string{"products"}},
		&hosted{name: "options", parents: []string{"products", "images"}}, &hosted{name: "images", parents: []string{"features"}})
	rows(t, map[string]string{
		"products/features":        "products 1 features 2",
		"products/options":         "products 1 options 2",
		"products/features/images": "products 1 features 2 images 3",
	}, func(t *testing.T, name, want string) {
		address := "/api/2.0"
		for i, entity := range strings.Split(name, "/") {
			address += fmt.Sprintf("/%s/%d", entity, i+1)
		}
		same(t, s.Get(address).Field("path"), want)
	})
	status(t, s.Get("/api/2.0/products/1/features/2/images/3/options/4"), 404)
}

// TestInterface_Service_PrivilegesPerEntity: a group has privileges by entity and kind
// of operation.
func TestInterface_Service_PrivilegesPerEntity(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	clerk := s.User("view_catalog", "manage_call_requests")
	status(t, clerk.Get("/api/2.0/categories/1"), 200)
	status(t, clerk.Put("/api/2.0/categories/1", `{"status": "D"}`), 403)
	status(t, clerk.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	status(t, clerk.Get("/api/2.0/call_requests/1"), 403)
	status(t, clerk.Get("/api/2.0/discussions"), 403)
}

// TestInterface_Service_ContainerIsParent: categories contain products, and not the
// other way round.
func TestInterface_Service_ContainerIsParent(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	same(t, ids(t, s.Get("/api/2.0/categories/1/products"), "products", "product_id"), "1")
	status(t, s.Get("/api/2.0/products/1/categories"), 404)
}

// TestInterface_Service_EntityNames: the library's entities have these names, and a
// host's own entity can have each of them.
func TestInterface_Service_EntityNames(t *testing.T) {
	library := apitest.New(t, nil)
	cases := map[string]bool{} // whether the library has it
	for _, name := range []string{"products", "options", "combinations", "exceptions", "call_requests", "categories", "discussions", "users"} {
		cases[name] = true
	}
	for _, r := range allRules(t) {
		if r.name == "Service_EntityNames" {
			for _, name := range r.rows {
				if !cases[name] {
					cases[name] = false
				}
			}
		}
	}
	rows(t, cases, func(t *testing.T, name string, has bool) {
		if answer := library.Get("/api/2.0/" + name + "?product_id=1"); has {
			status(t, answer, 200)
		}
		s := shopapi.New(&shopapi.Options{Authenticator: shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			return &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}, nil
		})})
		if err := s.Register(&hosted{name: name}); err != nil {
			t.Fatal(err)
		}
		client := &apitest.Client{T: t, Handler: s, Email: "root@example.com", Key: "key"}
		same(t, client.Get("/api/2.0/"+name+"/1").Field("path"), name+" 1")
	})
}
