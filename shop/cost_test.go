package shop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
)

// repeated joins n texts with commas.
func repeated(n int, text func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = text(i)
	}
	return strings.Join(list, ",")
}

// A costShop has the category 1, the product 1, the payment method 1 and the shipping
// method 1. Its customer is the user 2.
type costShop struct{ *apitest.Shop }

func newCostShop(t *testing.T) costShop {
	t.Helper()
	s := costShop{apitest.New(t, nil)}
	s.fill(t)
	return s
}

func (s costShop) fill(t *testing.T) {
	t.Helper()
	s.post(t, "categories", `{"category": "Cups"}`)
	s.post(t, "products", `{"product": "Mug", "category_ids": [1], "price": "9.50", "amount": 1000}`)
	s.post(t, "users", `{"email": "ana@example.org", "user_type": "C", "firstname": "Ana"}`)
	s.post(t, "payments", `{"payment": "Invoice"}`)
	s.post(t, "shippings", `{"shipping": "Courier", "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`)
}

// post creates an object.
func (s costShop) post(t *testing.T, entity, payload string) *apitest.Answer {
	t.Helper()
	a := s.Post("/api/2.0/"+entity, payload)
	if a.Status != 201 {
		t.Fatalf("POST %s %.200s: %d %.400s", entity, payload, a.Status, a.Body)
	}
	return a
}

// refuses expects a 400 that names the field.
func (s costShop) refuses(t *testing.T, method, address, payload, field string) {
	t.Helper()
	a := s.Do(method, "/api/2.0/"+address, "application/json", payload)
	if a.Status != 400 || !strings.Contains(a.Body, field) {
		t.Errorf("%s %s %.200s: %d %.400s, want a 400 about %s", method, address, payload, a.Status, a.Body, field)
	}
}

// order is the payload of an order with lines.
func order(lines string) string {
	return `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": [` + lines + `]}`
}

// TestCost_Expressions: an expression whose program is large is refused, and so are more
// texts than can be matched in short time.
func TestCost_Expressions(t *testing.T) {
	s := newCostShop(t)
	const option = `{"product_id": 1, "option_name": "Text", "option_type": "T", "incorrect_message": "no", "regexp": %q}`
	for _, expression := range []string{
		"^(?:" + strings.Repeat(".?", 120) + "){7}$", "(a{30}){30}", "[a-z]{1,1000}",
	} {
		s.refuses(t, "POST", "options", fmt.Sprintf(option, expression), "regexp")
	}
	for _, expression := range []string{`^[A-Z][a-z]{1,20}(-\d+)?$`, `^\p{L}+$`, "(?=browser)", ".?.?.?x"} {
		s.post(t, "options", fmt.Sprintf(option, expression))
	}
	s = newCostShop(t)
	s.post(t, "options", fmt.Sprintf(option, "^(a?b?c?){15}[abc]*$"))
	line := func(size int) func(int) string {
		return func(i int) string {
			return fmt.Sprintf(`{"product_id": 1, "amount": 1, "product_options": {"1": "%sabc%s"}}`, strings.Repeat("a", i), strings.Repeat("c", size))
		}
	}
	s.post(t, "orders", order(repeated(3, line(100))))
	s.refuses(t, "POST", "orders", order(repeated(100, line(3000))), "too many texts")
}

// TestCost_Choices: an order does not repeat the long names of options in many lines beyond
// what it can be read with again.
func TestCost_Choices(t *testing.T) {
	s := newCostShop(t)
	for i := range 20 {
		s.post(t, "options", fmt.Sprintf(`{"product_id": 1, "option_name": "%d%s", "variants": [{"variant_name": %q}]}`, i, strings.Repeat("n", 200), strings.Repeat("v", 250)))
	}
	s.post(t, "options", `{"product_id": 1, "option_name": "Text", "option_type": "I"}`)
	line := func(i int) string {
		chosen := repeated(20, func(n int) string { return fmt.Sprintf(`"%d": %[1]d`, n+1) })
		return fmt.Sprintf(`{"product_id": 1, "amount": 1, "product_options": {%s, "21": "%d"}}`, chosen, i)
	}
	made := s.post(t, "orders", order(repeated(10, line)))
	if a := s.Get("/api/2.0/orders/" + made.Field("order_id")); a.Status != 200 {
		t.Errorf("the order is %d", a.Status)
	}
	s.refuses(t, "POST", "orders", order(repeated(500, line)), "product_options")
}

// TestCost_OptionsOfAProduct: a product has at most 100 options, and their variants are
// bounded together.
func TestCost_OptionsOfAProduct(t *testing.T) {
	s := newCostShop(t)
	variants := func(n int) string {
		return "[" + repeated(n, func(i int) string { return fmt.Sprintf(`{"variant_name": "%d"}`, i) }) + "]"
	}
	s.refuses(t, "POST", "options", `{"product_id": 1, "option_name": "Size", "variants": `+variants(1001)+`}`, "variants")
	for _, icons := range []string{`{"image_path": [%s]}`, `{"alt": [%s]}`} {
		icons = fmt.Sprintf(icons, repeated(1001, func(int) string { return `""` }))
		s.refuses(t, "POST", "options", `{"product_id": 1, "option_name": "Size", "variants": [], "main_pair": {"icon": `+icons+`}}`, "main_pair")
	}
	s.post(t, "options", `{"product_id": 1, "option_name": "Size", "variants": `+variants(1000)+`}`)
	s.post(t, "options", `{"product_id": 1, "option_name": "Colour", "variants": `+variants(950)+`}`)
	s.refuses(t, "POST", "options", `{"product_id": 1, "option_name": "Shape", "variants": `+variants(60)+`}`, "variants")
	for i := range 98 {
		s.post(t, "options", fmt.Sprintf(`{"product_id": 1, "option_name": "Text %d", "option_type": "I"}`, i))
	}
	s.refuses(t, "POST", "options", `{"product_id": 1, "option_name": "Text", "option_type": "I"}`, "product_id")
}

// TestCost_Shipments: an order has at most 250 shipments.
func TestCost_Shipments(t *testing.T) {
	s := newCostShop(t)
	made := s.post(t, "orders", order(`{"product_id": 1, "amount": 300}`))
	var shown struct {
		Products map[string]any `json:"products"`
	}
	s.Get("/api/2.0/orders/" + made.Field("order_id")).Decode(&shown)
	for item := range shown.Products {
		payload := fmt.Sprintf(`{"order_id": 1, "shipping_id": 1, "products": {"%s": 1}}`, item)
		for range 250 {
			s.post(t, "shipments", payload)
		}
		s.refuses(t, "POST", "shipments", payload, "order_id")
	}
}

// TestCost_Taxes: the taxes of an order have a limited number of rates together.
func TestCost_Taxes(t *testing.T) {
	s := newCostShop(t)
	rates := "[" + repeated(1000, func(i int) string {
		return fmt.Sprintf(`{"country": "DE", "zipcode": "%d", "rate_type": "P", "rate_value": "19"}`, i)
	}) + "]"
	for i := range 10 {
		s.post(t, "taxes", fmt.Sprintf(`{"tax": "Tax %d", "rates": %s}`, i, rates))
	}
	s.post(t, "products", `{"product": "Taxed", "category_ids": [1], "price": "1", "amount": 9, "tax_ids": [1]}`)
	s.post(t, "products", `{"product": "Much taxed", "category_ids": [1], "price": "1", "amount": 9, "tax_ids": [1,2,3,4,5,6,7,8,9,10]}`)
	s.post(t, "orders", order(`{"product_id": 2, "amount": 1}`))
	s.refuses(t, "POST", "orders", order(`{"product_id": 3, "amount": 1}`), "taxes")
}

// TestCost_Variants: a feature gets many variants in several requests.
func TestCost_Variants(t *testing.T) {
	s := newCostShop(t)
	variants := func(from, to int) string {
		return repeated(to-from, func(i int) string { return fmt.Sprintf(`{"variant": "%d"}`, from+i) })
	}
	s.refuses(t, "POST", "features", `{"description": "Brand", "feature_type": "E", "variants": [`+variants(0, 501)+`]}`, "variants")
	s.post(t, "features", `{"description": "Brand", "feature_type": "E", "variants": [`+variants(0, 500)+`]}`)
	known := repeated(500, func(i int) string { return fmt.Sprintf(`{"variant_id": %d}`, i+1) })
	if a := s.Put("/api/2.0/features/1", `{"variants": [`+known+`, `+variants(500, 900)+`]}`); a.Status != 200 {
		t.Errorf("more variants: %d %.300s", a.Status, a.Body)
	}
}

// TestCost_GeneratedVariations: a long product is not copied many times by one request.
func TestCost_GeneratedVariations(t *testing.T) {
	s := newCostShop(t)
	s.post(t, "features", `{"description": "Size", "feature_type": "S", "purpose": "group_catalog_item", "variants": [`+
		repeated(150, func(i int) string { return fmt.Sprintf(`{"variant": "%d"}`, i) })+`]}`)
	s.post(t, "products", fmt.Sprintf(`{"product": "Long", "category_ids": [1], "product_features": {"1": 1}, "full_description": %q, "promo_text": %[1]q}`, strings.Repeat("x", 60_000)))
	combinations := func(n int) string {
		return `{"combinations": [` + repeated(n, func(i int) string { return fmt.Sprintf(`{"1": %d}`, i+2) }) + `]}`
	}
	s.refuses(t, "POST", "product_variations/2/generate_product_variations", combinations(149), "combinations")
	if a := s.Post("/api/2.0/product_variations/2/generate_product_variations", combinations(5)); a.Status != 201 {
		t.Errorf("five copies: %d %.300s", a.Status, a.Body)
	}
}

// TestCost_Carts: the options of all lines of a cart are bounded together, so that a cart
// that several requests fill can be read.
func TestCost_Carts(t *testing.T) {
	s := newCostShop(t)
	for i := range 50 {
		s.post(t, "options", fmt.Sprintf(`{"product_id": 1, "option_name": "Text %d", "option_type": "T"}`, i))
	}
	line := func(i int) string {
		texts := repeated(50, func(n int) string { return fmt.Sprintf(`"%d": "%d%s"`, n+1, i, strings.Repeat("x", 4000)) })
		return `{"products": [{"product_id": 1, "amount": 1, "product_options": {` + texts + `}}]}`
	}
	for i := range 2 {
		if a := s.Put("/api/2.0/carts/2", line(i)); a.Status != 200 {
			t.Fatalf("line %d: %d %.300s", i, a.Status, a.Body)
		}
	}
	s.refuses(t, "PUT", "carts/2", line(2), "products")
	if a := s.Get("/api/2.0/carts/2"); a.Status != 200 {
		t.Errorf("the cart is answered %d %.300s", a.Status, a.Body)
	}
}

// TestCost_Rates: too many thresholds of a shipping method are counted before they are compared
// with each other.
func TestCost_Rates(t *testing.T) {
	s := newCostShop(t)
	for _, n := range []int{1001, 20_000} {
		steps := repeated(n, func(i int) string { return fmt.Sprintf(`"%d": {"value": 1}`, i) })
		for _, request := range []string{"POST shippings", "PUT shippings/1"} {
			method, address, _ := strings.Cut(request, " ")
			s.refuses(t, method, address, `{"shipping": "Courier", "rates": [{"destination_id": 1, "rate_value": {"C": {`+steps+`}}}]}`, "1000 thresholds")
		}
	}
}
