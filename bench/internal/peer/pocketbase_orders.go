package peer

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/pocketbase/pocketbase/core"
)

// The collections with which PocketBase lists and places orders. Tables to which orders
// refer have only the columns that are read.
var (
	pbOrders = pbTable{
		name: "orders", key: "order_id",
		texts: []string{"issuer_id", "firstname", "lastname", "email", "phone", "status", "invoice_id", "credit_memo_id", "shipping_ids",
			"company", "fax", "url", "notes", "details", "ip_address", "lang_code", "secondary_currency", "customer"},
		numbers:   []string{"user_id", "parent_order_id", "company_id", "timestamp", "payment_id", "updated_at"},
		amounts:   []string{"total", "discount", "subtotal_discount", "payment_surcharge", "shipping_cost", "subtotal", "tax_subtotal"},
		flags:     []string{"is_parent_order", "tax_exempt"},
		documents: []string{"billing", "shipping", "products", "taxes", "shipping_methods", "payment_method"},
		indexes: []string{"is_parent_order,timestamp", "status,is_parent_order,timestamp", "user_id,is_parent_order,timestamp",
			"company_id,is_parent_order,timestamp", "parent_order_id", "email", "total", "customer", "invoice_id", "credit_memo_id", "updated_at"},
	}
	pbProducts = pbTable{
		name: "products", key: "product_id", texts: []string{"product", "product_code"}, numbers: []string{"amount", "company_id"},
		amounts: []string{"price"}, indexes: []string{"product", "product_code", "price", "amount"},
	}
	pbCustomers = pbTable{name: "customers", key: "user_id", from: "users", texts: []string{"firstname", "lastname", "email"}}
	pbPayments  = pbTable{name: "payments", key: "payment_id", texts: []string{"payment", "status"}}
	pbShippings = pbTable{name: "shippings", key: "shipping_id", texts: []string{"shipping", "status"}}
)

// placeRecord completes a new order and takes its products from the stock, in the
// transaction that adds it: the hook that a shop on PocketBase needs.
func placeRecord(e *core.RecordRequestEvent) error {
	outer := e.App
	return outer.RunInTransaction(func(tx core.App) error {
		e.App = tx
		defer func() { e.App = outer }()
		if err := completeRecord(tx, e.Record); err != nil {
			return e.BadRequestError(err.Error(), nil)
		}
		return e.Next()
	})
}

func completeRecord(tx core.App, order *core.Record) error {
	customer, err := tx.FindRecordById(pbCustomers.name, order.GetString("user_id"))
	if err != nil {
		return err
	}
	payment, err := tx.FindRecordById(pbPayments.name, order.GetString("payment_id"))
	if err != nil {
		return err
	}
	shipping, err := tx.FindRecordById(pbShippings.name, order.GetString("shipping_ids"))
	if err != nil {
		return err
	}
	var wanted map[string]struct{ Amount int }
	if err := order.UnmarshalJSONField("products", &wanted); err != nil {
		return err
	}
	var lines []lineJSON
	var subtotal centsJSON
	for id, w := range wanted {
		product, err := tx.FindRecordById(pbProducts.name, id)
		if err != nil {
			return err
		}
		if w.Amount < 1 || w.Amount > product.GetInt("amount") {
			return fmt.Errorf("there are %d of product %s", product.GetInt("amount"), id)
		}
		product.Set("amount", product.GetInt("amount")-w.Amount)
		if err := tx.Save(product); err != nil {
			return err
		}
		l := lineJSON{
			CompanyID: int64(product.GetInt("company_id")), Code: product.GetString("product_code"), Name: product.GetString("product"),
			Amount: int64(w.Amount), Price: centsJSON(math.Round(100 * product.GetFloat("price"))), Held: int64(w.Amount),
		}
		if l.ProductID, err = strconv.ParseInt(id, 10, 64); err != nil {
			return err
		}
		l.ItemID, l.Subtotal = l.ProductID, l.Price*centsJSON(l.Amount)
		subtotal += l.Subtotal
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return fmt.Errorf("an order needs products")
	}
	now := time.Now().Unix()
	first, last := customer.GetString("firstname"), customer.GetString("lastname")
	for field, value := range map[string]any{
		"firstname": first, "lastname": last, "customer": last + " " + first, "email": customer.GetString("email"),
		"status": "O", "timestamp": now, "updated_at": now, "company_id": lines[0].CompanyID,
		"subtotal": float64(subtotal) / 100, "shipping_cost": shippingCost / 100.0, "total": float64(subtotal+shippingCost) / 100,
		"products": lines, "taxes": []any{}, "billing": struct{}{}, "shipping": struct{}{},
		"shipping_methods": []map[string]any{{"shipping_id": shipping.Id, "shipping": shipping.GetString("shipping")}},
		"payment_method":   map[string]string{"payment": payment.GetString("payment")},
	} {
		order.Set(field, value)
	}
	return nil
}
