// Command client reads a product with the generated client. TestClient compiles it
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
	answer, err := c.ProductsGetWithResponse(ctx, "1", nil)
	if err != nil {
		return err
	}
	if answer.JSON200 == nil {
		return fmt.Errorf("GET of a product answers %s: %s", answer.Status(), answer.Body)
	}
	fmt.Printf("%s costs %s\n", answer.JSON200.Product, answer.JSON200.Price)
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
