package users_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A new shop gets its first administrator, whose key opens the API.
func ExampleEnsureRoot() {
	ctx, st := context.Background(), memory.New()
	key, created, err := users.EnsureRoot(ctx, st, "admin@shop.example")
	if err != nil {
		panic(err)
	}
	api := shopapi.New(&shopapi.Options{Authenticator: users.NewAuthenticator(st)})
	if _, err := users.Register(ctx, api, st); err != nil {
		panic(err)
	}
	if created {
		fmt.Println("Write down the key of admin@shop.example; it is not shown again.")
	}

	req := httptest.NewRequest(http.MethodGet, "/api/2.0/users?email=admin", nil)
	req.SetBasicAuth("admin@shop.example", key)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, req)
	fmt.Println(w.Code)
	// Output:
	// Write down the key of admin@shop.example; it is not shown again.
	// 200
}

// A clerk gets the privileges of a group, and a key.
func ExampleUsers_GenerateKey() {
	ctx, st := context.Background(), memory.New()
	u, err := users.Register(ctx, shopapi.New(nil), st)
	if err != nil {
		panic(err)
	}
	clerk, err := u.Create(ctx, users.User{Summary: users.Summary{Email: "clerk@shop.example", UserType: shopapi.Administrator}}, "")
	if err != nil {
		panic(err)
	}
	group, err := u.Groups().Create(ctx, users.Group{
		Name: "Clerks", Type: shopapi.Administrator, Status: users.Active, Privileges: "view_catalog,view_orders",
	})
	if err != nil {
		panic(err)
	}
	if err := u.SetMembership(ctx, clerk.UserID, group.UsergroupID, users.Member); err != nil {
		panic(err)
	}
	key, err := u.GenerateKey(ctx, clerk.UserID)
	if err != nil {
		panic(err)
	}

	who, err := users.NewAuthenticator(st).Authenticate(ctx, shopapi.Credentials{Email: "Clerk@shop.example", Key: key})
	if err != nil {
		panic(err)
	}
	fmt.Println(who.Can("view_orders"), who.Can("manage_orders"))
	// Output: true false
}
