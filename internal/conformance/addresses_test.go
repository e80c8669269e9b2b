package conformance

import (
	"maps"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

func TestInterface_Addresses_Forms(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	rows(t, map[string]string{
		"versioned": "/api/2.0/", "script": "/api.php?_d=", "short": "/api/",
	}, func(t *testing.T, _, base string) {
		same(t, s.Get(base+"categories/1").Field("category"), "Cups")
		same(t, ids(t, s.Get(base+"categories"), "", "category_id"), "1")
		id := s.Post(base+"categories", `{"category": "Plates"}`).Field("category_id")
		status(t, s.Put(base+"categories/"+id, `{"status": "D"}`), 200)
		status(t, s.Delete(base+"categories/"+id), 204)
	})
}

func TestInterface_Addresses_OnlyUnderAPI(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	for _, address := range []string{"/shop/api/categories/1", "/categories/1", "/apix/categories/1", "/API/categories/1", "/shop/api.php?_d=categories/1"} {
		status(t, s.Get(address), 404)
	}
}

func TestInterface_Formats_Accept(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	rows(t, map[string]struct{ accept, contentType, begin string }{
		"default":          {"", "application/json", `{"`},
		"application/json": {"application/json", "application/json", `{"`},
		"text/plain":       {"text/plain", "text/plain; charset=utf-8", "category_id=1&parent_id=0&"},
	}, func(t *testing.T, _ string, c struct{ accept, contentType, begin string }) {
		a := s.Accepting(c.accept).Get("/api/2.0/categories/1")
		same(t, a.Header.Get("Content-Type"), c.contentType)
		if a.Status != 200 || !strings.HasPrefix(a.Body, c.begin) {
			t.Errorf("answered %d %s, want it to begin with %s", a.Status, a.Body, c.begin)
		}
	})
}

func TestInterface_Formats_Input(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	rows(t, map[string]struct{ contentType, body string }{
		"default":          {"", "category=Bowls+%26+pots&status=D&selected_views[]=list&selected_views[]=grid"},
		"text/plain":       {"text/plain", "category=Bowls+%26+pots&status=D&selected_views[0]=list&selected_views[1]=grid"},
		"application/json": {"application/json", `{"category": "Bowls & pots", "status": "D", "selected_views": ["list", "grid"]}`},
	}, func(t *testing.T, _ string, c struct{ contentType, body string }) {
		created := s.Do("POST", "/api/2.0/categories", c.contentType, c.body)
		status(t, created, 201)
		got := s.Get("/api/2.0/categories/" + created.Field("category_id"))
		var category struct {
			Category, Status string
			SelectedViews    []string `json:"selected_views"`
		}
		got.Decode(&category)
		same(t, category.Category, "Bowls & pots")
		same(t, category.Status, "D")
		same(t, category.SelectedViews, []string{"list", "grid"})
	})
	// JSON without its content type is not an object.
	status(t, s.Do("POST", "/api/2.0/categories", "", `{"category": "Bowls"}`), 400)
}

func TestInterface_Formats_NamedArrays(t *testing.T) {
	s := anyOptions(t)
	status(t, s.Do("POST", "/api/2.0/exceptions", "", "product_id=1&combination[12]=33&combination[14]=-1"), 201)
	body(t, s.Get("/api/2.0/exceptions/2"), 200, `{"exception_id":"2","product_id":"1","combination":{"12":"33","14":"-1"}}`)
}

// TestInterface_Formats_OnlyTwo: other formats are refused, in responses and in bodies.
func TestInterface_Formats_OnlyTwo(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Accepting("application/xml").Get("/api/2.0/categories"), 406)
	status(t, s.Do("POST", "/api/2.0/categories", "application/xml", "<category>Cups</category>"), 415)
}

// TestInterface_Formats_DataInTheBody: parameters of the address are ignored.
func TestInterface_Formats_DataInTheBody(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Do("POST", "/api/2.0/categories?category=Bowls", "", ""), 405)
	status(t, s.Do("PUT", "/api/2.0/categories/1?status=D", "application/json", `{"category": "Mugs"}`), 200)
	got := s.Get("/api/2.0/categories/1")
	same(t, got.Field("category")+" "+got.Field("status"), "Mugs A")
}

// writable are the entities with all operations, each with a payload that creates an
// object and a field that PUT changes.
var writable = map[string]struct{ id, create, change string }{
	"categories":    {"category_id", `{"category": "Plates"}`, `{"category": "Bowls"}`},
	"products":      {"product_id", `{"product": "Teapot", "category_ids": [1]}`, `{"product": "Jug"}`},
	"exceptions":    {"exception_id", `{"product_id": 1, "combination": {"1": 6}}`, `{"combination": {"1": 7}}`},
	"options":       {"option_id", `{"product_id": 1, "option_name": "Size", "inventory": "N"}`, `{"option_name": "Width"}`},
	"combinations":  {"combination_hash", `{"product_id": 1, "combination": {"1": 6}}`, `{"amount": 7}`},
	"call_requests": {"request_id", `{"phone": "12"}`, `{"phone": "13"}`},
	"discussions":   {"post_id", `{"object_type": "P", "object_id": 1, "message": "Fine"}`, `{"message": "Good"}`},
	"users":         {"user_id", `{"email": "ana@example.com", "user_type": "C"}`, `{"firstname": "Ana"}`},
}

// everyEntity runs a case for each of these entities, in a shop with one object of it.
func everyEntity(t *testing.T, test func(t *testing.T, s *apitest.Shop, address, id string)) {
	t.Helper()
	cases := map[string]struct{ id, create, change string }{}
	maps.Copy(cases, writable)
	rows(t, cases, func(t *testing.T, name string, e struct{ id, create, change string }) {
		s := newShop(t, shopapi.Options{})
		created := s.Post("/api/2.0/"+name, e.create)
		status(t, created, 201)
		test(t, s, "/api/2.0/"+name, created.Field(e.id))
	})
}

func entityOf(address string) string { return strings.TrimPrefix(address, "/api/2.0/") }

func listKey(entity string) string {
	switch entity {
	case "categories", "exceptions", "combinations":
		return ""
	case "options":
		return "*"
	}
	return entity
}

func TestInterface_Generic_List(t *testing.T) {
	everyEntity(t, func(t *testing.T, s *apitest.Shop, address, id string) {
		list := items(t, s.Get(address+"?product_id=1"), listKey(entityOf(address)))
		if len(list) == 0 {
			t.Error("the list is empty")
		}
		none := map[string]string{
			"categories": "category=nothing", "products": "pcode=nothing", "exceptions": "product_id=99",
			"options": "product_id=99", "combinations": "product_id=99",
			"call_requests": "name=nothing", "discussions": "message=nothing", "users": "email=nothing",
		}[entityOf(address)]
		if list := items(t, s.Get(address+"?"+none), listKey(entityOf(address))); len(list) != 0 {
			t.Errorf("?%s finds %v", none, list)
		}
	})
}

func TestInterface_Generic_One(t *testing.T) {
	everyEntity(t, func(t *testing.T, s *apitest.Shop, address, id string) {
		same(t, s.Get(address+"/"+id).Field(writable[entityOf(address)].id), id)
	})
}

func TestInterface_Generic_Create(t *testing.T) {
	everyEntity(t, func(t *testing.T, s *apitest.Shop, address, id string) {
		before := s.Get(address + "?product_id=1").Body
		for _, empty := range []string{"", "{}", "[]", "null", " "} {
			status(t, s.Post(address, empty), 405)
		}
		status(t, s.Post(address+"/"+id, writable[entityOf(address)].create), 405)
		status(t, s.Post(address+"/99", writable[entityOf(address)].create), 405)
		same(t, s.Get(address+"?product_id=1").Body, before)
	})
}

func TestInterface_Generic_Update(t *testing.T) {
	everyEntity(t, func(t *testing.T, s *apitest.Shop, address, id string) {
		before := s.Get(address + "/" + id).Body
		for _, empty := range []string{"", "{}", "[]", "null", " "} {
			status(t, s.Put(address+"/"+id, empty), 405)
		}
		status(t, s.Put(address, writable[entityOf(address)].change), 405)
		same(t, s.Get(address+"/"+id).Body, before)
		status(t, s.Put(address+"/"+id, writable[entityOf(address)].change), 200)
		if s.Get(address+"/"+id).Body == before {
			t.Error("PUT changed nothing")
		}
	})
}

func TestInterface_Generic_Delete(t *testing.T) {
	everyEntity(t, func(t *testing.T, s *apitest.Shop, address, id string) {
		status(t, s.Delete(address), 405)
		status(t, s.Get(address+"/"+id), 200)
		status(t, s.Delete(address+"/"+id), 204)
		status(t, s.Get(address+"/"+id), 404)
	})
}

func TestInterface_Nested_ParentNeedsID(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Get("/api/2.0/categories/products"), 404)
	status(t, s.Get("/api/2.0/categories//products"), 404)
	status(t, s.Get("/api/2.0/products/discussions/1"), 404)
}

// TestInterface_Nested_ParentIsRead needs the privilege to read it, too.
func TestInterface_Nested_ParentIsRead(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Get("/api/2.0/products/1/discussions"), 200)
	clerk := s.User("view_discussions", "manage_discussions")
	status(t, clerk.Get("/api/2.0/products/1/discussions"), 403)
	status(t, clerk.Post("/api/2.0/products/1/discussions", `{"message": "Fine"}`), 403)
}

func TestInterface_Nested_ChildGetsTheParent(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/products", `{"product": "Teapot", "category_ids": [1]}`), 201)
	created := s.Post("/api/2.0/products/2/discussions", `{"message": "Fine"}`)
	status(t, created, 201)
	id := created.Field("post_id")
	one := s.Get("/api/2.0/products/2/discussions/" + id)
	same(t, one.Field("object_type")+one.Field("object_id"), "P2")
	status(t, s.Put("/api/2.0/products/2/discussions/"+id, `{"message": "Good"}`), 200)
	same(t, ids(t, s.Get("/api/2.0/products/2/discussions"), "discussions", "post_id"), id)
	same(t, ids(t, s.Get("/api/2.0/products/1/discussions"), "discussions", "post_id"), "")
	other := "/api/2.0/products/1/discussions/" + id // it is not below this product
	status(t, s.Get(other), 404)
	status(t, s.Put(other, `{"message": "Bad"}`), 404)
	status(t, s.Delete(other), 404)
	same(t, s.Get("/api/2.0/products/2/discussions/"+id).Field("message"), "Good")
	status(t, s.Delete("/api/2.0/products/2/discussions/"+id), 204)
}

// TestInterface_Nested_ParentsAnswer: an error of the parent is the response, and the
// child does not run.
func TestInterface_Nested_ParentsAnswer(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	want := s.Get("/api/2.0/products/99")
	status(t, want, 404)
	body(t, s.Get("/api/2.0/products/99/discussions"), 404, want.Body)
	body(t, s.Post("/api/2.0/products/99/discussions", `{"message": "Fine"}`), 404, want.Body)
	same(t, ids(t, s.Get("/api/2.0/discussions"), "discussions", "post_id"), "")
}

func TestInterface_Nested_Examples(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/discussions", `{"object_type": "P", "object_id": 1, "message": "Fine"}`), 201)
	rows(t, map[string]struct{ address, key, id string }{
		"categories/products":  {"/api/2.0/categories/1/products", "products", "product_id"},
		"products/discussions": {"/api/2.0/products/1/discussions", "discussions", "post_id"},
	}, func(t *testing.T, _ string, c struct{ address, key, id string }) {
		same(t, ids(t, s.Get(c.address), c.key, c.id), "1")
		same(t, s.Get(c.address+"/1").Field(c.id), "1")
	})
}

// TestInterface_Limits_PageSize: the shop's setting is the default.
func TestInterface_Limits_PageSize(t *testing.T) {
	s := newShop(t, shopapi.Options{Limits: shopapi.Limits{ItemsPerPage: 2}})
	for range 3 {
		status(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	}
	same(t, ids(t, s.Get("/api/2.0/call_requests"), "call_requests", "request_id"), "3 2")
	same(t, ids(t, s.Get("/api/2.0/call_requests?items_per_page=1"), "call_requests", "request_id"), "3")
	same(t, ids(t, s.Get("/api/2.0/call_requests?items_per_page=5"), "call_requests", "request_id"), "3 2 1")
}

func TestInterface_Versions_Segment(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Get("/api/2.0/categories/1"), 200)
	status(t, s.Get("/api/categories/1"), 200)
	unknown := s.Get("/api/3.0/categories/1")
	status(t, unknown, 404)
	if !strings.Contains(unknown.Field("message"), "2.0") {
		t.Errorf("%s does not name the supported version", unknown.Body)
	}
}

// TestInterface_Resources_NumbersAreStrings checks the responses of every entity.
func TestInterface_Resources_NumbersAreStrings(t *testing.T) {
	everyEntity(t, func(t *testing.T, s *apitest.Shop, address, id string) {
		entity := entityOf(address)
		for _, a := range []*apitest.Answer{
			s.Get(address + "/" + id), s.Get(address + "?product_id=1&items_per_page=2"),
			s.Put(address+"/"+id, writable[entity].change), s.Post(address, strings.Replace(writable[entity].create, "5", "6", 1)),
		} {
			if a.Status < 400 {
				checkNumbers(t, entity, "", a.JSON())
			}
		}
	})
}

// checkNumbers finds the numbers in a JSON tree. The page of a list is a number, and the
// published samples of products have a few more.
func checkNumbers(t *testing.T, entity, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for member, value := range v {
			checkNumbers(t, entity, name+"."+member, value)
		}
	case []any:
		for _, value := range v {
			checkNumbers(t, entity, name, value)
		}
	case float64:
		last := name[strings.LastIndex(name, ".")+1:]
		if last == "page" {
			return
		}
		switch last {
		case "category_ids", "main_category", "list_discount", "A", "P",
			"box_length", "box_width", "box_height", "min_items_in_box", "max_items_in_box":
			if entity == "products" {
				return
			}
		}
		t.Errorf("%s of %s is the number %v, want a string", name, entity, v)
	}
}

func TestInterface_Resources_Timestamps(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	same(t, s.Get("/api/2.0/categories/1").Field("timestamp"), "1704110400") // the clock's, in seconds
	status(t, s.Post("/api/2.0/call_requests", `{"phone": "1", "timestamp": "1700000000"}`), 201)
	same(t, s.Get("/api/2.0/call_requests/1").Field("timestamp"), "1700000000")
}
