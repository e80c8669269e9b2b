package shop_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// want ends the test unless an answer has the status and the text in its body.
func want(t *testing.T, a *apitest.Answer, status int, text string) {
	t.Helper()
	if a.Status != status || !strings.Contains(a.Body, text) {
		t.Fatalf("answered %d %.400s, want %d with %q", a.Status, a.Body, status, text)
	}
}

// sendWith sends a JSON body with a header.
func sendWith(t *testing.T, s *apitest.Shop, method, address, name, value, body string) *apitest.Answer {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(name, value)
	req.SetBasicAuth(s.Email, s.Key)
	return s.Send(req)
}

// openWithProducts opens a shop with the category 1 and products with the codes.
func openWithProducts(t *testing.T, st store.Store, o *shop.Options, codes ...string) *apitest.Shop {
	t.Helper()
	s := apitest.NewWithStore(t, st, o)
	want(t, s.Post("/api/2.0/categories", `{"category": "Mugs"}`), 201, "")
	for _, code := range codes {
		want(t, s.Post("/api/2.0/products", `{"product": "Mug", "price": 3, "category_ids": [1], "product_code": "`+code+`"}`), 201, "")
	}
	return s
}

// E2: a code can replace the id of a product in each form of addresses.
func TestE2_CodesInAddresses(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := openWithProducts(t, st, nil, "MUG-41", "a/b", "50%", "code:x", "twice", "twice", "Übergröße", "none of them")
		for _, test := range []struct {
			address string
			status  int
			text    string
		}{
			{"/api/2.0/products/code:MUG-41", 200, `"product_id":"1"`},
			{"/api/products/code%3AMUG-41", 200, `"product_id":"1"`},
			{"/api/2.0/products/code:a%2Fb", 200, `"product_id":"2"`},
			{"/api.php?_d=products/code:a%252Fb", 200, `"product_id":"2"`},
			{"/api.php?_d=2.0/products/code:50%2525", 200, `"product_id":"3"`},
			{"/api/2.0/products/code:50%25", 200, `"product_id":"3"`},
			{"/api.php?_d=products/code:50%25", 404, ""}, // 50% is not a valid encoding
			{"/api.php?_d=products/code:50%25zz", 404, ""},
			{"/api.php?_d=products/code:%2500", 404, ""},
			{"/api/2.0/products/code:code:x", 200, `"product_id":"4"`},
			{"/api/2.0/products/code:%C3%9Cbergr%C3%B6%C3%9Fe", 200, `"product_id":"7"`},
			{"/api/2.0/products/code:none%20of%20them", 200, `"product_id":"8"`},
			{"/api/2.0/products/code:mug-41", 404, "product_code"}, // as pcode_exact compares
			{"/api/2.0/products/code:MUG", 404, ""},
			{"/api/2.0/products/code:", 404, ""},
			{"/api/2.0/products/CODE:MUG-41", 404, ""},
			{"/api/2.0/categories/code:MUG-41", 404, ""},
			{"/api/2.0/products/code:twice", 409, "5, 6"},
			{"/api/2.0/products/code:MUG-41/options", 200, ""},
			{"/api/2.0/products/code:MUG-41/features", 200, ""},
			{"/api/2.0/categories/1/products/code:MUG-41", 200, `"product_id":"1"`},
			{"/api/2.0/categories/2/products/code:MUG-41", 404, ""},
			{"/api/2.0/products/code:MUG-41?fields=product_code", 200, `{"product_id":"1","product_code":"MUG-41"}`},
		} {
			if a := s.Get(test.address); a.Status != test.status || !strings.Contains(a.Body, test.text) {
				t.Errorf("%s is answered %d %.200s, want %d with %q", test.address, a.Status, a.Body, test.status, test.text)
			}
		}
	})
}

// E2: a change finds its product in its own transaction, and everything after that is as
// with the id.
func TestE2_Changes(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		var events []string
		o := &shop.Options{Options: shopapi.Options{Observer: func(_ context.Context, e shopapi.Event) {
			events = append(events, e.Entity+" "+e.ID+" "+string(e.Operation))
		}}}
		s := openWithProducts(t, st, o, "MUG-41", "twice", "twice")
		tag := s.Get("/api/2.0/products/1").Header.Get("Etag")
		if byCode := s.Get("/api/2.0/products/code:MUG-41").Header.Get("Etag"); byCode != tag {
			t.Errorf("the ETag is %s by code and %s by id", byCode, tag)
		}
		put := func(address, match, body string) *apitest.Answer {
			return sendWith(t, s, "PUT", address, "If-Match", match, body)
		}
		want(t, put("/api/2.0/products/code:MUG-41", `"other"`, `{"price": 4}`), 412, "")
		changed := put("/api/2.0/products/code:MUG-41", tag, `{"price": 4}`)
		want(t, changed, 200, `"product_id":"1"`)
		if now := s.Get("/api/2.0/products/1").Header.Get("Etag"); changed.Header.Get("Etag") != now {
			t.Errorf("PUT answers the ETag %s, GET %s", changed.Header.Get("Etag"), now)
		}
		want(t, s.Put("/api/2.0/products/code:twice", `{"price": 4}`), 409, "2, 3")
		want(t, s.Put("/api/2.0/products/code:missing", `{"price": 4}`), 404, "")
		want(t, s.Put("/api/2.0/products/code:MUG-41", `{"price": "dear"}`), 400, "price")
		want(t, s.Post("/api/2.0/products/code:MUG-41/options", `{"option_name": "Size", "option_type": "I"}`), 201, "option_id")
		want(t, s.Post("/api/2.0/products/code:MUG-41", `{}`), 405, "")
		want(t, s.Delete("/api/2.0/products/code:MUG-41"), 204, "")
		want(t, s.Get("/api/2.0/products/code:MUG-41"), 404, "")
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(events[len(events)-3:], ", "), "products 1 update, options 1 create, products 1 delete"; got != want {
			t.Errorf("the last events are %s, want %s", got, want)
		}
	})
}

// E2: an idempotency key holds for the product, by whichever name.
func TestE2_IdempotencyKeys(t *testing.T) {
	t.Parallel()
	s := openWithProducts(t, shoptest.Memory(t), nil, "MUG-41")
	for _, address := range []string{"/api/2.0/products/code:MUG-41/options", "/api/2.0/products/1/options"} {
		want(t, sendWith(t, s, "POST", address, "Idempotency-Key", "one", `{"option_name": "Size", "option_type": "I"}`), 201, `"option_id":"1"`)
	}
}

// E2: below products common products count where nothing else has the code, below
// master_products alone; vendors find their own rows.
func TestE2_MastersAndOffers(t *testing.T) {
	t.Parallel()
	o := &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}}
	s := openWithProducts(t, shoptest.Memory(t), o, "SHARED", "OWN")
	for _, body := range []string{
		`{"product": "Kettle", "price": 3, "category_ids": [1], "product_code": "SHARED"}`, // 3
		`{"product": "Pot", "price": 3, "category_ids": [1], "product_code": "COMMON"}`,    // 4
	} {
		want(t, s.Post("/api/2.0/master_products", body), 201, "")
	}
	want(t, s.Post("/api/2.0/master_products/code:COMMON/master_product_offers", `{"company_id": 1, "product_code": "OFFER"}`), 201, `"product_id":"5"`)
	for _, test := range []struct {
		address string
		status  int
		text    string
	}{
		{"/api/2.0/products/code:SHARED", 200, `"product_id":"1"`},
		{"/api/2.0/products/code:COMMON", 200, `"product_id":"4"`},
		{"/api/2.0/master_products/code:SHARED", 200, `"product_id":"3"`},
		{"/api/2.0/master_products/code:OWN", 404, ""},
		{"/api/2.0/products/code:OFFER", 200, `"product_id":"5"`},
		{"/api/2.0/master_products/4/master_product_offers/code:OFFER", 200, `"product_id":"5"`},
		{"/api/2.0/master_products/code:COMMON/master_product_offers/code:OWN", 404, ""},
		{"/api/2.0/product_variations/code:OWN", 404, ""}, // it is in no group
	} {
		if a := s.Get(test.address); a.Status != test.status || !strings.Contains(a.Body, test.text) {
			t.Errorf("%s is answered %d %.200s, want %d with %q", test.address, a.Status, a.Body, test.status, test.text)
		}
	}
}

// E2: images are stored before the transaction, once, for the product that has the code.
func TestE2_Images(t *testing.T) {
	t.Parallel()
	var asked []string
	o := &shop.Options{Options: shopapi.Options{StoreImage: func(_ context.Context, entity, reference string) (string, error) {
		asked = append(asked, entity+" "+reference)
		return "images/stored.jpg", nil
	}}}
	s := openWithProducts(t, shoptest.Memory(t), o, "MUG-41")
	body := `{"main_pair": {"detailed": {"image_path": "https://img.example/a.jpg"}}}`
	want(t, s.Put("/api/2.0/products/code:MUG-41", body), 200, "")
	want(t, s.Put("/api/2.0/products/code:missing", body), 404, "")
	if got := strings.Join(asked, ", "); got != "products https://img.example/a.jpg" {
		t.Errorf("StoreImage was asked for %q", got)
	}
	if got := s.Get("/api/2.0/products/1").Body; !strings.Contains(got, "images/stored.jpg") {
		t.Errorf("the product is %s", got)
	}
}
