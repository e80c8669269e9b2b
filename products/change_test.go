package products_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
)

func TestProducts_NameAndCategoriesAreRequired(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.Refuses("POST", "/products", `{"price": 1}`, "product", "category_ids")
		s.Refuses("POST", "/products", `{"product": "Mug"}`, "category_ids")
		s.Refuses("POST", "/products", `{"product": " ", "category_ids": [1]}`, "product")
		s.Refuses("POST", "/products", `{"product": "", "category_ids": [1]}`, "product")
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		s.Refuses("PUT", at(id), `{"product": ""}`, "product")
		s.Refuses("PUT", at(id), `{"product": null}`, "product")
	})
}

func TestProducts_CompanyAndPriceZeroAreAccepted(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "company_id": 0, "price": 0}`)
		s.wants(id, map[string]string{"company_id": `"1"`, "price": `"0.00"`})
		s.put(200, id, `{"company_id": 0, "price": 0}`)
		s.wants(id, map[string]string{"company_id": `"1"`, "price": `"0.00"`})
	})
}

func TestProducts_PartialUpdateLeavesOtherFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		id := s.add("%s", fullBody)
		want := s.Object(at(id))
		s.Clock.Advance(time.Minute)
		s.put(200, id, `{"amount": -3, "free_shipping": "N"}`)
		want["amount"], want["free_shipping"], want["updated_timestamp"] = "-3", "N", "1700000060"
		if diff := cmp.Diff(want, s.Object(at(id))); diff != "" {
			t.Errorf("the product differs (-want +got):\n%s", diff)
		}
	})
}

func TestProducts_UpdatedTimestampIsThatOfTheLastChange(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "updated_timestamp": 5}`)
		wants := func(created, updated string) {
			t.Helper()
			s.wants(id, map[string]string{"timestamp": created, "updated_timestamp": updated})
		}
		wants(`"1700000000"`, `"1700000000"`)
		s.Clock.Advance(time.Minute)
		s.put(200, id, `{"name": "e2e testing"}`) // no field of products
		s.put(200, id, `{"product": "Mug", "price": "0.000", "category_ids": [1], "updated_timestamp": 7}`)
		wants(`"1700000000"`, `"1700000000"`)
		s.put(200, id, `{"price": 1}`)
		wants(`"1700000000"`, `"1700000060"`)
		s.Clock.Advance(time.Minute)
		s.put(200, id, `{"category_ids": [1, 2], "timestamp": 9}`)
		wants(`"9"`, `"1700000120"`)
	})
}

func TestProducts_ReadingBackAndSendingChangesNothing(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		id := s.add("%s", fullBody)
		s.Clock.Advance(time.Minute)
		before := s.Call(200, "GET", at(id), "")
		s.put(200, id, "%s", before)
		sameJSON(t, s.Call(200, "GET", at(id), ""), before)
	})
}

func TestProducts_DocumentedCodes(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		for field, codes := range map[string]string{
			"status": "ADH", "tracking": "BDO", "zero_price_action": "RPA", "out_of_stock_actions": "NBS",
			"exceptions_type": "AF", "options_type": "PS",
		} {
			for code := range strings.SplitSeq(codes, "") {
				s.put(200, id, `{%q: %q}`, field, code)
				s.wants(id, map[string]string{field: `"` + code + `"`})
			}
			for _, code := range []string{`"X"`, `""`, `"a"`, `null`, `"AA"`, `0`, `["A"]`, `{}`} {
				s.Refuses("PUT", at(id), `{"`+field+`": `+code+`}`, field)
			}
		}
		s.put(200, id, `{"product_type": "V", "parent_product_id": 7}`)
		s.wants(id, map[string]string{"product_type": `"P"`, "parent_product_id": `"0"`})
	})
}

func TestProducts_AmountsAreExact(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		for _, c := range []struct{ field, sent, shown string }{
			{"price", `30`, `"30.00"`},
			{"price", `"30.000000"`, `"30.00"`},
			{"price", `0.1`, `"0.10"`},
			{"price", `"9999999999.99"`, `"9999999999.99"`},
			{"price", `9999999999.99`, `"9999999999.99"`},
			{"price", `"1e3"`, `"1000.00"`},
			{"price", `1.25E1`, `"12.50"`},
			{"price", `null`, `"0.00"`},
			{"list_price", `"07.5"`, `"7.50"`},
			{"shipping_freight", `"-0.00"`, `"0.00"`},
			{"weight", `0.001`, `"0.001"`},
			{"weight", `"12"`, `"12.000"`},
			{"amount", `-5`, `"-5"`},
			{"amount", `"2147483647"`, `"2147483647"`},
		} {
			s.put(200, id, `{%q: %s}`, c.field, c.sent)
			s.wants(id, map[string]string{c.field: c.shown})
		}
	})
}

func TestProducts_BadFieldsAre400(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		bad := map[string][]string{
			"product":           {`["a"]`, `{"a": 1}`, `true`, `"` + strings.Repeat("x", 256) + `"`},
			"product_code":      {`"` + strings.Repeat("\u00fc", 256) + `"`},
			"price":             {`"12.345"`, `12.345`, `-1`, `"-0.01"`, `"abc"`, `""`, `[1]`, `{}`, `true`, `10000000000`, `9223372036854775807`, `-9223372036854775807`, `1e300`, `"1e-9"`, `"NaN"`, `"Infinity"`, `"0.00000000000000000000001"`, `"1.0000000000000000000000001"`, `"1,50"`, `"0x10"`, `"` + strings.Repeat("9", 500) + `"`},
			"list_price":        {`0.001`, `"9999999999.995"`},
			"shipping_freight":  {`0.001`},
			"weight":            {`0.0001`, `-0.001`, `"10000000000"`},
			"amount":            {`1.5`, `"x"`, `2147483648`, `-2147483649`, `99999999999999999999`, `true`, `""`, `"+1"`},
			"min_qty":           {`-1`, `2147483648`},
			"return_period":     {`-1`},
			"box_length":        {`-1`, `1.5`},
			"point_price":       {`-1`},
			"timestamp":         {`-1`, `"yesterday"`},
			"avail_since":       {`-1`},
			"category_ids":      {`{"a": 1}`, `true`, `"1;2"`, `[[1]]`, `[1.5]`, `[null]`, `99999999999999999999`},
			"main_category":     {`"x"`, `[1]`, `1.5`},
			"free_shipping":     {`"yes"`, `2`, `[]`},
			"usergroup_ids":     {`"a,b"`, `[-1]`, `{"a": "b"}`},
			"tax_ids":           {`"1;2"`, `[[1]]`},
			"product_features":  {`"x"`, `5`, `[{"feature_id": 1}]`, `{"0": 1}`, `{"-1": 1}`, `{"a": 1}`, `{"01": 1}`, `{"1": "x"}`, `{"1": [1]}`, `{"1": true}`, `{"1": {"feature_id": "2"}}`, `{"1": 1.5}`},
			"main_pair":         {`"x"`, `7`, `["a"]`, `{"detailed": "a.png"}`, `{"icon": [1]}`, `{"icon": {"image_path": []}}`},
			"image_pairs":       {`"x"`, `["a"]`, `{"1": "a.png"}`, `[[1]]`, `{"1": {"detailed": 5}}`},
			"company_id":        {`"x"`},
			"short_description": {`[]`, `{}`, `false`},
		}
		for field, values := range bad {
			for _, value := range values {
				s.Refuses("PUT", at(id), `{"`+field+`": `+value+`}`, field)
			}
		}
	})
}

func TestProducts_EveryFieldAtFaultIsNamed(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.Refuses("POST", "/products", `{"price": "x", "amount": "y", "free_shipping": "z", "category_ids": "q"}`, "product", "price", "amount", "free_shipping", "category_ids")
		s.Refuses("POST", "/products", `{"price": -1, "status": "X", "min_qty": -1, "category_ids": [9], "main_pair": 5}`, "product", "price", "status", "min_qty", "category_ids", "main_pair")
	})
}

func TestProducts_ChangesAreReported(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1]}`)
		s.put(200, id, `{"price": 1}`)
		s.put(400, id, `{"price": -1}`)
		s.Call(204, "DELETE", at(id), "")
		want := []string{"create products 1 by 1", "update products 1 by 1", "delete products 1 by 1"}
		if diff := cmp.Diff(want, slices.DeleteFunc(s.Events(), func(e string) bool { return !strings.Contains(e, "products") })); diff != "" {
			t.Errorf("the observer was told (-want +got):\n%s", diff)
		}
	})
}

// The Go API follows the rules of the wire.
func TestProducts_GoCallsFollowTheSameRules(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		ctx := t.Context()
		given := products.Product{Summary: products.Summary{
			Name: "Mug", CategoryIDs: []int64{2, 1, 2}, Price: decimal.MustParse("9.5"),
		}}
		mug, err := s.Products.Create(ctx, given)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int64{2, 1, 2}, given.CategoryIDs); diff != "" {
			t.Errorf("Create changed what it was given:\n%s", diff)
		}
		read, err := s.Products.Get(ctx, mug.ProductID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mug, read); diff != "" {
			t.Errorf("Create returned another product than Get reads (-created +read):\n%s", diff)
		}
		if mug.Price.String() != "9.50" || mug.Amount != 0 || mug.Status != products.Active || mug.MainCategory != 2 || mug.Timestamp != shoptest.Now {
			t.Errorf("created %+v", mug)
		}

		// A main category that goes makes the first of the others the main one.
		updated, err := s.Products.Update(ctx, mug.ProductID, func(p *products.Product) error {
			p.CategoryIDs = []int64{3, 1}
			p.ProductID, p.Type = 77, products.Variation
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.wantCategories(mug.ProductID, `[3, 1]`, `3`)
		s.wantCounts("a=1 b=0 c=1")
		if read, err = s.Products.Get(ctx, mug.ProductID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(updated, read); diff != "" {
			t.Errorf("Update returned another product than Get reads (-updated +read):\n%s", diff)
		}

		stop := errors.New("stop")
		if _, err := s.Products.Update(ctx, mug.ProductID, func(*products.Product) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("Update: %v, want the error of the change", err)
		}
		_, err = s.Products.Update(ctx, mug.ProductID, func(p *products.Product) error {
			p.Price = decimal.MustParse("1.005")
			return nil
		})
		wantStatus(t, "a bad amount", err, 400)
		_, err = s.Products.Update(ctx, mug.ProductID, func(p *products.Product) error {
			p.Features = products.Features{{FeatureID: 1, Document: shopapi.JSON("{")}}
			return nil
		})
		wantStatus(t, "a document that is no JSON", err, 400)
		_, err = s.Products.Update(ctx, mug.ProductID, func(p *products.Product) error {
			p.TaxIDs = "1;2"
			return nil
		})
		wantStatus(t, "a list that holds no ids", err, 400)
		_, err = s.Products.Create(ctx, products.Product{})
		wantStatus(t, "an empty product", err, 400)
		_, err = s.Products.Get(ctx, 99)
		wantStatus(t, "Get of no product", err, 404)
		wantStatus(t, "Delete of no product", s.Products.Delete(ctx, 99), 404)
		if err := s.Products.Delete(ctx, mug.ProductID); err != nil {
			t.Fatal(err)
		}
		s.wantCounts("a=0 b=0 c=0")
	})
}

// Exceptions, reviews and the like ask for fields of products by name.
func TestProducts_OtherEntitiesLookThemUp(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		id := s.add(`{"product": "Mug", "category_ids": [1], "exceptions_type": "A", "list_price": 3}`)
		found, err := s.API.Lookup(t.Context(), "products", shopapi.FormatID(id))
		if err != nil {
			t.Fatal(err)
		}
		for field, want := range map[string]string{"product": "Mug", "exceptions_type": "A", "product_id": "1", "list_discount": "3.00"} {
			if got, ok := shopapi.Field(found, field); !ok || got != want {
				t.Errorf("%s is %q, %t; want %q", field, got, ok, want)
			}
		}
		if _, err := s.API.Lookup(t.Context(), "products", "9"); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("Lookup of no product: %v", err)
		}
	})
}
