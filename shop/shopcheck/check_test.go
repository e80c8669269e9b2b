package shopcheck_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store"
)

// rows writes rows by column name.
type rows struct {
	t  *testing.T
	tx store.Tx
}

type columns map[string]any

func schemaOf(t *testing.T, table string) *store.Schema {
	t.Helper()
	all := shop.Schemas()
	i := slices.IndexFunc(all, func(s *store.Schema) bool { return s.Name == table })
	if i < 0 {
		t.Fatalf("there is no table %s", table)
	}
	return all[i]
}

func (r rows) set(s *store.Schema, row []store.Value, values columns) {
	r.t.Helper()
	for name, v := range values {
		i := s.Index(name)
		if i < 0 {
			r.t.Fatalf("%s has no column %s", s.Name, name)
		}
		switch v := v.(type) {
		case int:
			row[i] = store.Int(int64(v))
		case string:
			row[i] = store.String(v)
		}
	}
}

// add inserts a row with zero values in its other columns.
func (r rows) add(table string, values columns) {
	r.t.Helper()
	s := schemaOf(r.t, table)
	row := make([]store.Value, len(s.Columns))
	for i := range s.Columns {
		row[i] = s.Columns[i].Zero()
	}
	r.set(s, row, values)
	if _, err := r.tx.Insert(s, row); err != nil {
		r.t.Fatal(err)
	}
}

// change changes columns of the row with the key.
func (r rows) change(table string, key int64, values columns) {
	r.t.Helper()
	s := schemaOf(r.t, table)
	row := make([]store.Value, len(s.Columns))
	if err := r.tx.Get(s.All(), key, row); err != nil {
		r.t.Fatal(err)
	}
	r.set(s, row, values)
	if err := r.tx.Update(s, row); err != nil {
		r.t.Fatal(err)
	}
}

// remove deletes the row with the key.
func (r rows) remove(table string, key int64) {
	r.t.Helper()
	s := schemaOf(r.t, table)
	if _, err := r.tx.Delete(s, []store.Cond{store.Equal(s.Key(), store.Int(key))}); err != nil {
		r.t.Fatal(err)
	}
}

const (
	lines = `[{"item_id":7,"product_id":1,"amount":2,"price":"10.00","discount":"1.50","subtotal":"18.50"}]`
	sum   = `[{"item_id":7,"product_id":1,"amount":2,"price":"10.00","discount":"1.50","subtotal":"18.50"}]`
	taxed = `[{"tax_id":1,"subtotal":"3.70"},{"tax_id":2,"subtotal":"1.00","included":true}]`
)

// The order 4 keeps its rules, and so does 6, one of the orders of 5 for two vendors.
const (
	ruledLines = `[{"item_id":7,"product_id":1,"amount":2,"price":"10.00","discount":"1.50","subtotal":"18.50","tax":"3.70","taxes":[{"tax_id":1,"taxable":"18.50","subtotal":"3.70"}]}]`
	ruledTaxes = `[{"tax_id":1,"subtotal":"4.20","products":"3.70","shipping":"0.50","taxable":"18.50","taxable_shipping":"5.00"}]`
	rules      = `{"kept":true,"taxes":[{"tax_id":1,"tax":"VAT","table":1}],"shipping":2}`
)

// cutRules are rules with a share of 9.
func cutRules(from, to string) string {
	return `{"kept":true,"cut":{"from":"` + from + `","to":"` + to + `","of":"9"}}`
}

// aDocument is the content of a document of two pieces, or of as many as a memo credits.
func aDocument(kind, number, pieces, total string) string {
	return `{"kind":"` + kind + `","number":"` + number + `","date":50,"products":[{"item_id":7,"product_id":4,"amount":` + pieces + `}],"total":"` + total + `"}`
}

// aShop writes a consistent shop.
func aShop(r rows) {
	r.add("categories", columns{"category_id": 1, "id_path": "1", "tree_order": "c10b1", "position": 10, "company_id": 1, "product_count": 1})
	r.add("categories", columns{"category_id": 2, "parent_id": 1, "id_path": "1/2", "tree_order": "c10b1b5b2", "position": 5, "company_id": 1})
	r.add("products", columns{"product_id": 1, "amount": 5, "tracking": "O", "company_id": 1})
	r.add("products", columns{"product_id": 2}) // a common product, and an offer for it
	r.add("products", columns{"product_id": 3, "master_product_id": 2, "company_id": 1})
	r.add("users", columns{"user_id": 1, "email": "vendor@example.com", "user_type": "V", "company_id": 1})
	r.add("products_categories", columns{"product_id": 1, "category_id": 1, "main": 1})
	r.add("products_texts", columns{"object_id": 1, "lang_code": "de"})
	r.add("product_options", columns{"option_id": 1, "product_id": 1})
	r.add("product_options_inventory", columns{"product_id": 1, "combination": "a", "amount": 2})
	r.add("product_options_inventory", columns{"product_id": 1, "combination": "b", "amount": 3})
	r.add("discussion_threads", columns{"thread_id": 1, "object_type": "P", "object_id": 1, "company_id": 1})
	r.add("discussions", columns{"post_id": 1, "thread_id": 1, "object_type": "P", "object_id": 1, "company_id": 1})
	amounts := columns{"status": "O", "subtotal": 1850, "discount": 150, "tax_subtotal": 370, "total": 2220, "taxes": taxed}
	r.add("orders", with(amounts, columns{"order_id": 1, "products": lines, "company_id": 1}))
	r.add("orders", with(amounts, columns{"order_id": 2, "products": sum, "is_parent_order": 1}))
	r.add("orders", with(amounts, columns{"order_id": 3, "products": lines, "parent_order_id": 2, "company_id": 1}))
	r.add("order_rules", columns{"table_id": 1, "hash": "a"})
	r.add("order_rules", columns{"table_id": 2, "hash": "b"})
	r.add("orders", columns{
		"order_id": 4, "status": "O", "company_id": 1, "products": ruledLines, "taxes": ruledTaxes, "rules": rules,
		"subtotal": 1850, "discount": 150, "subtotal_discount": 100, "shipping_cost": 500, "tax_subtotal": 420,
		"payment_surcharge": 50, "tax_exempted": 20, "total": 2690, "total_adjustment": -10,
	})
	r.add("orders", columns{"order_id": 5, "status": "O", "is_parent_order": 1})
	r.add("orders", columns{"order_id": 6, "status": "O", "parent_order_id": 5, "company_id": 1, "rules": cutRules("4", "9")})
	r.add("orders", columns{"order_id": 7, "status": "O", "parent_order_id": 5, "rules": cutRules("0", "4")})
	r.add("shipments", columns{"shipment_id": 1, "order_id": 1, "products": `{"7":"1"}`})
	r.add("shipments", columns{"shipment_id": 2, "order_id": 1, "products": `{"7":"1"}`})
	r.add("products", columns{"product_id": 4, "company_id": 1})
	r.add("orders", columns{
		"order_id": 8, "status": "O", "company_id": 1, "counted": 1, "invoice_id": "INV-1", "credit_memo_id": "CM-2",
		"subtotal": 1000, "total": 1000, "products": `[{"item_id":7,"product_id":4,"amount":2,"price":"5.00","subtotal":"10.00"}]`,
	})
	r.add("product_sales", columns{"product_id": 4, "pieces": 3})
	r.add("product_sales", columns{"product_id": 4, "pieces": -1})
	document := columns{"order_id": 8, "company_id": 1}
	r.add("order_documents", with(document, columns{"kind": "invoice", "number": "INV-1", "content": aDocument("invoice", "INV-1", "2", "10.00")}))
	r.add("order_documents", with(document, columns{"kind": "credit_memo", "number": "CM-1", "content": aDocument("credit_memo", "CM-1", "1", "5.00")}))
	r.add("order_documents", with(document, columns{"kind": "credit_memo", "number": "CM-2", "content": aDocument("credit_memo", "CM-2", "1", "5.00")}))
	r.add("order_counters", columns{"company_id": 1, "kind": "invoice", "next": 2, "highest": 1, "last_date": 50})
	r.add("order_counters", columns{"company_id": 1, "kind": "credit_memo", "next": 3, "highest": 2, "last_date": 50})
}

func with(a, b columns) columns {
	all := columns{}
	for _, c := range []columns{a, b} {
		maps.Copy(all, c)
	}
	return all
}

var errBack = errors.New("taken back")

// TestCheck: a consistent shop has no violations, and each contradicting row is one.
func TestCheck(t *testing.T) {
	cases := map[string]struct {
		spoil func(rows)
		want  []string
	}{
		"nothing": {func(rows) {}, nil},
		"path": {
			func(r rows) { r.change("categories", 2, columns{"id_path": "2"}) },
			[]string{"categories 2: id_path is 2, and below its parent it would be 1/2"},
		},
		"tree order": {
			func(r rows) { r.change("categories", 1, columns{"position": 20}) },
			[]string{"categories 1: tree_order is c10b1, and follows from its parent and position as c20b1"},
		},
		"circle": {
			func(r rows) { r.change("categories", 1, columns{"parent_id": 2}) },
			[]string{
				"categories 1: id_path is 1, and below its parent it would be 1/2/1",
				"categories 1: tree_order is c10b1, and follows from its parent and position as c10b1b5b2c10b1",
			},
		},
		"parent": {
			func(r rows) { r.change("categories", 1, columns{"parent_id": 9}) },
			[]string{"categories 1: parent_id is 9, and categories has no such row"},
		},
		"product_count": {
			func(r rows) { r.change("categories", 2, columns{"product_count": 4}) },
			[]string{"categories 2: product_count is 4, and it has 0 products"},
		},
		"main category": {
			func(r rows) { r.change("products_categories", 1, columns{"main": 0}) },
			[]string{"products 1: has 0 main categories"},
		},
		"stock": {
			func(r rows) { r.change("products", 1, columns{"amount": 6}) },
			[]string{"products 1: amount is 6, and its combinations have 5"},
		},
		"stock that is not tracked by options": {
			func(r rows) { r.change("products", 1, columns{"amount": 6, "tracking": "B"}) }, nil,
		},
		"product": {
			func(r rows) { r.remove("products", 1) },
			[]string{
				"products_categories 1: product_id is 1, and products has no such row",
				"product_options 1: product_id is 1, and products has no such row",
				"product_options_inventory 1: product_id is 1, and products has no such row",
				"product_options_inventory 2: product_id is 1, and products has no such row",
				"products_texts 1: object_id is 1, and products has no such row",
				"discussion_threads 1: object_id is 1, and products has no such row",
			},
		},
		"thread": {
			func(r rows) { r.change("discussions", 1, columns{"object_id": 2}) },
			[]string{"discussions 1: is about P 2, and its thread about P 1"},
		},
		"company": {
			func(r rows) { r.change("products", 1, columns{"company_id": 8}) },
			[]string{"products 1: company_id is 8, and companies has no such row"},
		},
		"company of a single store": {
			func(r rows) { r.remove("companies", 1) }, nil,
		},
		"master that is gone": {
			func(r rows) { r.remove("products", 2) },
			[]string{
				"products 3: master_product_id is 2, and products has no such row",
				"products 3: is an offer of product 2, which is no common product",
			},
		},
		"master that a vendor sells": {
			func(r rows) { r.change("products", 2, columns{"company_id": 1}) },
			[]string{"products 3: is an offer of product 2, which is no common product"},
		},
		"offer of nobody": {
			func(r rows) { r.change("products", 3, columns{"company_id": 0}) },
			[]string{"products 3: is an offer of product 2, and has no company"},
		},
		"two offers of a vendor": {
			func(r rows) { r.change("products", 1, columns{"master_product_id": 2}) },
			[]string{"products 3: is an offer of product 2 by company 1, as product 1 is"},
		},
		"user of no vendor": {
			func(r rows) { r.change("users", 1, columns{"company_id": 0}) },
			[]string{"users 1: is a user of a vendor, and has no company"},
		},
		"two parts of a vendor": {
			func(r rows) { r.change("orders", 1, columns{"parent_order_id": 2}) },
			[]string{
				"orders 3: is a part of order 2 for company 1, as order 1 is",
				"orders 2: subtotal is 18.50, and its parts have 37.00",
				"orders 2: discount is 1.50, and its parts have 3.00",
				"orders 2: tax_subtotal is 3.70, and its parts have 7.40",
				"orders 2: total is 22.20, and its parts have 44.40",
			},
		},
		"status": {
			func(r rows) { r.change("orders", 1, columns{"status": "Z"}) },
			[]string{`orders 1: has the status "Z", which is none`},
		},
		"line": {
			func(r rows) {
				r.change("orders", 1, columns{"products": `[{"item_id":7,"amount":2,"price":"10.00","discount":"0.00","subtotal":"18.50","held":3}]`})
			},
			[]string{
				"orders 1: the line 7 costs 18.50, and 2 at 10.00 less 0.00 are 20.00",
				"orders 1: the line 7 of 2 pieces holds 3 of the stock",
				"orders 1: discount is 1.50, and its lines have 0.00",
				"orders 1: of the line 7 2 pieces are shipped and 3 hold stock, and 2 were ordered",
			},
		},
		"tax": {
			func(r rows) { r.change("orders", 1, columns{"taxes": "[]"}) },
			[]string{"orders 1: tax_subtotal is 3.70, and its taxes have 0.00"},
		},
		"total that a client wrote": {
			func(r rows) { r.change("orders", 1, columns{"total": 99}) }, nil,
		},
		"sum": {
			func(r rows) {
				r.change("orders", 2, columns{"total": 99, "products": strings.Replace(lines, `"18.50"`, `"18.50","held":2`, 1)})
			},
			[]string{
				"orders 2: the line 7 of 2 pieces holds 2 of the stock",
				"orders 2: total is 0.99, and its parts have 22.20",
			},
		},
		"total of kept rules": {
			func(r rows) { r.change("orders", 4, columns{"total": 2700}) },
			[]string{"orders 4: total less total_adjustment is 27.10, and its parts have 27.00"},
		},
		"sums that recalculate=N kept": {
			func(r rows) {
				r.change("orders", 4, columns{"total": 2700, "subtotal": 1900, "rules": strings.Replace(rules, "{", `{"sums_kept":true,`, 1)})
			}, nil,
		},
		"tax of a line": {
			func(r rows) {
				r.change("orders", 4, columns{"products": strings.Replace(ruledLines, `"tax":"3.70"`, `"tax":"3.60"`, 1)})
			},
			[]string{"orders 4: the line 7 has 3.60 tax, and its taxes have 3.70"},
		},
		"tax of lines": {
			func(r rows) {
				r.change("orders", 4, columns{"products": strings.ReplaceAll(strings.ReplaceAll(ruledLines, "3.70", "3.80"), `"taxable":"18.50"`, `"taxable":"18.00"`)})
			},
			[]string{
				"orders 4: the tax 1 on products is 3.70, and the lines have 3.80",
				"orders 4: the tax 1 is on products of 18.50, and the lines have 18.00",
			},
		},
		"parts of a tax": {
			func(r rows) {
				r.change("orders", 4, columns{"taxes": strings.Replace(ruledTaxes, `"0.50"`, `"0.40"`, 1)})
			},
			[]string{"orders 4: the tax 1 is 4.20, and its parts have 4.10"},
		},
		"tax that only lines have": {
			func(r rows) {
				r.change("orders", 4, columns{"taxes": strings.ReplaceAll(ruledTaxes, `"tax_id":1`, `"tax_id":2`)})
			},
			[]string{
				"orders 4: the tax 2 on products is 3.70, and the lines have 0.00",
				"orders 4: the tax 2 is on products of 18.50, and the lines have 0.00",
				"orders 4: lines have the tax 1, and the order has not",
			},
		},
		"table of an order": {
			func(r rows) { r.remove("order_rules", 2) },
			[]string{"orders 4: keeps the table 2, and order_rules has no such row"},
		},
		"shares that overlap": {
			func(r rows) { r.change("orders", 6, columns{"rules": cutRules("3", "9")}) },
			[]string{"orders 6: its share is from 3 to 9 of 9, and another's ends at 4 of 9"},
		},
		"share of more than all": {
			func(r rows) { r.change("orders", 6, columns{"rules": cutRules("9", "10")}) },
			[]string{"orders 6: its share is from 9 to 10 of 9"},
		},
		"stock of an order that takes none": {
			func(r rows) {
				r.change("orders", 4, columns{"no_stock": 1, "products": strings.Replace(ruledLines, `"18.50",`, `"18.50","held":1,`, 1)})
			},
			[]string{"orders 4: the line 7 holds 1 of the stock, and the order takes none"},
		},
		"unreadable rules": {
			func(r rows) { r.change("orders", 4, columns{"rules": "{"}) },
			[]string{"orders 4: its rules cannot be read: unexpected end of JSON input"},
		},
		"sum of nothing": {
			func(r rows) { r.change("orders", 3, columns{"parent_order_id": 1}) },
			[]string{
				"orders 1: has parts, and is no order of several vendors",
				"orders 2: is the sum of no orders",
			},
		},
		"unreadable": {
			func(r rows) { r.change("orders", 1, columns{"taxes": "{"}) },
			[]string{"orders 1: its taxes cannot be read: unexpected end of JSON input"},
		},
		"shipped": {
			func(r rows) { r.change("shipments", 2, columns{"products": `{"7":"2","8":"1"}`}) },
			[]string{
				"shipments 2: has pieces of the line 8, which order 1 has not",
				"orders 1: of the line 7 3 pieces are shipped, and 2 were ordered",
			},
		},
		"order of a document": {
			func(r rows) { r.remove("orders", 8) },
			[]string{
				"order_documents 1: order_id is 8, and orders has no such row",
				"order_documents 2: order_id is 8, and orders has no such row",
				"order_documents 3: order_id is 8, and orders has no such row",
				"products 4: sales_amount is 2, and orders have 0 pieces",
			},
		},
		"number of an invoice": {
			func(r rows) { r.change("orders", 8, columns{"invoice_id": "INV-2"}) },
			[]string{`orders 8: shows the invoice "INV-2", and "INV-1" was issued`},
		},
		"number of a memo": {
			func(r rows) { r.change("orders", 8, columns{"credit_memo_id": "CM-1"}) },
			[]string{`orders 8: shows the credit memo "CM-1", and the last is "CM-2"`},
		},
		"number of a document": {
			func(r rows) { r.change("order_documents", 1, columns{"number": "INV-3"}) },
			[]string{"order_documents 1: is the invoice INV-3, and its content is the invoice INV-1"},
		},
		"company of a document": {
			func(r rows) { r.change("orders", 8, columns{"company_id": 0}) },
			[]string{
				"order_documents 1: is of company 1, and order 8 of company 0",
				"order_documents 2: is of company 1, and order 8 of company 0",
				"order_documents 3: is of company 1, and order 8 of company 0",
			},
		},
		"memos without an invoice": {
			func(r rows) { r.remove("order_documents", 1) },
			[]string{"orders 8: has the credit_memo CM-1 without an invoice"},
		},
		"two invoices": {
			func(r rows) {
				r.change("order_documents", 2, columns{"kind": "invoice", "content": aDocument("invoice", "CM-1", "1", "5.00")})
			},
			[]string{"orders 8: has the second invoice CM-1"},
		},
		"memos of more than the invoice": {
			func(r rows) {
				r.change("order_documents", 3, columns{"content": aDocument("credit_memo", "CM-2", "2", "5.01")})
			},
			[]string{
				"orders 8: its credit memos have 0.01 more than the invoice",
				"orders 8: its credit memos have 1 more pieces of the line 7 than the invoice",
			},
		},
		"counter": {
			func(r rows) { r.change("order_counters", 1, columns{"highest": 2, "last_date": 49}) },
			[]string{
				"order_counters 1: its next number is 2, and 2 is given",
				"companies 1: has issued a document of kind invoice after the date of its counters",
			},
		},
		"unreadable document": {
			func(r rows) { r.change("order_documents", 3, columns{"content": "{"}) },
			[]string{
				"order_documents 3: its content cannot be read: unexpected end of JSON input",
				`orders 8: shows the credit memo "CM-2", and the last is "CM-1"`,
			},
		},
		"sales": {
			func(r rows) { r.change("orders", 8, columns{"counted": 0}) },
			[]string{"products 4: sales_amount is 2, and orders have 0 pieces"},
		},
		"consumed": {
			func(r rows) {
				r.change("shipments", 2, columns{"consumed": `[{"item_id":7,"product_id":1,"pieces":2}]`})
			},
			[]string{"shipments 2: consumed 2 pieces of the line 7, and shipped 1"},
		},
	}
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		if _, err := shop.New(t.Context(), st, nil); err != nil {
			t.Fatal(err)
		}
		if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			aShop(rows{t, tx})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for name, c := range cases {
			var got []string
			err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
				c.spoil(rows{t, tx})
				got = nil
				if err := shopcheck.Check(ctx, st, func(v shopcheck.Violation) { got = append(got, v.String()) }); err != nil {
					return err
				}
				return errBack
			})
			if !errors.Is(err, errBack) {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}
