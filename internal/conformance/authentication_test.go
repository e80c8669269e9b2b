package conformance

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

func TestInterface_Authentication_EveryRequest(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	nobody := s.As("", "")
	for _, a := range []*apitest.Answer{
		nobody.Get("/api/2.0/categories"), nobody.Get("/api/2.0/categories/1"), nobody.Get("/api/2.0/nothing"),
		nobody.Post("/api/2.0/categories", `{"category": "Plates"}`), nobody.Put("/api/2.0/categories/1", `{"status": "D"}`),
		nobody.Delete("/api/2.0/categories/1"), nobody.Get("/api/"), nobody.Get("/api.php?_d=categories"),
	} {
		status(t, a, 401)
		if challenge := a.Header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, "Basic ") {
			t.Errorf("the challenge is %q, want Basic", challenge)
		}
	}
	same(t, s.Get("/api/2.0/categories/1").Field("status"), "A")
}

func TestInterface_Authentication_EmailAndKey(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Get("/api/2.0/categories"), 200)
	status(t, s.As(s.Email, "wrong").Get("/api/2.0/categories"), 401)
	status(t, s.As("other@example.com", s.Key).Get("/api/2.0/categories"), 401)
	status(t, s.As(s.Key, s.Email).Get("/api/2.0/categories"), 401)
}

func TestInterface_Authentication_WaysToSend(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	server := httptest.NewServer(s)
	defer server.Close()
	address := server.URL + "/api/2.0/categories/1"
	rows(t, map[string]func(req *http.Request){
		"header": func(req *http.Request) {
			req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(s.Email+":"+s.Key)))
		},
		"client-option": func(req *http.Request) { req.SetBasicAuth(s.Email, s.Key) },
		"url": func(req *http.Request) {
			u, err := url.Parse(strings.Replace(address, "://", "://"+strings.Replace(s.Email, "@", "%40", 1)+":"+s.Key+"@", 1))
			if err != nil {
				t.Fatal(err)
			}
			req.URL = u
		},
	}, func(t *testing.T, _ string, identify func(*http.Request)) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		identify(req)
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if answer, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 {
			t.Errorf("answered %s %s, %v", resp.Status, answer, err)
		}
	})
}

func TestInterface_Authentication_GroupsDecide(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	clerk := s.User()
	status(t, clerk.Get("/api/2.0/categories"), 403)
	groups, err := s.Users.Memberships(t.Context(), 2)
	if err != nil || len(groups) != 1 {
		t.Fatal(groups, err)
	}
	if err := s.Users.Groups().SetPrivileges(t.Context(), groups[0].UsergroupID, "view_catalog"); err != nil {
		t.Fatal(err)
	}
	status(t, clerk.Get("/api/2.0/categories"), 200)
	if err := s.Users.RemoveMembership(t.Context(), 2, groups[0].UsergroupID); err != nil {
		t.Fatal(err)
	}
	status(t, clerk.Get("/api/2.0/categories"), 403)
}

func TestInterface_Authentication_PrivilegesOfUsers(t *testing.T) {
	type row struct {
		ask             func(c *apitest.Client) *apitest.Answer
		reader, manager int // the statuses for users with view_users and manage_users
	}
	rows(t, map[string]row{
		"list":   {func(c *apitest.Client) *apitest.Answer { return c.Get("/api/2.0/users") }, 200, 403},
		"read":   {func(c *apitest.Client) *apitest.Answer { return c.Get("/api/2.0/users/2") }, 200, 403},
		"update": {func(c *apitest.Client) *apitest.Answer { return c.Put("/api/2.0/users/2", `{"firstname": "Ana"}`) }, 403, 200},
		"delete": {func(c *apitest.Client) *apitest.Answer { return c.Delete("/api/2.0/users/2") }, 403, 204},
		"create": {func(c *apitest.Client) *apitest.Answer {
			return c.Post("/api/2.0/users", `{"email": "bo@example.com", "user_type": "C"}`)
		}, 403, 201},
	}, func(t *testing.T, _ string, r row) {
		s := newShop(t, shopapi.Options{})
		status(t, s.Post("/api/2.0/users", `{"email": "ana@example.com", "user_type": "C"}`), 201)
		status(t, r.ask(s.User("view_users")), r.reader)
		status(t, r.ask(s.User("manage_users")), r.manager)
	})
}

// TestInterface_Errors_Statuses causes each of them.
func TestInterface_Errors_Statuses(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	status(t, s.Post("/api/2.0/exceptions", `{"product_id": 1, "combination": {"1": 6}}`), 201)
	rows(t, map[string][]*apitest.Answer{
		"200": {s.Get("/api/2.0/categories/1"), s.Get("/api/2.0/categories"), s.Put("/api/2.0/exceptions/1", `{"combination": {"1": 7}}`)},
		"201": {s.Post("/api/2.0/categories", `{"category": "Plates"}`)},
		"204": {s.Delete("/api/2.0/categories/2")},
		"400": {
			s.Post("/api/2.0/categories", `{"status": "A"}`), s.Put("/api/2.0/categories/1", `{"status": "X"}`),
			s.Delete("/api/2.0/exceptions/1?product_id=x"),
		},
		"404": {s.Delete("/api/2.0/categories/99"), s.Delete("/api/2.0/exceptions/99")},
		"405": {
			s.Post("/api/2.0/categories", `{}`), s.Post("/api/2.0/categories/1", `{"category": "Plates"}`),
			s.Put("/api/2.0/categories/1", `{}`), s.Put("/api/2.0/categories", `{"status": "D"}`), s.Delete("/api/2.0/categories"),
		},
	}, func(t *testing.T, name string, answers []*apitest.Answer) {
		want, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			status(t, a, want)
		}
	})
}

// TestInterface_Errors_TextOfExceptions describes the error.
func TestInterface_Errors_TextOfExceptions(t *testing.T) {
	s := newShop(t, shopapi.Options{})
	for body, want := range map[string]string{
		`{"combination": {"1": 6}}`:                   "product_id",
		`{"product_id": 1, "combination": {"1": -7}}`: "-1",
		`{"product_id": 99, "combination": {"1": 6}}`: "99",
	} {
		a := s.Post("/api/2.0/exceptions", body)
		status(t, a, 400)
		if !strings.Contains(a.Body, want) {
			t.Errorf("%s: %s does not speak of %s", body, a.Body, want)
		}
	}
}
