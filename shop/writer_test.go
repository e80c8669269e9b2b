//go:build !race

package shop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// mostHeld is how long one operation may hold the writer, on a machine that does the work
// of [calibrate] in nominal.
const (
	mostHeld = 100 * time.Millisecond
	nominal  = 5 * time.Millisecond
)

// A writerShop is a shop on an SQLite file whose Updates are measured.
type writerShop struct {
	costShop
	t        *testing.T
	watchdog *shoptest.Watchdog
	most     time.Duration
}

func newWriterShop(t *testing.T) *writerShop {
	t.Helper()
	path := t.TempDir() + "/shop.db"
	shoptest.NewFile(t, path)
	watchdog := shoptest.Watch(openFile(t, path))
	s := &writerShop{costShop{apitest.NewWithStore(t, watchdog, &shop.Options{Batch: true})}, t, watchdog, mostHeld}
	s.fill(t)
	if !longAttacks {
		return s
	}
	if measured := s.calibrate(); measured > nominal {
		s.most = time.Duration(float64(mostHeld) * float64(measured) / float64(nominal))
		t.Logf("this machine takes %v for the work of %v: operations may take %v", measured, nominal, s.most)
	}
	return s
}

// besideOthers has a test of the writer run in parallel where no time is checked.
func besideOthers(t *testing.T) {
	if !longAttacks {
		t.Parallel()
	}
}

// calibrate returns the time of a fixed amount of writing.
func (s *writerShop) calibrate() time.Duration {
	type row struct {
		ID   int64  `json:"id" store:"key"`
		Text string `json:"text" store:"index"`
	}
	table := store.MustTable[row]("calibration")
	if err := s.watchdog.Migrate(s.t.Context(), table.Schema()); err != nil {
		s.t.Fatal(err)
	}
	least := time.Hour
	for range 3 {
		s.watchdog.Longest()
		err := s.watchdog.Update(s.t.Context(), func(_ context.Context, tx store.Tx) error {
			for i := range 1000 {
				if err := table.Insert(tx, &row{Text: fmt.Sprintf("%d %s", i%97, strings.Repeat("x", 200))}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
		least = min(least, s.watchdog.Longest())
	}
	return least
}

// holds sends a request whose answer has the status, and checks how long it holds the
// writer.
func (s *writerShop) holds(name, method, address, body string, status int) *apitest.Answer {
	s.t.Helper()
	var a *apitest.Answer
	s.during(name, func() { a = s.Do(method, "/api/2.0/"+address, "application/json", body) })
	if a.Status != status {
		s.t.Errorf("%s: %d %.300s, want %d", name, a.Status, a.Body, status)
	}
	return a
}

// during checks how long an operation holds the writer.
func (s *writerShop) during(name string, operation func()) {
	s.t.Helper()
	s.watchdog.Longest()
	began := time.Now()
	operation()
	took := time.Since(began)
	held := s.watchdog.Longest()
	if longAttacks && held > s.most {
		s.t.Errorf("%s holds the writer for %v, longer than %v", name, held, s.most)
	}
	s.t.Logf("%-50s %6.1f ms of %6.1f ms", name, ms(held), ms(took))
}

// TestWriter_IsHeldShortly: operations at their limits are accepted. With
// SHOPAPI_ATTACKS=long, on a machine that does nothing else, none holds the writer for long.
func TestWriter_IsHeldShortly(t *testing.T) {
	besideOthers(t)
	t.Run("categories", func(t *testing.T) {
		s := newWriterShop(t)
		other := s.post(t, "categories", `{"category": "Other"}`).Field("category_id")
		list := make([]categories.Category, 2499)
		for i := range list {
			list[i] = categories.Category{Summary: categories.Summary{Name: "C", ParentID: 1, Position: 1}}
		}
		if _, err := s.Shop.Shop.Categories.CreateAll(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		s.holds("move a category", "PUT", "categories/1", `{"parent_id": `+other+`}`, 200)
		s.holds("change a position", "PUT", "categories/1", `{"position": 900}`, 200)
		s.holds("delete a category", "DELETE", "categories/1", "", 204)
		s.post(t, "categories", `{"category": "Large"}`)
		for i := range list {
			list[i].ParentID = 2502
		}
		for range 2 {
			if _, err := s.Shop.Shop.Categories.CreateAll(t.Context(), list); err != nil {
				t.Fatal(err)
			}
		}
		s.holds("move 5000 categories", "PUT", "categories/2502", `{"parent_id": `+other+`}`, 200)
		s.holds("delete 5000 categories", "DELETE", "categories/2502", "", 400)
		if _, err := s.Shop.Shop.Categories.CreateAll(t.Context(), list[:2]); err != nil {
			t.Fatal(err)
		}
		s.holds("move 5001 categories", "PUT", "categories/2502", `{"parent_id": 0}`, 400)
	})
	t.Run("options", func(t *testing.T) {
		s := newWriterShop(t)
		variants := func(n int) string {
			return "[" + repeated(n, func(i int) string {
				return fmt.Sprintf(`{"variant_name": "%s%d", "modifier": "1.5"}`, strings.Repeat("v", 200), i)
			}) + "]"
		}
		option := s.holds("POST an option of 1000 variants", "POST", "options", `{"product_id": 1, "option_name": "Size", "variants": `+variants(1000)+`}`, 201).Field("option_id")
		s.holds("PUT its variants", "PUT", "options/"+option, `{"variants": `+variants(999)+`}`, 200)
		s.holds("DELETE it", "DELETE", "options/"+option, "", 204)
	})
	t.Run("features", func(t *testing.T) {
		s := newWriterShop(t)
		variants := func(from, to int) string {
			return repeated(to-from, func(i int) string { return fmt.Sprintf(`{"variant": "%s%d"}`, strings.Repeat("v", 200), from+i) })
		}
		s.holds("POST a feature of 500 variants", "POST", "features", `{"description": "Brand", "feature_type": "E", "variants": [`+variants(0, 500)+`]}`, 201)
		known, first := "", 500
		if !longAttacks { // Go adds at once what the requests would
			first = 6500
			_, err := s.Shop.Shop.Features.Update(t.Context(), 1, func(f *features.Feature) error {
				for i := 500; i < first; i++ {
					f.Variants = append(f.Variants, features.Variant{Name: strings.Repeat("v", 200) + fmt.Sprint(i)})
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for n := 500; n < 7000; n += 500 {
			known += repeated(500, func(i int) string { return fmt.Sprintf(`{"variant_id": %d}`, n-500+i+1) }) + ","
			if n < first {
				continue
			}
			s.holds(fmt.Sprintf("PUT 500 beside %d variants", n), "PUT", "features/1", `{"variants": [`+known+variants(n, n+500)+`]}`, 200)
		}
		s.holds("PUT a name", "PUT", "features/1", `{"description": "Maker"}`, 200)
		s.holds("DELETE it", "DELETE", "features/1", "", 204)
	})
	t.Run("orders", func(t *testing.T) {
		s := newWriterShop(t)
		rates := "[" + repeated(1000, func(i int) string {
			return fmt.Sprintf(`{"country": "DE", "zipcode": "%d", "rate_type": "P", "rate_value": "19"}`, i)
		}) + "]"
		s.post(t, "taxes", `{"tax": "VAT", "rates": `+rates+`}`)
		s.post(t, "products", `{"product": "Taxed", "category_ids": [1], "price": "1", "amount": 100000, "tax_ids": [1]}`)
		s.post(t, "options", `{"product_id": 2, "option_name": "Text", "option_type": "T", "incorrect_message": "no", "regexp": "^[a-z0-9]{1,20}$"}`)
		lines := repeated(1000, func(i int) string {
			return fmt.Sprintf(`{"product_id": 2, "amount": 1, "product_options": {"1": "line%d"}}`, i)
		})
		s.holds("POST an order of 1000 lines", "POST", "orders", order(lines), 201)
		s.holds("PUT a status", "PUT", "orders/1", `{"status": "P"}`, 200)
		s.holds("PUT 1000 lines", "PUT", "orders/1", `{"products": [`+lines+`]}`, 200)
		s.holds("PUT 1000 other lines", "PUT", "orders/1", `{"products": [`+repeated(1000, func(i int) string {
			return fmt.Sprintf(`{"product_id": 2, "amount": 1, "product_options": {"1": "other%d"}}`, i)
		})+`]}`, 200)
		s.holds("DELETE it", "DELETE", "orders/1", "", 204)
	})
	t.Run("orders with many taxes and options", func(t *testing.T) {
		s := newWriterShop(t)
		const taxes, choices = 5, 2
		for i := range taxes {
			s.post(t, "taxes", fmt.Sprintf(`{"tax": "Tax %d", "priority": %[1]d, "rates": [%s]}`, i, repeated(80, func(i int) string {
				return fmt.Sprintf(`{"country": "DE", "zipcode": "%d", "rate_type": "P", "rate_value": "1"}`, i)
			})))
		}
		ids := repeated(taxes, func(i int) string { return fmt.Sprint(i + 1) })
		s.post(t, "products", `{"product": "Taxed", "category_ids": [1], "price": "1", "amount": 100000, "tax_ids": [`+ids+`]}`)
		for i := range choices {
			s.post(t, "options", fmt.Sprintf(`{"product_id": 2, "option_name": "Option %d", "variants": [{"variant_name": "a", "modifier": 1}, {"variant_name": "b"}]}`, i))
		}
		s.post(t, "options", `{"product_id": 2, "option_name": "Text", "option_type": "T", "incorrect_message": "no", "regexp": "^[a-z0-9]{1,20}$"}`)
		chosen := repeated(choices, func(i int) string { return fmt.Sprintf(`"%d": %d`, i+1, 2*i+1) })
		lines := func(text string) string {
			return repeated(1000, func(i int) string {
				return fmt.Sprintf(`{"product_id": 2, "amount": 1, "product_options": {%s, "%d": "%s%d"}}`, chosen, choices+1, text, i)
			})
		}
		s.holds("POST an order of 1000 lines of 5 taxes and 3 options", "POST", "orders", order(lines("line")), 201)
		s.holds("PUT 1000 other lines of them", "PUT", "orders/1", `{"products": [`+lines("other")+`]}`, 200)
		s.holds("PUT an address", "PUT", "orders/1", `{"user_data": {"s_country": "DE", "s_zipcode": "7"}}`, 200)
		s.holds("PUT a status", "PUT", "orders/1", `{"status": "P"}`, 200)
		s.holds("DELETE it", "DELETE", "orders/1", "", 204)
	})
	t.Run("variations", func(t *testing.T) {
		s := newWriterShop(t)
		s.post(t, "features", `{"description": "Size", "feature_type": "S", "purpose": "group_catalog_item", "variants": [`+
			repeated(450, func(i int) string { return fmt.Sprintf(`{"variant": "%d"}`, i) })+`]}`)
		s.post(t, "products", fmt.Sprintf(`{"product": "Long", "category_ids": [1], "product_features": {"1": 1}, "full_description": %q}`, strings.Repeat("x", 10_000)))
		combinations := func(from, n int) string {
			return `{"combinations": [` + repeated(n, func(i int) string { return fmt.Sprintf(`{"1": %d}`, from+i) }) + `]}`
		}
		for n := range 4 {
			s.holds(fmt.Sprintf("generate 100 variations beside %d", 100*n), "POST", "product_variations/2/generate_product_variations", combinations(2+100*n, 100), 201)
		}
		s.holds("PUT the first product", "PUT", "products/2", `{"full_description": "y", "price": 5}`, 200)
		s.holds("DELETE the first product", "DELETE", "products/2", "", 204)
	})
	t.Run("discussions", func(t *testing.T) {
		s := newWriterShop(t)
		message := strings.Repeat("Words of a review. ", 3400)
		reviews := 30
		if longAttacks {
			reviews = 300
		}
		for i := range reviews {
			s.holds(fmt.Sprintf("POST review %d", i), "POST", "discussions", fmt.Sprintf(`{"object_type": "P", "object_id": 1, "name": "Ana", "message": "%d %s", "rating_value": 5}`, i, message), 201)
		}
	})
	t.Run("products", func(t *testing.T) {
		s := newWriterShop(t)
		ids := make([]string, 1000)
		for i := range ids {
			ids[i] = s.post(t, "categories", `{"category": "C"}`).Field("category_id")
		}
		images := "[" + repeated(100, func(i int) string {
			return fmt.Sprintf(`{"detailed": {"image_path": "https://example.org/%d.png"}}`, i)
		}) + "]"
		s.holds("POST a product in 1000 categories", "POST", "products", `{"product": "P", "category_ids": [`+strings.Join(ids, ",")+`]}`, 201)
		s.holds("POST a product with 100 images", "POST", "products", `{"product": "P", "category_ids": [1], "image_pairs": `+images+`}`, 201)
		s.holds("PUT it", "PUT", "products/3", `{"product": "Q"}`, 200)
		s.holds("DELETE it", "DELETE", "products/3", "", 204)
	})
}
