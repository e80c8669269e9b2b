package shopapi_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/shopapi/shopapi"
)

// A host whose staff signs in on its own pages lets their sessions use the API.
// Clients without a session send e-mail address and API key as before. Browsers send
// cookies with what other sites ask for, too: the API refuses such writes.
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

// Go code that acts for a user asks first what a request would be answered.
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
