package peer

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A handWritten is the server that a good programmer writes for only these operations:
// database/sql, statements prepared once, the same file, engine and pragmas as the
// library's store. Its responses have the same fields.
type handWritten struct {
	db       *sql.DB
	category *sql.Stmt
	writer   writer

	mu    sync.RWMutex
	lists map[string]*listStatements // by the conditions
}

type listStatements struct{ page, count *sql.Stmt }

// A writer commits a change.
type writer interface {
	write(ctx context.Context, change func(*sql.Tx) error) error
	close() error
}

func openHandWritten(ctx context.Context, c Config) (_ *server, err error) {
	file := filepath.Join(c.Dir, "handwritten.db")
	if err := copyFile(file, c.Source); err != nil {
		return nil, err
	}
	open := func(connections int, more string) (*sql.DB, error) {
		db, err := sql.Open("sqlite", "file:"+url.PathEscape(file)+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)"+
			"&_pragma=synchronous(FULL)&_pragma=journal_size_limit(33554432)&_pragma=cache_size(-16384)"+more)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db, db.PingContext(ctx)
	}
	h := &handWritten{lists: map[string]*listStatements{}}
	if h.db, err = open(max(4, runtime.GOMAXPROCS(0)), ""); err != nil {
		return nil, err
	}
	writeDB, err := open(1, "&_txlock=immediate")
	if err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	statements, err := prepareWrites(ctx, writeDB)
	if err == nil {
		h.category, err = h.db.PrepareContext(ctx, selectCategory)
	}
	var orders *orderStatements
	if err == nil {
		orders, err = prepareOrders(ctx, h.db, writeDB)
	}
	if err != nil {
		return nil, errors.Join(err, writeDB.Close(), h.db.Close())
	}
	if c.Name == SQLGrouped {
		h.writer = newGrouped(writeDB)
	} else {
		h.writer = single{writeDB}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/2.0/categories/{id}", h.getCategory)
	mux.HandleFunc("GET /api/2.0/discussions/{id}", h.getReview)
	mux.HandleFunc("GET /api/2.0/discussions", h.listReviews)
	mux.HandleFunc("POST /api/2.0/discussions", h.createReview(statements))
	mux.HandleFunc("PUT /api/2.0/discussions/{id}", h.updateReview(statements))
	mux.HandleFunc("GET /api/2.0/orders", h.listOrders(orders))
	mux.HandleFunc("POST /api/2.0/orders", h.placeOrder(orders))
	mux.HandleFunc("PUT /api/2.0/orders/{id}", h.changeOrder(orders))
	closeAll := func() error { return errors.Join(h.writer.close(), writeDB.Close(), h.db.Close()) }
	return &server{checked(mux), basic(), closeAll}, nil
}

type categoryJSON struct {
	CategoryID            int64        `json:"category_id,string"`
	ParentID              int64        `json:"parent_id,string"`
	IDPath                string       `json:"id_path"`
	Name                  string       `json:"category"`
	Position              int64        `json:"position,string"`
	Status                string       `json:"status"`
	ProductCount          int64        `json:"product_count,string"`
	CompanyID             int64        `json:"company_id,string"`
	UpdatedAt             int64        `json:"updated_at,string"`
	UsergroupIDs          string       `json:"usergroup_ids"`
	Timestamp             int64        `json:"timestamp,string"`
	IsOp                  flagJSON     `json:"is_op"`
	Localization          string       `json:"localization"`
	AgeVerification       flagJSON     `json:"age_verification"`
	AgeLimit              int64        `json:"age_limit,string"`
	ParentAgeVerification flagJSON     `json:"parent_age_verification"`
	ParentAgeLimit        int64        `json:"parent_age_limit,string"`
	SelectedViews         documentJSON `json:"selected_views"`
	DefaultView           string       `json:"default_view"`
	ProductDetailsView    string       `json:"product_details_view"`
	ProductColumns        int64        `json:"product_columns,string"`
	LangCode              string       `json:"lang_code"`
	Description           string       `json:"description"`
	MetaKeywords          string       `json:"meta_keywords"`
	MetaDescription       string       `json:"meta_description"`
	PageTitle             string       `json:"page_title"`
	AgeWarningMessage     string       `json:"age_warning_message"`
	MainPair              documentJSON `json:"main_pair"`
}

// A flagJSON is stored as 0 or 1 and written as N or Y.
type flagJSON int64

func (f flagJSON) MarshalJSON() ([]byte, error) {
	if f != 0 {
		return []byte(`"Y"`), nil
	}
	return []byte(`"N"`), nil
}

// A documentJSON is a text that is written unchanged.
type documentJSON string

func (d documentJSON) MarshalJSON() ([]byte, error) { return []byte(d), nil }

const selectCategory = `SELECT category_id, parent_id, id_path, category, position, status, product_count, company_id, updated_at,
	usergroup_ids, timestamp, is_op, localization, age_verification, age_limit, parent_age_verification, parent_age_limit,
	selected_views, default_view, product_details_view, product_columns, lang_code, description, meta_keywords,
	meta_description, page_title, age_warning_message, main_pair FROM categories WHERE category_id = ?`

func (h *handWritten) getCategory(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var c categoryJSON
	err = h.category.QueryRowContext(r.Context(), id).Scan(&c.CategoryID, &c.ParentID, &c.IDPath, &c.Name, &c.Position,
		&c.Status, &c.ProductCount, &c.CompanyID, &c.UpdatedAt, &c.UsergroupIDs, &c.Timestamp, &c.IsOp, &c.Localization,
		&c.AgeVerification, &c.AgeLimit, &c.ParentAgeVerification, &c.ParentAgeLimit, &c.SelectedViews, &c.DefaultView,
		&c.ProductDetailsView, &c.ProductColumns, &c.LangCode, &c.Description, &c.MetaKeywords, &c.MetaDescription,
		&c.PageTitle, &c.AgeWarningMessage, &c.MainPair)
	reply(w, http.StatusOK, &c, err)
}

type reviewJSON struct {
	PostID     int64  `json:"post_id,string"`
	ThreadID   int64  `json:"thread_id,string"`
	Name       string `json:"name"`
	Timestamp  int64  `json:"timestamp,string"`
	UserID     int64  `json:"user_id,string"`
	IPAddress  string `json:"ip_address"`
	Status     string `json:"status"`
	Message    string `json:"message"`
	Rating     int64  `json:"rating_value,string"`
	ObjectID   int64  `json:"object_id,string"`
	ObjectType string `json:"object_type"`
	Type       string `json:"type"`
	CompanyID  int64  `json:"company_id,string"`
	UpdatedAt  int64  `json:"updated_at,string"`
}

const reviewColumns = `post_id, thread_id, name, timestamp, user_id, ip_address, status, message, rating_value,
	object_id, object_type, type, company_id, updated_at`

func (v *reviewJSON) targets() []any {
	return []any{&v.PostID, &v.ThreadID, &v.Name, &v.Timestamp, &v.UserID, &v.IPAddress, &v.Status, &v.Message,
		&v.Rating, &v.ObjectID, &v.ObjectType, &v.Type, &v.CompanyID, &v.UpdatedAt}
}

// getReview is used to check responses and is not measured: it prepares no statement.
func (h *handWritten) getReview(w http.ResponseWriter, r *http.Request) {
	var v reviewJSON
	err := h.db.QueryRowContext(r.Context(), "SELECT "+reviewColumns+" FROM discussions WHERE post_id = ?", r.PathValue("id")).
		Scan(v.targets()...)
	reply(w, http.StatusOK, &v, err)
}

type listJSON struct {
	Discussions []reviewJSON `json:"discussions"`
	Params      paramsJSON   `json:"params"`
}

type paramsJSON struct {
	ItemsPerPage int64  `json:"items_per_page,string"`
	Page         int64  `json:"page"`
	SortOrder    string `json:"sort_order"`
	SortBy       string `json:"sort_by"`
	SortReverse  string `json:"sort_order_rev"`
	Total        int64  `json:"total_items,string"`
}

// filters are the parameters of a list, which are also columns.
var filters = []string{"status", "rating_value", "object_type", "object_id"}

func (h *handWritten) listReviews(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var where []string
	var args []any
	for _, column := range filters {
		if value := q.Get(column); value != "" {
			where = append(where, column+" = ?")
			args = append(args, value)
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
	err = h.list(r.Context(), &list, strings.Join(where, " AND "), args)
	reply(w, http.StatusOK, &list, err)
}

func number(text string, otherwise int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err == nil && n < 1 {
		err = fmt.Errorf("%d is less than 1", n)
	}
	return n, err
}

func (h *handWritten) list(ctx context.Context, list *listJSON, where string, args []any) error {
	s, err := h.statements(ctx, where)
	if err != nil {
		return err
	}
	p := &list.Params
	if err := s.count.QueryRowContext(ctx, args...).Scan(&p.Total); err != nil {
		return err
	}
	rows, err := s.page.QueryContext(ctx, append(args, p.ItemsPerPage, p.ItemsPerPage*(p.Page-1))...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	list.Discussions = make([]reviewJSON, 0, min(p.ItemsPerPage, 1000))
	for rows.Next() {
		var v reviewJSON
		if err := rows.Scan(v.targets()...); err != nil {
			return err
		}
		list.Discussions = append(list.Discussions, v)
	}
	return rows.Err()
}

// statements returns the statements of a list, prepared on first use.
func (h *handWritten) statements(ctx context.Context, where string) (*listStatements, error) {
	h.mu.RLock()
	s := h.lists[where]
	h.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.lists[where]; s != nil {
		return s, nil
	}
	from := " FROM discussions"
	if where != "" {
		from += " WHERE " + where
	}
	page, err := h.db.PrepareContext(ctx, "SELECT "+reviewColumns+from+" ORDER BY timestamp DESC, post_id DESC LIMIT ? OFFSET ?")
	if err != nil {
		return nil, err
	}
	count, err := h.db.PrepareContext(ctx, "SELECT count(*)"+from)
	if err != nil {
		return nil, err
	}
	s = &listStatements{page, count}
	h.lists[where] = s
	return s, nil
}

// reply responds with v, or with the error.
func reply(w http.ResponseWriter, status int, v any, err error) {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		w.WriteHeader(http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
