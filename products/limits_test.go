package products_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// ofBytes are values of a field, as JSON, that take n bytes in the store.
type ofBytes func(n int) string

func text(n int) string { return `"` + strings.Repeat("x", n) + `"` }

// document is a JSON object of one member, with the keys and values that end it.
func document(before, after string) ofBytes {
	return func(n int) string { return before + strings.Repeat("x", n-len(before)-len(after)) + after }
}

// idList is a list of ids.
func idList(n int) string {
	return `"1` + strings.Repeat("0", (n-1)%2) + strings.Repeat(",1", (n-1)/2) + `"`
}

// TestProducts_TextsHaveLimits: one byte more is a 400 that names the field.
func TestProducts_TextsHaveLimits(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		for most, fields := range map[int]map[string]ofBytes{
			255: {"localization": text, "details_layout": text},
			4 << 10: {
				"seo_name": text, "shortname": text, "page_title": text, "meta_keywords": text, "meta_description": text,
				"age_warning_message": text,
			},
			16 << 10:  {"usergroup_ids": idList, "tax_ids": idList},
			64 << 10:  {"short_description": text, "promo_text": text, "search_words": text},
			256 << 10: {"full_description": text, "product_features": document(`{"1":{"feature_id":"1","value":"`, `"}}`)},
		} {
			for field, value := range fields {
				s.put(200, id, `{%q: %s}`, field, value(most))
				for method, address := range map[string]string{"PUT": at(id), "POST": "/products"} {
					body := s.Call(400, method, address, fmt.Sprintf(`{"product": "Mug", "category_ids": [1], %q: %s}`, field, value(most+1)))
					if want := fmt.Sprintf(`"errors":{"%s":"must have at most %d bytes, not %d"}`, field, most, most+1); !strings.Contains(body, want) {
						t.Errorf("%s of %s with a byte too many: %s, want %s", method, field, body, want)
					}
				}
				s.put(200, id, `{%q: null}`, field)
			}
		}
	})
}

// TestProducts_RulesApplyToChangedFields: a row that an older rule allowed, or another
// program wrote, can be sent back and changed elsewhere (decisions §5).
func TestProducts_RulesApplyToChangedFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		long := strings.Repeat("x", 4<<10+1)
		err := s.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			schema := products.Schemas()[0]
			row := make([]store.Value, len(schema.Columns))
			if err := tx.Get(schema.All(), id, row); err != nil {
				return err
			}
			for column, value := range map[string]store.Value{
				"price": store.Int(-150), "status": store.String("Z"), "meta_keywords": store.String(long), "min_qty": store.Int(-1),
			} {
				row[schema.Index(column)] = value
			}
			return tx.Update(schema, row)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.put(200, id, "%s", s.Call(200, "GET", at(id), ""))
		s.put(200, id, `{"amount": 7, "price": "-1.50", "status": "Z"}`)
		s.wants(id, map[string]string{"amount": `"7"`, "price": `"-1.50"`, "status": `"Z"`, "min_qty": `"-1"`, "meta_keywords": `"` + long + `"`})
		for field, value := range map[string]string{"price": `-1`, "status": `"Y"`, "meta_keywords": `"` + long + `x"`, "min_qty": `-2`} {
			s.Refuses("PUT", at(id), fmt.Sprintf(`{%q: %s}`, field, value), field)
		}
	})
}
