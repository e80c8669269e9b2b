package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/shop"
)

// object reads one object.
func object(t *testing.T, a *apitest.Answer) map[string]json.RawMessage {
	t.Helper()
	status(t, a, 200)
	var m map[string]json.RawMessage
	a.Decode(&m)
	return m
}

// TestInterface_Categories_ListItem: exactly these fields.
func TestInterface_Categories_ListItem(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/categories", `{"category": "Mugs", "parent_id": 1}`), 201)
	list := items(t, s.Get("/api/2.0/categories"), "")
	want := map[string]string{
		"category_id": `"2"`, "parent_id": `"1"`, "id_path": `"1/2"`, "category": `"Mugs"`, "position": `"10"`,
		"status": `"A"`, "product_count": `"0"`, "company_id": `"1"`,
	}
	rows(t, want, func(t *testing.T, name, want string) { same(t, string(list[1][name]), want) })
	same(t, string(list[1]["updated_at"]), `"1704110400"`) // an extension
	same(t, len(list[1]), len(want)+1)
	same(t, string(list[0]["parent_id"])+string(list[0]["id_path"])+string(list[0]["product_count"]), `"0""1""1"`)
}

// TestInterface_Categories_Detail: the fields of a list item and these.
func TestInterface_Categories_Detail(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	category := object(t, s.Get("/api/2.0/categories/1"))
	want := map[string]string{
		"usergroup_ids": `"0"`, "timestamp": `"1704110400"`, "is_op": `"N"`, "localization": `""`,
		"age_verification": `"N"`, "parent_age_verification": `"N"`, "age_limit": `"0"`, "parent_age_limit": `"0"`,
		"selected_views": `[]`, "default_view": `"default"`, "product_details_view": `"default"`, "product_columns": `"1"`,
		"lang_code": `"en"`, "description": `""`, "meta_keywords": `""`, "meta_description": `""`, "page_title": `""`,
		"age_warning_message": `""`, "main_pair": `[]`,
	}
	rows(t, want, func(t *testing.T, name, want string) { same(t, string(category[name]), want) })
	same(t, len(category), len(want)+9)
	same(t, string(category["category"])+string(category["id_path"]), `"Cups""1"`)
}

func TestInterface_Categories_Status(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	rows(t, map[string]bool{"A": true, "D": true}, func(t *testing.T, name string, _ bool) {
		id := s.Post("/api/2.0/categories", `{"category": "Bowls", "status": "`+name+`"}`).Field("category_id")
		same(t, s.Get("/api/2.0/categories/"+id).Field("status"), name)
	})
	refused(t, s.Post("/api/2.0/categories", `{"category": "Bowls", "status": "X"}`), "status")
}

// TestInterface_Categories_Endpoints: list, one, create, update, delete.
func TestInterface_Categories_Endpoints(t *testing.T) {
	endpoints(t, "categories", "category_id", "", `{"category": "Plates"}`, `{"category": "Bowls"}`)
}

// endpoints tests the five operations of an entity.
func endpoints(t *testing.T, entity, id, key, create, change string) {
	t.Helper()
	s := newShop(t, shopapi.Options{})
	address := "/api/2.0/" + entity
	created := s.Post(address, create).Field(id)
	rows(t, map[string]func(t *testing.T){
		"list": func(t *testing.T) {
			list := strings.Fields(ids(t, s.Get(address+"?product_id=1"), key, id))
			if !slices.Contains(list, created) {
				t.Errorf("the list has %v, want %s among them", list, created)
			}
		},
		"one": func(t *testing.T) { same(t, s.Get(address+"/"+created).Field(id), created) },
		"create": func(t *testing.T) {
			other := strings.Replace(create, "5", "8", 1)
			same(t, names(t, json.RawMessage(s.Post(address, other).Body)), []string{id})
		},
		"update": func(t *testing.T) { body(t, s.Put(address+"/"+created, change), 200, `{"`+id+`":"`+created+`"}`) },
		"delete": func(t *testing.T) {
			gone := s.Post(address, strings.Replace(create, "5", "9", 1)).Field(id)
			status(t, s.Delete(address+"/"+gone), 204)
			status(t, s.Get(address+"/"+gone), 404)
		},
	}, func(t *testing.T, _ string, test func(t *testing.T)) { test(t) })
}

func TestInterface_Categories_NameIsRequired(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	refused(t, s.Post("/api/2.0/categories", `{"status": "A"}`), "category")
	refused(t, s.Post("/api/2.0/categories", `{"category": " "}`), "category")
	same(t, ids(t, s.Get("/api/2.0/categories"), "", "category_id"), "1")
}

func TestInterface_Categories_CompanyIsRequiredOfStorefronts(t *testing.T) {
	single := newShop(t, shopapi.Options{})
	status(t, single.Post("/api/2.0/categories", `{"category": "Plates"}`), 201)
	several := newShop(t, shopapi.Options{Edition: shopapi.MultiStorefront})
	refused(t, several.Post("/api/2.0/categories", `{"category": "Plates"}`), "company_id")
	created := several.Post("/api/2.0/categories", `{"category": "Plates", "company_id": 3}`)
	status(t, created, 201)
	same(t, several.Get("/api/2.0/categories/"+created.Field("category_id")).Field("company_id"), "3")
}

func TestInterface_Categories_CompanyThroughStores(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}, Without: []string{"stores"}})
	register(t, s, &hosted{name: "stores"})
	created := s.Post("/api/2.0/stores/3/categories", `{"category": "Plates"}`)
	status(t, created, 201)
	same(t, s.Get("/api/2.0/categories/"+created.Field("category_id")).Field("company_id"), "3")
}

func TestInterface_Categories_StatusOnCreate(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	body(t, s.Post("/api/2.0/categories", `{"category": "Plates", "status": "D"}`), 201, `{"category_id":"2"}`)
	same(t, s.Get("/api/2.0/categories/2").Field("status"), "D")
	same(t, s.Get("/api/2.0/categories/1").Field("status"), "A")
}

func TestInterface_Categories_Update(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	before := s.Get("/api/2.0/categories/1").Body
	body(t, s.Put("/api/2.0/categories/1", `{"status": "D"}`), 200, `{"category_id":"1"}`)
	same(t, s.Get("/api/2.0/categories/1").Body, strings.Replace(before, `"status":"A"`, `"status":"D"`, 1))
	refused(t, s.Put("/api/2.0/categories/1", `{"status": "X", "category": "Changed"}`), "status")
	same(t, s.Get("/api/2.0/categories/1").Field("category"), "Cups")
}

func TestInterface_Categories_Delete(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Delete("/api/2.0/categories/1"), 204)
	status(t, s.Delete("/api/2.0/categories/1"), 404)
	status(t, s.Delete("/api/2.0/categories/99"), 404)
}

// anyOptions returns a shop that does not check ids of options.
func anyOptions(t *testing.T) *apitest.Shop {
	t.Helper()
	s := apitest.New(t, &shop.Options{Without: []string{"options"}})
	stock(t, s)
	status(t, s.Post("/api/2.0/exceptions", `{"product_id": 1, "combination": {"12": 33, "14": 44}}`), 201)
	return s
}

func TestInterface_Exceptions_Fields(t *testing.T) {
	s := anyOptions(t)
	want := map[string]string{"exception_id": `"1"`, "product_id": `"1"`, "combination": `{"12":"33","14":"44"}`}
	exception := object(t, s.Get("/api/2.0/exceptions/1"))
	rows(t, want, func(t *testing.T, name, want string) { same(t, string(exception[name]), want) })
	same(t, len(exception), len(want))
}

// TestInterface_Exceptions_SpecialVariants: -1 and -2 are the only ones below zero.
func TestInterface_Exceptions_SpecialVariants(t *testing.T) {
	s := anyOptions(t)
	rows(t, map[string]bool{"-1": true, "-2": true}, func(t *testing.T, variant string, _ bool) {
		id := s.Post("/api/2.0/exceptions", `{"product_id": 1, "combination": {"12": "`+variant+`"}}`).Field("exception_id")
		same(t, string(object(t, s.Get("/api/2.0/exceptions/"+id))["combination"]), `{"12":"`+variant+`"}`)
	})
	refused(t, s.Post("/api/2.0/exceptions", `{"product_id": 1, "combination": {"12": -3}}`), "combination")

	// Their meaning: any variant, and no variant.
	forbidden := exceptions.Exception{Combination: exceptions.Combination{12: exceptions.AnyVariant, 14: 44}}
	for variant, want := range map[int64]bool{44: false, 45: true} {
		if got := exceptions.MayOrder("F", []exceptions.Exception{forbidden}, map[int64]int64{12: 33, 14: variant}); got != want {
			t.Errorf("variant %d may be ordered: %v, want %v", variant, got, want)
		}
	}
}

// TestInterface_Exceptions_Meaning: exceptions_type of the product decides whether its
// combinations are allowed or forbidden, and is changed through products.
func TestInterface_Exceptions_Meaning(t *testing.T) {
	s := anyOptions(t)
	rows(t, map[string]bool{"A": true, "F": false}, func(t *testing.T, meaning string, listed bool) {
		status(t, s.Put("/api/2.0/products/1", `{"exceptions_type": "`+meaning+`"}`), 200)
		same(t, s.Get("/api/2.0/products/1").Field("exceptions_type"), meaning)
		var product int64 = 1
		list, _, err := s.Exceptions.Find(t.Context(), exceptions.Filter{ProductID: &product})
		if err != nil {
			t.Fatal(err)
		}
		same(t, exceptions.MayOrder(meaning, list, map[int64]int64{12: 33, 14: 44}), listed)
		same(t, exceptions.MayOrder(meaning, list, map[int64]int64{12: 33, 14: 45}), !listed)
	})
	refused(t, s.Put("/api/2.0/products/1", `{"exceptions_type": "X"}`), "exceptions_type")
}

func TestInterface_Exceptions_Endpoints(t *testing.T) {
	endpoints(t, "exceptions", "exception_id", "", `{"product_id": 1, "combination": {"1": 5}}`, `{"combination": {"1": 6}}`)
}

func TestInterface_Exceptions_ListNeedsProductID(t *testing.T) {
	s := anyOptions(t)
	refused(t, s.Get("/api/2.0/exceptions"), "product_id")
	status(t, s.Get("/api/2.0/exceptions?product_id=1"), 200)
}

func TestInterface_Exceptions_ListShape(t *testing.T) {
	s := anyOptions(t)
	one := s.Get("/api/2.0/exceptions/1")
	status(t, one, 200)
	body(t, s.Get("/api/2.0/exceptions?product_id=1"), 200, "["+one.Body+"]")
	body(t, s.Get("/api/2.0/exceptions?product_id=2"), 200, "[]")
}

func TestInterface_Exceptions_Create(t *testing.T) {
	s := anyOptions(t)
	body(t, s.PostForm("/api/2.0/exceptions", "product_id=1&combination[12]=34&combination[14]=-1"), 201, `{"exception_id":"2"}`)
	refused(t, s.Post("/api/2.0/exceptions", `{"combination": {"12": 35}}`), "product_id")
	refused(t, s.Post("/api/2.0/exceptions", `{"product_id": 1}`), "combination")
	same(t, ids(t, s.Get("/api/2.0/exceptions?product_id=1"), "", "exception_id"), "1 2")
}

func TestInterface_Exceptions_Update(t *testing.T) {
	s := anyOptions(t)
	status(t, s.Post("/api/2.0/products", `{"product": "Teapot", "category_ids": [1]}`), 201)
	body(t, s.Put("/api/2.0/exceptions/1", `{"combination": {"12": 35}, "product_id": 2}`), 200, `{"exception_id":"1"}`)
	body(t, s.Get("/api/2.0/exceptions/1"), 200, `{"exception_id":"1","product_id":"2","combination":{"12":"35"}}`)
	refused(t, s.Put("/api/2.0/exceptions/1", `{"combination": {}, "product_id": 1}`), "combination")
	same(t, s.Get("/api/2.0/exceptions/1").Field("product_id"), "2")
}

func TestInterface_Exceptions_Delete(t *testing.T) {
	s := anyOptions(t)
	// An exception of another product is an error; see the decisions for the status.
	status(t, s.Delete("/api/2.0/exceptions/1?product_id=2"), 404)
	refused(t, s.Delete("/api/2.0/exceptions/1?product_id=x"), "product_id")
	status(t, s.Delete("/api/2.0/exceptions/1"), 204)
	status(t, s.Delete("/api/2.0/exceptions/1"), 404)
}

// TestInterface_States_Values: exactly these values are accepted.
func TestInterface_States_Values(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/call_requests", `{"phone": "1"}`), 201)
	status(t, s.Post("/api/2.0/discussions", `{"object_type": "E", "object_id": 0, "message": "Fine"}`), 201)
	rows(t, map[string][]string{
		"call_requests.status":     {"new", "in_progress", "completed", "no_answer"},
		"discussions.status":       {"A", "D"},
		"categories.status":        {"A", "D"},
		"products.exceptions_type": {"A", "F"},
	}, func(t *testing.T, name string, values []string) {
		entity, field, _ := strings.Cut(name, ".")
		address := "/api/2.0/" + entity + "/1"
		for _, value := range append(values, values...) { // from each to each
			status(t, s.Put(address, fmt.Sprintf(`{%q: %q}`, field, value)), 200)
			same(t, s.Get(address).Field(field), value)
		}
		for _, value := range []string{"Q", "", "N"} {
			refused(t, s.Put(address, fmt.Sprintf(`{%q: %q}`, field, value)), field)
		}
	})
}
