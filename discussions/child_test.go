package discussions_test

import (
	"net/http"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// decisions §10: under products, categories, pages and orders the list contains the
// posts of that object, and POST takes the object from the address.
func TestDiscussions_AsChild(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		parents := []struct{ address, kind string }{{"products", "P"}, {"categories", "C"}, {"pages", "A"}, {"orders", "O"}}
		for i, parent := range parents {
			address := "/api/2.0/" + parent.address + "/5/discussions"
			s.do("POST", address, `{"message":"x"}`).want(http.StatusCreated)
			id := shopapi.FormatID(int64(i + 1))
			got := s.do("GET", "/api/2.0/discussions/"+id, "").object()
			if got["object_type"] != parent.kind || got["object_id"] != "5" {
				t.Errorf("POST %s filed a post about %s %s", address, got["object_type"], got["object_id"])
			}
			for _, same := range []string{`{"object_type":"` + parent.kind + `","object_id":5}`, `{"object_id":"5"}`, `{"thread_id":` + id + `}`} {
				s.do("PUT", address+"/"+id, same).want(http.StatusOK)
			}
			s.do("GET", address+"/"+id, "").want(http.StatusOK)
		}
		for i, parent := range parents {
			if got, want := s.list("/api/2.0/"+parent.address+"/5/discussions"), shopapi.FormatID(int64(i+1))+" of 1"; got != want {
				t.Errorf("under %s: %s, want %s", parent.address, got, want)
			}
			if got := s.list("/api/2.0/" + parent.address + "/6/discussions"); got != " of 0" {
				t.Errorf("under another of %s: %s", parent.address, got)
			}
		}
		if got := s.list("/api/2.0/products/5/discussions?object_type=C"); got != " of 0" {
			t.Errorf("posts about categories under a product: %s", got)
		}
		s.do("GET", "/api/2.0/products/51/discussions", "").want(http.StatusNotFound)
		s.do("POST", "/api/2.0/products/51/discussions", `{"message":"x"}`).want(http.StatusNotFound)
	})
}

// decisions §10: POST under a parent accepts no other object.
func TestDiscussions_ChildOfAnotherObject(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.file(discussions.Post{ObjectType: "P", ObjectID: 6})
		for _, test := range []struct {
			body   string
			fields []string
		}{
			{`{"object_id":6}`, []string{"object_id"}},
			{`{"object_type":"C"}`, []string{"object_type"}},
			{`{"object_type":"C","object_id":6}`, []string{"object_type", "object_id"}},
			{`{"thread_id":1}`, []string{"thread_id"}},
			{`{"thread_id":77}`, []string{"thread_id"}},
		} {
			s.do("POST", "/api/2.0/products/5/discussions", test.body).names(test.fields...)
		}
		s.do("POST", "/api/2.0/products/6/discussions", `{"thread_id":1,"object_type":"P","object_id":6}`).want(http.StatusCreated)
	})
}

// decisions §10: a post of another object under that parent is 404.
func TestDiscussions_PostOfAnotherObject(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.file(discussions.Post{ObjectType: "P", ObjectID: 5}, discussions.Post{ObjectType: "E"})
		for _, address := range []string{"products/6/discussions/1", "categories/5/discussions/1", "products/5/discussions/2", "products/5/discussions/x"} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				s.do(method, "/api/2.0/"+address, `{"name":"x"}`).want(http.StatusNotFound)
			}
		}
		if got := s.list("name=x"); got != " of 0" {
			t.Errorf("changed all the same: %s", got)
		}
		s.do("DELETE", "/api/2.0/products/5/discussions/1", "").want(http.StatusNoContent)
	})
}

// Entities without discussions have none below their objects.
func TestDiscussions_UnderAnotherEntity(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.file(discussions.Post{ObjectType: "P", ObjectID: 5})
		for _, method := range []string{"GET", "POST"} {
			s.do(method, "/api/2.0/articles/5/discussions", `{"message":"x"}`).want(http.StatusNotFound)
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.do(method, "/api/2.0/articles/5/discussions/1", `{"message":"x"}`).want(http.StatusNotFound)
		}
	})
}

// decisions §3: reading takes view_discussions, changing manage_discussions.
func TestDiscussions_Privileges(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.file(discussions.Post{ObjectType: "P", ObjectID: 5})
		reader := as("reader@example.com")
		s.do("GET", "/api/2.0/discussions", "", reader).want(http.StatusOK)
		s.do("GET", "/api/2.0/discussions/1", "", reader).want(http.StatusOK)
		s.do("GET", "/api/2.0/products/5/discussions", "", reader).want(http.StatusForbidden) // view_catalog
		s.do("POST", "/api/2.0/discussions", `{"object_type":"E"}`, reader).want(http.StatusForbidden)
		s.do("PUT", "/api/2.0/discussions/1", `{"name":"x"}`, reader).want(http.StatusForbidden)
		s.do("DELETE", "/api/2.0/discussions/1", "", reader).want(http.StatusForbidden)
	})
}

// decisions §10: vendors reach discussions only below products. §2: the privilege check
// refuses other requests, before body and parents are read.
func TestDiscussions_VendorsOnlyUnderProducts(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	s.file(discussions.Post{ObjectType: "P", ObjectID: 41}, discussions.Post{ObjectType: "C", ObjectID: 41})
	for _, test := range []struct {
		method, address string
		want            int
	}{
		{"GET", "/api/2.0/discussions", 403},
		{"POST", "/api/2.0/discussions", 403},
		{"GET", "/api/2.0/discussions/1", 403},
		{"PUT", "/api/2.0/discussions/1", 403},
		{"DELETE", "/api/2.0/discussions/1", 403},
		{"GET", "/api/2.0/discussions/99", 403},
		{"GET", "/api.php?_d=discussions", 403},
		{"GET", "/api/2.0/categories/41/discussions", 403},
		{"GET", "/api/2.0/categories/99/discussions", 403},
		{"POST", "/api/2.0/pages/41/discussions", 403},
		{"DELETE", "/api/2.0/orders/41/discussions/1", 403},
		{"GET", "/api/2.0/products/99/discussions", 404},
		{"GET", "/api/2.0/products/41/discussions", 200},
	} {
		s.do(test.method, test.address, "{", vendor).want(test.want) // a malformed body
	}
	s.do("GET", "/api/2.0/discussions", "").want(http.StatusOK)
}

// decisions §11: vendors see and change only the discussions of their company's
// products.
func TestDiscussions_VendorsOwnCompany(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	s.file(discussions.Post{ObjectType: "P", ObjectID: 5}, discussions.Post{ObjectType: "P", ObjectID: 41})
	for _, address := range []string{"/api/2.0/products/5/discussions", "/api/2.0/products/5/discussions/1", "/api/2.0/products/41/discussions/1"} {
		s.do("GET", address, "", vendor).want(http.StatusNotFound)
	}
	s.do("POST", "/api/2.0/products/5/discussions", `{"message":"x"}`, vendor).want(http.StatusNotFound)
	s.do("POST", "/api/2.0/products/41/discussions", `{"object_id":5}`, vendor).names("object_id")
	s.do("POST", "/api/2.0/products/41/discussions", `{"thread_id":1}`, vendor).names("thread_id")
	s.do("POST", "/api/2.0/products/41/discussions", `{"message":"Thank you"}`, vendor).want(http.StatusCreated).is(`{"post_id":"3"}`)
	s.do("GET", "/api/2.0/products/41/discussions/3", "", vendor).want(http.StatusOK).is(`{"post_id":"3","thread_id":"2","name":"Vera Vendor","timestamp":"1715774400",` +
		`"user_id":"3","ip_address":"192.0.2.10","status":"A","message":"Thank you","rating_value":"","object_id":"41","object_type":"P","type":"B","company_id":"7","updated_at":"1715774400"}`)
	s.do("PUT", "/api/2.0/products/41/discussions/2", `{"status":"D"}`, vendor).want(http.StatusOK)
	s.do("DELETE", "/api/2.0/products/41/discussions/3", "", vendor).want(http.StatusNoContent)
	if got := s.list("/api/2.0/products/41/discussions", vendor); got != "2 of 1" {
		t.Errorf("the vendor's posts: %s", got)
	}
	ctx := shopapi.WithUser(t.Context(), users["vendor@example.com"])
	if list, total, err := s.Discussions.Find(ctx, discussions.Filter{}); err != nil || total != 1 || len(list) != 1 || list[0].CompanyID != 7 {
		t.Errorf("in Go: %+v, %d, %v", list, total, err)
	}
}

// decisions §11: under a storefront the list contains the posts of its company, and new
// ones are about its objects.
func TestDiscussions_UnderAStorefront(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiStorefront})
	s.file(discussions.Post{ObjectType: "P", ObjectID: 5}, discussions.Post{ObjectType: "P", ObjectID: 41}, discussions.Post{ObjectType: "E"})
	s.do("POST", "/api/2.0/stores/7/discussions", `{"object_type":"E","object_id":0}`).want(http.StatusCreated).is(`{"post_id":"4"}`)
	s.do("POST", "/api/2.0/stores/7/discussions", `{"object_type":"P","object_id":41}`).want(http.StatusCreated)
	s.do("POST", "/api/2.0/stores/7/discussions", `{"object_type":"P","object_id":5}`).names("object_id")
	s.do("POST", "/api/2.0/stores/7/discussions", `{"thread_id":1}`).names("thread_id")
	if got := s.list("/api/2.0/stores/7/discussions?sort_order=asc"); got != "2 4 5 of 3" {
		t.Errorf("of storefront 7: %s", got)
	}
	if got := s.list("/api/2.0/stores/1/discussions?sort_order=asc"); got != "1 3 of 2" {
		t.Errorf("of storefront 1: %s", got)
	}
	s.do("GET", "/api/2.0/stores/7/discussions/1", "").want(http.StatusNotFound)
}
