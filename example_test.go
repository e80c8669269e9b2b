package shopapi_test

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/shopapi/shopapi"
)

// A Greeting is an object of the host's own entity.
type Greeting struct {
	ID   int64  `json:"greeting_id,string" bind:"-"`
	Text string `json:"text"`
}

// Greetings is an entity of a host. It has methods for its capabilities: PUT and DELETE
// get a 405.
type Greetings struct {
	mu   sync.Mutex
	rows []Greeting
}

var (
	_ shopapi.Lister  = (*Greetings)(nil)
	_ shopapi.Getter  = (*Greetings)(nil)
	_ shopapi.Creator = (*Greetings)(nil)
)

func (g *Greetings) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "greetings",
		IDField:    "greeting_id",
		Privileges: shopapi.Privileges{View: "view_greetings", Manage: "manage_greetings"},
	}
}

func (g *Greetings) List(context.Context, *shopapi.Request) (any, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Greeting{}, g.rows...), nil
}

func (g *Greetings) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("greeting", id)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n > int64(len(g.rows)) {
		return nil, shopapi.NotFound("greeting", id)
	}
	return g.rows[n-1], nil
}

func (g *Greetings) Create(_ context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var row Greeting
	if err := r.Bind(&row); err != nil {
		return shopapi.Reply{}, err
	}
	if row.Text == "" {
		return shopapi.Reply{}, shopapi.Invalid("text", "must not be empty")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	row.ID = int64(len(g.rows) + 1)
	g.rows = append(g.rows, row)
	return shopapi.Reply{ID: shopapi.FormatID(row.ID)}, nil
}

// staff lets one administrator in.
var staff = shopapi.AuthenticatorFunc(func(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	if c.Email != "admin@example.com" || subtle.ConstantTimeCompare([]byte(c.Key), []byte("example-key")) != 1 {
		return nil, shopapi.ErrBadCredentials
	}
	return &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}, nil
})

// ask sends a request as the administrator and prints the answer.
func ask(h http.Handler, method, address, body string) {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	r.SetBasicAuth("admin@example.com", "example-key")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
}

// A shop mounts the API beside its own pages.
func Example() {
	api := shopapi.New(&shopapi.Options{Authenticator: staff})
	if err := api.Register(&Greetings{rows: []Greeting{{ID: 1, Text: "Hello"}}}); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	mux.Handle("/api.php", api)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "Welcome to the shop.") })

	ask(mux, "GET", "/", "")
	ask(mux, "GET", "/api/2.0/greetings/1", "")
	ask(mux, "GET", "/api.php?_d=greetings/1", "")
	// Output:
	// 200 Welcome to the shop.
	// 200 {"greeting_id":"1","text":"Hello"}
	// 200 {"greeting_id":"1","text":"Hello"}
}

// An entity of the host's own takes part in everything: authentication, formats,
// errors, and the methods it has.
func ExampleAPI_Register() {
	api := shopapi.New(&shopapi.Options{Authenticator: staff})
	if err := api.Register(&Greetings{}); err != nil {
		log.Fatal(err)
	}

	ask(api, "POST", "/api/2.0/greetings", "text=Good+morning")
	ask(api, "POST", "/api/2.0/greetings", "text=")
	ask(api, "GET", "/api/2.0/greetings", "")
	ask(api, "DELETE", "/api/2.0/greetings/1", "")
	// Output:
	// 201 {"greeting_id":"1"}
	// 400 {"message":"text must not be empty.","status":400,"errors":{"text":"must not be empty"}}
	// 200 [{"greeting_id":"1","text":"Good morning"}]
	// 405 {"message":"The method is not allowed here. Allowed: GET, HEAD.","status":405}
}

// A host with its own users returns the user of credentials, and the privileges of the
// user's groups.
func ExampleAuthenticatorFunc() {
	authenticate := shopapi.AuthenticatorFunc(func(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
		// Look the user up in the host's own table here, and compare hashes of keys.
		if !strings.EqualFold(c.Email, "admin@example.com") || c.Key != "example-key" {
			return nil, shopapi.ErrBadCredentials
		}
		return &shopapi.User{
			ID: 7, Email: c.Email, Type: shopapi.Administrator,
			Privileges: map[string]bool{"view_greetings": true},
		}, nil
	})
	api := shopapi.New(&shopapi.Options{Authenticator: authenticate})
	if err := api.Register(&Greetings{}); err != nil {
		log.Fatal(err)
	}

	ask(api, "GET", "/api/2.0/greetings", "")
	ask(api, "POST", "/api/2.0/greetings", "text=Hello")
	// Output:
	// 200 []
	// 403 {"message":"Your user groups do not have the privilege manage_greetings.","status":403}
}

// A failure names every field at fault.
func ExampleProblems() {
	var p shopapi.Problems
	p.OneOf("status", "X", "A", "D", "H")
	p.Add("position", "must be a whole number from 0")
	err := p.Err()

	var told *shopapi.Error
	if errors.As(err, &told) {
		fmt.Println(told.Status, told.Message)
	}
	// Output:
	// 400 status must be one of A, D, H, not "X"; position must be a whole number from 0.
}

// A host whose staff signs in on its own pages accepts their sessions in the API. Clients
// without a session send e-mail address and API key as before. Browsers send cookies with
// requests from other sites, too: the API refuses such writes.
func ExampleOptions_identify() {
	sessions := map[string]*shopapi.User{
		"4711": {ID: 7, Type: shopapi.Administrator, Privileges: map[string]bool{"view_greetings": true}},
	}
	api := shopapi.New(&shopapi.Options{
		Authenticator: staff,
		Identify: func(r *http.Request) (*shopapi.User, error) {
			cookie, err := r.Cookie("session")
			if err != nil {
				return nil, nil // no session: Basic decides
			}
			user, ok := sessions[cookie.Value]
			if !ok {
				return nil, shopapi.Errorf(http.StatusUnauthorized, "The session is over. Sign in again.")
			}
			return user, nil
		},
	})
	if err := api.Register(&Greetings{}); err != nil {
		log.Fatal(err)
	}
	for _, session := range []string{"4711", "expired"} {
		r := httptest.NewRequest("GET", "/api/2.0/greetings", nil)
		r.AddCookie(&http.Cookie{Name: "session", Value: session})
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	ask(api, "GET", "/api/2.0/greetings", "")
	// Output:
	// 200 []
	// 401 {"message":"The session is over. Sign in again.","status":401}
	// 200 []
}

// One line per request, as metrics and access logs need it.
func ExampleOptions_completed() {
	api := shopapi.New(&shopapi.Options{
		Authenticator: staff,
		Completed: func(r *http.Request, c shopapi.Completion) {
			path := strings.Join(append(c.Parents, c.Entity), "/")
			fmt.Printf("%s %q %q %d, %d bytes\n", r.Method, path, c.Operation, c.Status, c.Bytes)
		},
	})
	if err := api.Register(&Greetings{}); err != nil {
		log.Fatal(err)
	}

	for _, address := range []string{"/api/2.0/greetings", "/api/2.0/greetings/1", "/api/2.0/farewells"} {
		r := httptest.NewRequest("GET", address, nil)
		r.SetBasicAuth("admin@example.com", "example-key")
		api.ServeHTTP(httptest.NewRecorder(), r)
	}
	// Output:
	// GET "greetings" "list" 200, 2 bytes
	// GET "greetings" "get" 404, 66 bytes
	// GET "" "" 404, 66 bytes
}

// A tracing middleware names its spans by what requests ask for, not by their
// paths, which have ids in them.
func ExampleAPI_Match() {
	api := shopapi.New(&shopapi.Options{Authenticator: staff})
	if err := api.Register(&Greetings{}); err != nil {
		log.Fatal(err)
	}
	span := func(r *http.Request) string {
		route, ok := api.Match(r)
		if !ok {
			return "unknown"
		}
		return fmt.Sprintf("%s %s", route.Entity, route.Operation)
	}
	fmt.Println(span(httptest.NewRequest("GET", "/api/2.0/greetings/1", nil)))
	fmt.Println(span(httptest.NewRequest("POST", "/api.php?_d=greetings", nil)))
	fmt.Println(span(httptest.NewRequest("GET", "/favicon.ico", nil)))
	// Output:
	// greetings get
	// greetings create
	// unknown
}

// Go code that acts for a user first checks the user's privileges.
func ExampleAPI_Authorize() {
	api := shopapi.New(&shopapi.Options{Authenticator: staff})
	if err := api.Register(&Greetings{}); err != nil {
		log.Fatal(err)
	}
	ctx := shopapi.WithUser(context.Background(), &shopapi.User{
		ID: 7, Type: shopapi.Administrator, Privileges: map[string]bool{"view_greetings": true},
	})
	fmt.Println(api.Authorize(ctx, "greetings", shopapi.OpList))
	err := api.Authorize(ctx, "greetings", shopapi.OpCreate)
	var told *shopapi.Error
	if errors.As(err, &told) {
		fmt.Println(told.Status, told.Message)
	}
	// Output:
	// <nil>
	// 403 Your user groups do not have the privilege manage_greetings.
}
