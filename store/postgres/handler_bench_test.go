package postgres_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/users"
)

const (
	benchEmail = "root@example.com"
	benchKey   = "a-key-of-some-length-1"
	benchShop  = 2000 // categories
)

// BenchmarkHandler serves requests by the library and by a handler written by
// hand with net/http, pgx and encoding/json, which checks the same credentials in
// the same table, runs the same queries and writes the same fields. The metric
// x/hand is the library's speed divided by that of the hand.
func BenchmarkHandler(b *testing.B) {
	dsn := pgtest.DSN(b)
	library := newBenchShop(b, dsn)
	pool, err := pgxpool.New(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	hand := &handler{pool}
	ask := func(h http.Handler, address string) error {
		req := httptest.NewRequest("GET", address, nil)
		req.SetBasicAuth(benchEmail, benchKey)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"category_id":"`) {
			return fmt.Errorf("%s: %d %s", address, w.Code, w.Body)
		}
		return nil
	}
	for name, address := range map[string]func(i int64) string{
		"Get":    func(i int64) string { return fmt.Sprintf("/api/2.0/categories/%d", i*37%benchShop+1) },
		"Page20": func(i int64) string { return fmt.Sprintf("/api/2.0/categories?items_per_page=20&page=%d", i%20+1) },
	} {
		for _, goroutines := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", name, goroutines), func(b *testing.B) {
				beside(b, goroutines,
					func(i int64) error { return ask(library, address(i)) },
					func(i int64) error { return ask(hand, address(i)) })
			})
		}
	}
}

// newBenchShop makes a shop with categories and a root user.
func newBenchShop(b testing.TB, dsn string) *shop.Shop {
	b.Helper()
	return fillBenchShop(b, open(b, dsn), dsn)
}

// fillBenchShop is newBenchShop in a store.
func fillBenchShop(b testing.TB, st store.Store, dsn string) *shop.Shop {
	b.Helper()
	s, err := shop.New(b.Context(), st, &shop.Options{Options: shopapi.Options{Logger: slog.New(slog.DiscardHandler)}})
	if err == nil {
		err = users.EnsureRootKey(b.Context(), st, benchEmail, benchKey)
	}
	if err != nil {
		b.Fatal(err)
	}
	schema := categories.Schemas()[0]
	row := make([]store.Value, len(schema.Columns))
	for i := range schema.Columns {
		row[i] = schema.Columns[i].Zero()
	}
	err = st.Update(b.Context(), func(_ context.Context, tx store.Tx) error {
		for n := range benchShop {
			row[schema.Index("category")] = store.String(fmt.Sprintf("Category %d", n))
			row[schema.Index("tree_order")] = store.String(fmt.Sprintf("%08d", n))
			row[schema.Index("company_id")] = store.Int(1)
			row[schema.Index("status")] = store.String("A")
			if _, err := tx.Insert(schema, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	exec(b, dsn, "ANALYZE")
	return s
}

// A handler is what a programmer writes for this one purpose.
type handler struct{ pool *pgxpool.Pool }

type handSummary struct {
	CategoryID   int64  `json:"category_id,string"`
	ParentID     int64  `json:"parent_id,string"`
	IDPath       string `json:"id_path"`
	Name         string `json:"category"`
	Position     int64  `json:"position,string"`
	Status       string `json:"status"`
	ProductCount int64  `json:"product_count,string"`
	CompanyID    int64  `json:"company_id,string"`
}

const (
	handAccount = `SELECT "status", "api_key_hash" FROM "users" WHERE "email_fold" = $1`
	handColumns = `"category_id", "parent_id", "id_path", "category", "position", "status", "product_count", "company_id"`
	handList    = "SELECT " + handColumns + ` FROM "categories" ORDER BY "tree_order", "category_id" LIMIT $1 OFFSET $2`
	handCount   = `SELECT count(*) FROM "categories"`
	handBegin   = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
)

// handGet reads the other columns too, as the library does.
var handGet = func() string {
	var names []string
	for _, c := range categories.Schemas()[0].Columns {
		names = append(names, `"`+c.Name+`"`)
	}
	return "SELECT " + strings.Join(names, ", ") + ` FROM "categories" WHERE "category_id" = $1`
}()

func (h *handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	email, key, _ := req.BasicAuth()
	var status, hash string
	err := h.pool.QueryRow(req.Context(), handAccount, store.Fold(email)).Scan(&status, &hash)
	sum := sha256.Sum256([]byte(key))
	if err != nil || status != "A" || subtle.ConstantTimeCompare([]byte(hash), []byte(hex.EncodeToString(sum[:]))) != 1 {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	var object any
	if id := strings.TrimPrefix(req.URL.Path, "/api/2.0/categories/"); id != req.URL.Path {
		object, err = h.get(req.Context(), id)
	} else {
		page, _ := strconv.Atoi(req.FormValue("page"))
		limit, _ := strconv.Atoi(req.FormValue("items_per_page"))
		object, err = h.list(req.Context(), w, limit, (page-1)*limit)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(object)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func (h *handler) get(ctx context.Context, id string) (any, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, err
	}
	rows, err := h.pool.Query(ctx, handGet, n)
	if err != nil {
		return nil, err
	}
	values, err := pgx.CollectExactlyOneRow(rows, pgx.RowToMap)
	if err != nil {
		return nil, err
	}
	for name, v := range values {
		if n, ok := v.(int64); ok {
			values[name] = strconv.FormatInt(n, 10)
		}
	}
	return values, nil
}

func (h *handler) list(ctx context.Context, w http.ResponseWriter, limit, offset int) (any, error) {
	var batch pgx.Batch
	batch.Queue(handBegin)
	batch.Queue(handList, limit, offset)
	batch.Queue(handCount)
	batch.Queue("COMMIT")
	results := h.pool.SendBatch(ctx, &batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[handSummary])
	if err != nil {
		return nil, err
	}
	var total int64
	if err := results.QueryRow().Scan(&total); err != nil {
		return nil, err
	}
	w.Header().Set("X-Total", strconv.FormatInt(total, 10))
	return list, nil
}
