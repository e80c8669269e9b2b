package peer

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

type orderJSON struct {
	OrderID       int64     `json:"order_id,string"`
	IssuerID      *string   `json:"issuer_id"`
	UserID        int64     `json:"user_id,string"`
	IsParent      flagJSON  `json:"is_parent_order"`
	ParentOrderID int64     `json:"parent_order_id,string"`
	CompanyID     int64     `json:"company_id,string"`
	Timestamp     int64     `json:"timestamp,string"`
	FirstName     string    `json:"firstname"`
	LastName      string    `json:"lastname"`
	Email         string    `json:"email"`
	Phone         string    `json:"phone"`
	Status        string    `json:"status"`
	Total         centsJSON `json:"total"`
	InvoiceID     *string   `json:"invoice_id"`
	CreditMemoID  *string   `json:"credit_memo_id"`
	UpdatedAt     int64     `json:"updated_at,string"`
}

// A centsJSON is an amount in hundredths, shown with two places.
type centsJSON int64

func (c centsJSON) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"%d.%02d"`, c/100, c%100), nil
}

type ordersJSON struct {
	Orders []orderJSON `json:"orders"`
	Params paramsJSON  `json:"params"`
}

// listOrders lists the orders of a status within a span.
func (h *handWritten) listOrders(s *orderStatements) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		list := ordersJSON{Params: paramsJSON{SortOrder: "desc", SortBy: "date", SortReverse: "asc"}}
		p := &list.Params
		from, err1 := number(q.Get("time_from"), 0)
		to, err2 := number(q.Get("time_to"), 0)
		size, err3 := number(q.Get("items_per_page"), 10)
		page, err4 := number(q.Get("page"), 1)
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil || q.Get("sort_by") != "date" || q.Get("sort_order") != "desc" || q.Get("period") != "C" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
		}
		p.ItemsPerPage, p.Page = size, page
		reply(w, http.StatusOK, &list, s.find(r.Context(), &list, q.Get("status"), from, to))
	}
}

func (s *orderStatements) find(ctx context.Context, list *ordersJSON, status string, from, to int64) error {
	p := &list.Params
	if err := s.count.QueryRowContext(ctx, status, from, to).Scan(&p.Total); err != nil {
		return err
	}
	rows, err := s.page.QueryContext(ctx, status, from, to, p.ItemsPerPage, p.ItemsPerPage*(p.Page-1))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	list.Orders = make([]orderJSON, 0, min(p.ItemsPerPage, 1000))
	for rows.Next() {
		var o orderJSON
		err := rows.Scan(&o.OrderID, &o.IssuerID, &o.UserID, &o.IsParent, &o.ParentOrderID, &o.CompanyID, &o.Timestamp,
			&o.FirstName, &o.LastName, &o.Email, &o.Phone, &o.Status, &o.Total, &o.InvoiceID, &o.CreditMemoID, &o.UpdatedAt)
		if err != nil {
			return err
		}
		list.Orders = append(list.Orders, o)
	}
	return rows.Err()
}

// orderStatements are the prepared statements that list and place orders.
type orderStatements struct {
	page, count                                *sql.Stmt
	product, payment, shipping, customer, take *sql.Stmt
	insert, change                             *sql.Stmt
}

func prepareOrders(ctx context.Context, read, write *sql.DB) (*orderStatements, error) {
	const where = " FROM orders WHERE is_parent_order = 0 AND status = ? AND timestamp >= ? AND timestamp <= ?"
	s := &orderStatements{}
	for _, p := range []struct {
		db   *sql.DB
		stmt **sql.Stmt
		text string
	}{
		{read, &s.page, `SELECT order_id, issuer_id, user_id, is_parent_order, parent_order_id, company_id, timestamp, firstname, lastname,
			email, phone, status, total, invoice_id, credit_memo_id, updated_at` + where + " ORDER BY timestamp DESC, order_id DESC LIMIT ? OFFSET ?"},
		{read, &s.count, "SELECT count(*)" + where},
		{write, &s.product, "SELECT product, product_code, price, amount, company_id FROM products WHERE product_id = ?"},
		{write, &s.payment, "SELECT payment FROM payments WHERE payment_id = ? AND status IN ('A', 'H')"},
		{write, &s.shipping, "SELECT shipping FROM shippings WHERE shipping_id = ? AND status IN ('A', 'H')"},
		{write, &s.customer, "SELECT firstname, lastname, email FROM users WHERE user_id = ?"},
		{write, &s.take, "UPDATE products SET amount = amount - ? WHERE product_id = ?"},
		{write, &s.insert, `INSERT INTO orders (user_id, company_id, timestamp, firstname, lastname, email, email_fold, status, total,
			payment_id, shipping_ids, shipping_cost, subtotal, updated_at, customer, customer_fold, billing, shipping, products,
			taxes, shipping_methods, payment_method) VALUES (?, ?, ?, ?, ?, ?, ?, 'O', ?, ?, ?, ?, ?, ?, ?, ?, '{}', '{}', ?, '[]', ?, ?)`},
		{write, &s.change, "UPDATE orders SET details = ?, updated_at = ? WHERE order_id = ?"},
	} {
		var err error
		if *p.stmt, err = p.db.PrepareContext(ctx, p.text); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// A wantedJSON is the payload of an order.
type wantedJSON struct {
	UserID     int64 `json:"user_id,string"`
	PaymentID  int64 `json:"payment_id,string"`
	ShippingID int64 `json:"shipping_id,string"`
	Products   map[string]struct {
		Amount int64 `json:"amount,string"`
	}
}

type lineJSON struct {
	ItemID    int64     `json:"item_id"`
	ProductID int64     `json:"product_id"`
	CompanyID int64     `json:"company_id"`
	Code      string    `json:"product_code"`
	Name      string    `json:"product"`
	Amount    int64     `json:"amount"`
	Price     centsJSON `json:"price"`
	Subtotal  centsJSON `json:"subtotal"`
	Held      int64     `json:"held"`
}

// shippingCost is the rate of the only shipping method, in hundredths.
const shippingCost = 500

// placeOrder checks that customer, methods and products exist and that the stock
// suffices, takes the stock, and adds the order. Everything that can fail comes before
// the first change, so that a group of orders needs no savepoints.
func (h *handWritten) placeOrder(s *orderStatements) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var wanted wantedJSON
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&wanted); err != nil || len(wanted.Products) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var placed struct {
			OrderID int64 `json:"order_id,string"`
		}
		err := h.writer.write(r.Context(), func(tx *sql.Tx) (err error) {
			placed.OrderID, err = s.place(r.Context(), tx, &wanted)
			return err
		})
		reply(w, http.StatusCreated, placed, err)
	}
}

func (s *orderStatements) place(ctx context.Context, tx *sql.Tx, wanted *wantedJSON) (id int64, err error) {
	var first, last, email, payment, shipping string
	if err := tx.StmtContext(ctx, s.customer).QueryRowContext(ctx, wanted.UserID).Scan(&first, &last, &email); err != nil {
		return 0, err
	}
	if err := tx.StmtContext(ctx, s.payment).QueryRowContext(ctx, wanted.PaymentID).Scan(&payment); err != nil {
		return 0, err
	}
	if err := tx.StmtContext(ctx, s.shipping).QueryRowContext(ctx, wanted.ShippingID).Scan(&shipping); err != nil {
		return 0, err
	}
	var lines []lineJSON
	var subtotal, company int64
	for key, p := range wanted.Products {
		l := lineJSON{Amount: p.Amount, Held: p.Amount}
		var there int64
		if l.ProductID, err = strconv.ParseInt(key, 10, 64); err != nil {
			return 0, err
		}
		err := tx.StmtContext(ctx, s.product).QueryRowContext(ctx, l.ProductID).Scan(&l.Name, &l.Code, &l.Price, &there, &l.CompanyID)
		if err != nil {
			return 0, err
		}
		if l.Amount < 1 || l.Amount > there {
			return 0, fmt.Errorf("there are %d of product %d", there, l.ProductID)
		}
		l.ItemID, l.Subtotal, company = l.ProductID, l.Price*centsJSON(l.Amount), l.CompanyID
		subtotal += int64(l.Subtotal)
		lines = append(lines, l)
	}
	text, err := json.Marshal(lines)
	if err != nil {
		return 0, err
	}
	for i := range lines {
		if _, err := tx.StmtContext(ctx, s.take).ExecContext(ctx, lines[i].Amount, lines[i].ProductID); err != nil {
			return 0, err
		}
	}
	now := time.Now().Unix()
	result, err := tx.StmtContext(ctx, s.insert).ExecContext(ctx, wanted.UserID, company, now, first, last, email, email, subtotal+shippingCost,
		wanted.PaymentID, strconv.FormatInt(wanted.ShippingID, 10), shippingCost, subtotal, now, last+" "+first, last+" "+first,
		string(text), fmt.Sprintf(`[{"shipping_id":%d,"shipping":%q}]`, wanted.ShippingID, shipping), fmt.Sprintf(`{"payment":%q}`, payment))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// changeOrder writes the staff's notes on an order.
func (h *handWritten) changeOrder(s *orderStatements) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var v struct {
			Details string `json:"details"`
		}
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil || json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&v) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		err = h.writer.write(r.Context(), func(tx *sql.Tx) error {
			_, err := tx.StmtContext(r.Context(), s.change).ExecContext(r.Context(), v.Details, time.Now().Unix(), id)
			return err
		})
		reply(w, http.StatusOK, map[string]string{"order_id": strconv.FormatInt(id, 10)}, err)
	}
}
