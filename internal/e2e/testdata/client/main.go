// Command client uses the generated client: a list, a create, an ETag and an error. TestClient compiles it
// beside the client.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.invalid/client/shop"
)

func main() {
	if err := run(context.Background(), os.Getenv("SHOP_URL"), os.Getenv("SHOP_EMAIL"), os.Getenv("SHOP_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, email, key string) error {
	c, err := shop.NewClientWithResponses(url, shop.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.SetBasicAuth(email, key)
		return nil
	}))
	if err != nil {
		return err
	}
	size := 5
	list, err := c.ProductsListWithResponse(ctx, &shop.ProductsListParams{ItemsPerPage: &size})
	if err != nil {
		return err
	}
	if list.JSON200 == nil {
		return fmt.Errorf("GET of the products answers %s: %s", list.Status(), list.Body)
	}
	for _, p := range list.JSON200.Products {
		fmt.Printf("%s costs %s\n", p.Product, p.Price)
	}
	if err := change(ctx, c); err != nil {
		return err
	}
	missing, err := c.ProductsGetWithResponse(ctx, "77", nil)
	if err != nil {
		return err
	}
	if missing.JSON404 == nil {
		return fmt.Errorf("GET of no product answers %s: %s", missing.Status(), missing.Body)
	}
	fmt.Println(missing.JSON404.Message)
	return nil
}

// change creates a category, and changes it as long as nobody else did.
func change(ctx context.Context, c *shop.ClientWithResponses) error {
	made, err := c.CategoriesCreateWithResponse(ctx, nil, shop.CategoriesCreateJSONRequestBody{Category: "Plates"})
	if err != nil {
		return err
	}
	if made.JSON201 == nil {
		return fmt.Errorf("POST of a category answers %s: %s", made.Status(), made.Body)
	}
	id := made.JSON201.CategoryId
	fmt.Println("created", id)
	read, err := c.CategoriesGetWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	tag := read.HTTPResponse.Header.Get("ETag")
	bowls, jugs := "Bowls", "Jugs"
	unchanged := &shop.CategoriesUpdateParams{IfMatch: &tag}
	changed, err := c.CategoriesUpdateWithResponse(ctx, id, unchanged, shop.CategoriesUpdateJSONRequestBody{Category: &bowls})
	if err != nil {
		return err
	}
	late, err := c.CategoriesUpdateWithResponse(ctx, id, unchanged, shop.CategoriesUpdateJSONRequestBody{Category: &jugs})
	if err != nil {
		return err
	}
	fmt.Println(changed.StatusCode(), late.StatusCode())
	return nil
}
