package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// drawing is an image that the test's server serves, to which products refer.
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="#e8e2d4"/>` +
	`<path d="M10 12h17v12a6 6 0 0 1-6 6h-5a6 6 0 0 1-6-6z" fill="#3d6b66"/><path d="M27 15h3a4 4 0 0 1 0 8h-3" fill="none" stroke="#3d6b66" stroke-width="2.500"/></svg>`

func serveDrawing(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	fmt.Fprint(w, drawing)
}

// newShop returns a pottery shop with a tree, products, a review, and orders of the last
// thirty days.
func newShop(t *testing.T) *apitest.Shop {
	t.Helper()
	return newShopWith(t, nil)
}

// everything are options with all that the console uses beyond the interface.
func everything() *shop.Options {
	return &shop.Options{
		Options: shopapi.Options{
			Compress:    true,
			StoreUpload: func(context.Context, string, string, io.Reader) (string, error) { return "/drawing.svg", nil },
		},
		Access:  access.Options{On: true, Document: apidoc.RegisterCaller},
		Keys:    users.KeyOptions{On: true},
		Reports: orders.ReportOptions{On: true},
		Batch:   true,
		Export:  true,
		Changes: changes.Options{Mode: changes.On},
	}
}

// newShopWith is newShop with options.
func newShopWith(t testing.TB, opts *shop.Options) *apitest.Shop {
	t.Helper()
	return newShopOver(t, memory.New(), opts)
}

// newShopOver is newShopWith over another store.
func newShopOver(t testing.TB, st store.Store, opts *shop.Options) *apitest.Shop {
	t.Helper()
	s := apitest.NewWithStore(t, st, opts)
	now := time.Now()
	s.Clock.Set(now.Add(-31 * 24 * time.Hour))
	post := func(entity, body string) *apitest.Answer {
		t.Helper()
		a := s.Post("/api/2.0/"+entity, body)
		if a.Status != 201 {
			t.Fatalf("POST %s %s answers %d %s", entity, body, a.Status, a.Body)
		}
		return a
	}
	for i, name := range []string{"Tableware", "Cups", "Plates", "Bowls", "Kitchen", "Storage", "Garden", "Pots"} {
		parent := []int{0, 1, 1, 1, 0, 5, 0, 7}[i]
		post("categories", fmt.Sprintf(`{"category": %q, "parent_id": %d}`, name, parent))
	}
	glazes := []string{"Celadon", "Cobalt", "Ash", "Tenmoku", "Shino", "Oatmeal"}
	for i := range 24 {
		form := []struct {
			name     string
			category int
		}{{"mug", 2}, {"dinner plate", 3}, {"serving bowl", 4}, {"storage jar", 6}, {"flower pot", 8}}[i%5]
		status := "A"
		if i%9 == 7 {
			status = "H"
		}
		post("products", fmt.Sprintf(`{"product": "%s %s", "category_ids": [%d], "price": "%d.%d0", "amount": %d, "status": %q, "product_code": "P-%03d",
			"main_pair": {"detailed": {"image_path": "/drawing.svg", "alt": "A %[2]s"}}}`,
			glazes[i%len(glazes)], form.name, form.category, 12+i*7%60, i%10, 500+i*13%40, status, 100+i))
	}
	post("products/1/discussions", `{"name": "Ana", "message": "Keeps tea warm for an hour.", "rating_value": 5}`)
	post("payments", `{"payment": "Bank transfer"}`)
	post("shippings", `{"shipping": "Parcel"}`)
	for day := range 30 {
		s.Clock.Set(now.Add(time.Duration(day-29) * 24 * time.Hour))
		for n := range 2 + day*5%7 {
			id := post("orders", fmt.Sprintf(`{"payment_id": 1, "shipping_id": 1, "products": {"%d": {"amount": %d}}, "user_id": 0, "user_data": {"email": "kim%d@example.com",
				"b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
				"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`,
				1+(day+n)%24, 1+n%3, day)).Field("order_id")
			if status := []string{"P", "C", "C", "O", "F"}[(day+n)%5]; status != "O" {
				s.Put("/api/2.0/orders/"+id, fmt.Sprintf(`{"status": %q}`, status))
			}
		}
	}
	s.Clock.Set(now)
	return s
}
