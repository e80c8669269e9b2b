package pull_test

import (
	"slices"
	"testing"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// E8: an object without a company in the old shop belongs to the default company. Without one, a product would be
// a common product of vendors, which this edition hides.
func TestE8_ObjectsWithoutCompany(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"products":     `[{"product_id":"1"},{"product_id":"2"},{"product_id":"3"}]`,
		"products/1":   `{"product_id":"1","product":"Cup","status":"A","company_id":"0","category_ids":["4"]}`,
		"products/2":   `{"product_id":"2","product":"Mug","status":"A","company_id":null}`,
		"products/3":   `{"product_id":"3","product":"Pot","status":"A","company_id":"x"}`,
		"categories":   `[{"category_id":"4","parent_id":"0"}]`,
		"categories/4": `{"category_id":"4","parent_id":"0","category":"Cups","status":"A"}`,
		"users":        `[{"user_id":"5"}]`,
		"users/5":      `{"user_id":"5","email":"ana@example.org","user_type":"C","status":"A","company_id":"0"}`,
		"orders":       `[{"order_id":"6"}]`,
		"orders/6": `{"order_id":"6","company_id":"0","user_id":"5","status":"P","email":"ana@example.org","total":"5.00","subtotal":"5.00",
			"products":{"7":{"item_id":"7","product_id":"1","product":"Cup","amount":"1","price":"5.00","company_id":"0"}}}`,
	})
	everyStore(t, func(t *testing.T, st store.Store) {
		sh, err := shop.New(t.Context(), st, nil) // with one store
		if err != nil {
			t.Fatal(err)
		}
		report := run(t, sh, from(url))
		if note := "objects that have no company in the old shop belong to company 1 here"; !slices.Contains(report.Notes, note) {
			t.Errorf("the notes are %q", report.Notes)
		}
		for id := range int64(3) {
			if p, err := sh.Products.Get(t.Context(), id+1); err != nil || p.CompanyID != 1 {
				t.Errorf("product %d is of company %d: %v", id+1, p.CompanyID, err)
			}
		}
		if c, err := sh.Categories.Get(t.Context(), 4); err != nil || c.CompanyID != 1 {
			t.Errorf("the category is of company %d: %v", c.CompanyID, err)
		}
		if o, err := sh.Orders.Get(t.Context(), 6); err != nil || o.CompanyID != 1 || o.Lines[0].CompanyID != 1 {
			t.Errorf("the order is of company %d, %v: %v", o.CompanyID, o.Lines, err)
		}
		if u, err := sh.Users.Get(t.Context(), 5); err != nil || u.CompanyID != 0 {
			t.Errorf("the customer is of company %d: %v", u.CompanyID, err)
		}
		if again := run(t, sh, from(url)); again.Written != 0 {
			t.Errorf("the second run wrote %d objects", again.Written)
		}
	})
}
