package shop_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A program mounts the whole API, and uses the same entities from Go. A program that keeps
// its data opens the store with sqlite.Open or postgres.Open.
func Example() {
	ctx := context.Background()
	st := memory.New()
	admin, err := shop.New(ctx, st, nil)
	if err != nil {
		panic(err)
	}
	key, _, err := users.EnsureRoot(ctx, st, "owner@example.com")
	if err != nil {
		panic(err)
	}
	if _, err := admin.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}}); err != nil {
		panic(err)
	}

	mux := http.NewServeMux()
	mux.Handle("/api/", admin)
	mux.Handle("/api.php", admin)

	request := httptest.NewRequest(http.MethodGet, "/api/2.0/categories?fields=category", nil)
	request.SetBasicAuth("owner@example.com", key)
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, request)
	fmt.Println(answer.Code, answer.Body)
	// Output:
	// 200 [{"category_id":"1","category":"Cups"}]
}
