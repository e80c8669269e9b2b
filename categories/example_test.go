package categories_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/store/memory"
)

// A client creates a category and reads the list.
func Example() {
	ctx := context.Background()
	api := shopapi.New(&shopapi.Options{
		Clock: func() time.Time { return time.Unix(1700000000, 0) },
		Authenticator: shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			return &shopapi.User{Root: true}, nil
		}),
	})
	if _, err := categories.Register(ctx, api, memory.New()); err != nil {
		fmt.Println(err)
		return
	}
	send := func(method, path, body string) {
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.SetBasicAuth("admin@example.com", "key")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, req)
		fmt.Println(w.Code, w.Body)
	}
	send(http.MethodPost, "/api/2.0/categories", "category=Cups&status=D")
	send(http.MethodPut, "/api/2.0/categories/1", "status=A")
	send(http.MethodGet, "/api/2.0/categories", "")
	// Output:
	// 201 {"category_id":"1"}
	// 200 {"category_id":"1"}
	// 200 [{"category_id":"1","parent_id":"0","id_path":"1","category":"Cups","position":"10","status":"A","product_count":"0","company_id":"1","updated_at":"1700000000"}]
}

// The host's own code builds a tree, moves a part of it and shows it.
func ExampleCategories() {
	ctx := context.Background()
	tree, err := categories.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	add := func(parent int64, name string) int64 {
		c, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: name, ParentID: parent}})
		if err != nil {
			fmt.Println(err)
		}
		return c.CategoryID
	}
	tableware, kitchen := add(0, "Tableware"), add(0, "Kitchen")
	cups := add(tableware, "Cups")
	add(cups, "Mugs")

	_, err = tree.Update(ctx, cups, func(c *categories.Category) error {
		c.ParentID = kitchen
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	list, _, err := tree.Find(ctx, categories.Filter{})
	if err != nil {
		fmt.Println(err)
	}
	for _, c := range list {
		fmt.Println(c.IDPath, c.Name)
	}
	// Output:
	// 1 Tableware
	// 2 Kitchen
	// 2/3 Cups
	// 2/3/4 Mugs
}

// A package whose rows refer to categories refuses their deletion, or deletes its rows
// in the same transaction.
func ExampleCategories_Delete() {
	ctx := context.Background()
	api := shopapi.New(nil)
	tree, err := categories.Register(ctx, api, memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	api.RefuseDelete("categories", func(_ context.Context, ids []int64) error {
		return shopapi.Errorf(http.StatusBadRequest, "Banners show the categories %v.", ids)
	})
	cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(tree.Delete(ctx, cups.CategoryID))
	// Output: Banners show the categories [1].
}
