package shop_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// aList is the address of a page of 100 products.
const aList = "/api/2.0/products?items_per_page=100&sort_by=id"

// fillCatalogue creates 100 products with five features, a main pair and two categories,
// and one more with 200 features and 20 options. It returns the address of the last.
func fillCatalogue(t testing.TB, s *apitest.Client) string {
	t.Helper()
	made := func(entity, body string) {
		if answer := s.Post("/api/2.0/"+entity, body); answer.Status != http.StatusCreated {
			t.Fatalf("POST %s %.200s is answered %d %.500s", entity, body, answer.Status, answer.Body)
		}
	}
	for n := range 10 {
		made("categories", fmt.Sprintf(`{"category": "Category %d", "parent_id": %d}`, n, n/5))
	}
	for n := range 200 {
		made("features", fmt.Sprintf(`{"description": "Feature %d", "feature_type": "S", "variants": [
			{"variant": "First %[1]d", "image_pair": {"icon": {"image_path": "https://img.example/%[1]d.png"}}}, {"variant": "Second %[1]d"}, {"variant": "Third %[1]d"}]}`, n))
	}
	values := func(features, n int) string {
		list := make([]string, features)
		for i := range list {
			list[i] = fmt.Sprintf(`"%d": %d`, i+1, 3*i+1+n%3)
		}
		return strings.Join(list, ", ")
	}
	product := func(n, features int) {
		made("products", fmt.Sprintf(`{"product": "Product %d", "price": "12.50", "category_ids": [%d, %d], "product_features": {%s},
			"main_pair": {"detailed": {"image_path": "https://img.example/p%[1]d.jpg", "alt": "Product %[1]d"}}}`, n, n%10+1, (n+3)%10+1, values(features, n)))
	}
	for n := range 100 {
		product(n, 5)
	}
	product(100, 200)
	for n := range 20 {
		made("options", fmt.Sprintf(`{"product_id": 101, "option_name": "Option %d", "option_type": "S", "variants": [
			{"variant_name": "A"}, {"variant_name": "B", "modifier": "1.5"}, {"variant_name": "C"}]}`, n))
	}
	return "/api/2.0/products/101"
}

// Without caches, a list of 100 products with features, main pair and categories takes at
// most six reads. A product with 200 features and 20 options takes seven: its sales too.
func TestCatalogue_FewReads(t *testing.T) {
	counted := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	s := apitest.NewWithStore(t, unclosed{counted}, nil)
	one := fillCatalogue(t, s.Client)
	for _, address := range []string{aList, aList + "&cid=1&subcats=Y", one} {
		most := int64(6)
		if address == one {
			most = 7
		}
		var answer *apitest.Answer
		if n := counted.In(func() { answer = s.Get(address) }); n > most {
			t.Errorf("%s takes %d reads", address, n)
		}
		for _, shown := range []string{`"main_pair":{"pair_id"`, `"variant":"`, `"seo_path":"`} {
			if answer.Status != http.StatusOK || !strings.Contains(answer.Body, shown) {
				t.Errorf("%s is answered %d without %s", address, answer.Status, shown)
			}
		}
	}
}

// An unclosed is a store whose Close does nothing.
type unclosed struct{ *shoptest.CountingStore }

func (unclosed) Close() error { return nil }
