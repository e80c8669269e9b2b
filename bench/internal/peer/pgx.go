package peer

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A handPGX is the server that a good programmer writes for only these operations over
// PostgreSQL: pgx, one pool, statements that are prepared on first use, one SELECT and one
// count for a list.
type handPGX struct {
	pool   *pgxpool.Pool
	writer pgxWriter
}

func openPGX(ctx context.Context, c Config) (*server, error) {
	pool, err := pgxpool.New(ctx, c.Database+connections)
	if err != nil {
		return nil, err
	}
	h := &handPGX{pool: pool, writer: pgxSingle{pool}}
	if c.Name == PGXGrouped {
		h.writer = newPGXGrouped(pool)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/2.0/categories/{id}", h.getCategory)
	mux.HandleFunc("GET /api/2.0/discussions/{id}", h.getReview)
	mux.HandleFunc("GET /api/2.0/discussions", h.listReviews)
	mux.HandleFunc("POST /api/2.0/discussions", h.createReview)
	mux.HandleFunc("PUT /api/2.0/discussions/{id}", h.updateReview)
	mux.HandleFunc("GET /api/2.0/orders", h.listOrders)
	mux.HandleFunc("POST /api/2.0/orders", h.placeOrder)
	mux.HandleFunc("PUT /api/2.0/orders/{id}", h.changeOrder)
	return &server{checked(mux), basic(), func() error {
		h.writer.close()
		pool.Close()
		return nil
	}}, nil
}

// replyPGX is reply for errors of pgx.
func replyPGX(w http.ResponseWriter, status int, v any, err error) {
	if errors.Is(err, pgx.ErrNoRows) {
		err = sql.ErrNoRows
	}
	reply(w, status, v, err)
}

var selectCategoryPGX = strings.NewReplacer("is_op", "is_op::int", " age_verification", " age_verification::int",
	"parent_age_verification", "parent_age_verification::int", "?", "$1").Replace(selectCategory)

func (h *handPGX) getCategory(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var c categoryJSON
	err = h.pool.QueryRow(r.Context(), selectCategoryPGX, id).Scan(&c.CategoryID, &c.ParentID, &c.IDPath, &c.Name, &c.Position,
		&c.Status, &c.ProductCount, &c.CompanyID, &c.UpdatedAt, &c.UsergroupIDs, &c.Timestamp, &c.IsOp, &c.Localization,
		&c.AgeVerification, &c.AgeLimit, &c.ParentAgeVerification, &c.ParentAgeLimit, &c.SelectedViews, &c.DefaultView,
		&c.ProductDetailsView, &c.ProductColumns, &c.LangCode, &c.Description, &c.MetaKeywords, &c.MetaDescription,
		&c.PageTitle, &c.AgeWarningMessage, &c.MainPair)
	replyPGX(w, http.StatusOK, &c, err)
}

func (h *handPGX) getReview(w http.ResponseWriter, r *http.Request) {
	var v reviewJSON
	err := h.pool.QueryRow(r.Context(), "SELECT "+reviewColumns+" FROM discussions WHERE post_id = $1", r.PathValue("id")).Scan(v.targets()...)
	replyPGX(w, http.StatusOK, &v, err)
}

func (h *handPGX) listReviews(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	where := ""
	var args []any
	for _, column := range filters {
		if value := q.Get(column); value != "" {
			args = append(args, value)
			where += " AND " + column + " = $" + strconv.Itoa(len(args))
		}
	}
	list := listJSON{Params: paramsJSON{SortOrder: "desc", SortBy: "timestamp", SortReverse: "asc"}}
	p := &list.Params
	var err error
	if p.ItemsPerPage, err = number(q.Get("items_per_page"), 10); err == nil {
		p.Page, err = number(q.Get("page"), 1)
	}
	if err != nil || q.Get("sort_by") != "timestamp" || q.Get("sort_order") != "desc" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	from := " FROM discussions"
	if where != "" {
		from += " WHERE" + strings.TrimPrefix(where, " AND")
	}
	err = h.page(r.Context(), p, reviewColumns, from, " ORDER BY timestamp DESC, post_id DESC", args, func(rows pgx.Rows) error {
		var v reviewJSON
		err := rows.Scan(v.targets()...)
		list.Discussions = append(list.Discussions, v)
		return err
	})
	if list.Discussions == nil {
		list.Discussions = []reviewJSON{}
	}
	replyPGX(w, http.StatusOK, &list, err)
}

// page reads a page and its total.
func (h *handPGX) page(ctx context.Context, p *paramsJSON, columns, from, order string, args []any, each func(pgx.Rows) error) error {
	if err := h.pool.QueryRow(ctx, "SELECT count(*)"+from, args...).Scan(&p.Total); err != nil {
		return err
	}
	n := strconv.Itoa(len(args) + 1)
	more := strconv.Itoa(len(args) + 2)
	rows, err := h.pool.Query(ctx, "SELECT "+columns+from+order+" LIMIT $"+n+" OFFSET $"+more, append(args, p.ItemsPerPage, p.ItemsPerPage*(p.Page-1))...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

const orderColumnsPGX = `order_id, issuer_id::text, user_id, is_parent_order::int, parent_order_id, company_id, timestamp, firstname, lastname,
	email, phone, status, (total * 100)::bigint, invoice_id::text, credit_memo_id::text, updated_at`

func (h *handPGX) listOrders(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	list := ordersJSON{Params: paramsJSON{SortOrder: "desc", SortBy: "date", SortReverse: "asc"}, Orders: []orderJSON{}}
	p := &list.Params
	from, err1 := number(q.Get("time_from"), 0)
	to, err2 := number(q.Get("time_to"), 0)
	size, err3 := number(q.Get("items_per_page"), 10)
	page, err4 := number(q.Get("page"), 1)
	if err := errors.Join(err1, err2, err3, err4); err != nil || q.Get("sort_by") != "date" || q.Get("sort_order") != "desc" || q.Get("period") != "C" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.ItemsPerPage, p.Page = size, page
	err := h.page(r.Context(), p, orderColumnsPGX, " FROM orders WHERE NOT is_parent_order AND status = $1 AND timestamp >= $2 AND timestamp <= $3",
		" ORDER BY timestamp DESC, order_id DESC", []any{q.Get("status"), from, to}, func(rows pgx.Rows) error {
			var o orderJSON
			err := rows.Scan(&o.OrderID, &o.IssuerID, &o.UserID, &o.IsParent, &o.ParentOrderID, &o.CompanyID, &o.Timestamp,
				&o.FirstName, &o.LastName, &o.Email, &o.Phone, &o.Status, &o.Total, &o.InvoiceID, &o.CreditMemoID, &o.UpdatedAt)
			list.Orders = append(list.Orders, o)
			return err
		})
	replyPGX(w, http.StatusOK, &list, err)
}

// now is the time of a change.
func now() int64 { return time.Now().Unix() }
