package peer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/bench/internal/data"
)

// A pgxWriter commits a change.
type pgxWriter interface {
	write(ctx context.Context, change func(pgx.Tx) error) error
	close()
}

// A pgxSingle commits each change by itself.
type pgxSingle struct{ pool *pgxpool.Pool }

func (s pgxSingle) write(ctx context.Context, change func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, change)
}

func (pgxSingle) close() {}

// A pgxGrouped commits waiting changes together, in one transaction. Where one fails, each
// is carried out alone.
type pgxGrouped struct {
	single pgxSingle
	jobs   chan pgxJob
	ended  chan struct{}
}

type pgxJob struct {
	change func(pgx.Tx) error
	done   chan error
}

func newPGXGrouped(pool *pgxpool.Pool) *pgxGrouped {
	g := &pgxGrouped{pgxSingle{pool}, make(chan pgxJob, maxGroup), make(chan struct{})}
	go g.run()
	return g
}

func (g *pgxGrouped) write(ctx context.Context, change func(pgx.Tx) error) error {
	j := pgxJob{change, make(chan error, 1)}
	select {
	case g.jobs <- j:
		return <-j.done
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *pgxGrouped) run() {
	defer close(g.ended)
	for first := range g.jobs {
		group := []pgxJob{first}
		for more := true; more && len(group) < maxGroup; {
			select {
			case j, ok := <-g.jobs:
				if more = ok; ok {
					group = append(group, j)
				}
			default:
				more = false
			}
		}
		g.commit(group)
	}
}

func (g *pgxGrouped) commit(group []pgxJob) {
	ctx := context.Background()
	err := g.single.write(ctx, func(tx pgx.Tx) error {
		for _, j := range group {
			if err := j.change(tx); err != nil {
				return err
			}
		}
		return nil
	})
	for _, j := range group {
		if err != nil {
			j.done <- g.single.write(ctx, j.change)
			continue
		}
		j.done <- nil
	}
}

func (g *pgxGrouped) close() {
	close(g.jobs)
	<-g.ended
}

func (h *handPGX) createReview(w http.ResponseWriter, r *http.Request) {
	var v reviewJSON
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&v); err != nil || v.ObjectType != "P" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ctx := r.Context()
	err := h.writer.write(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT company_id FROM products WHERE product_id = $1", v.ObjectID).Scan(&v.CompanyID); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, "SELECT thread_id, type FROM discussion_threads WHERE object_type = $1 AND object_id = $2", v.ObjectType, v.ObjectID).Scan(&v.ThreadID, &v.Type)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `INSERT INTO discussions (thread_id, name, timestamp, user_id, ip_address, status, message, rating_value,
			object_id, object_type, type, company_id, updated_at, name_fold, message_fold)
			VALUES ($1, $2, $3, 1, $4, 'A', $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING post_id`,
			v.ThreadID, v.Name, now(), "127.0.0.1", v.Message, v.Rating, v.ObjectID, v.ObjectType, v.Type, data.Company, now(),
			strings.ToLower(v.Name), strings.ToLower(v.Message)).Scan(&v.PostID)
	})
	replyPGX(w, http.StatusCreated, writtenJSON{v.PostID}, err)
}

func (h *handPGX) updateReview(w http.ResponseWriter, r *http.Request) {
	var v struct {
		Message string `json:"message"`
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&v) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	err = h.writer.write(r.Context(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(r.Context(), "UPDATE discussions SET message = $1, message_fold = $2, updated_at = $3 WHERE post_id = $4",
			v.Message, strings.ToLower(v.Message), now(), id)
		if err == nil && tag.RowsAffected() == 0 {
			err = pgx.ErrNoRows
		}
		return err
	})
	replyPGX(w, http.StatusOK, writtenJSON{id}, err)
}

// placeOrder is the same as over SQLite. Stocks are taken in the order of the products, so
// that two orders do not wait for each other.
func (h *handPGX) placeOrder(w http.ResponseWriter, r *http.Request) {
	var wanted wantedJSON
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&wanted); err != nil || len(wanted.Products) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var placed struct {
		OrderID int64 `json:"order_id,string"`
	}
	err := h.writer.write(r.Context(), func(tx pgx.Tx) (err error) {
		placed.OrderID, err = placePGX(r.Context(), tx, &wanted)
		return err
	})
	replyPGX(w, http.StatusCreated, placed, err)
}

func placePGX(ctx context.Context, tx pgx.Tx, wanted *wantedJSON) (id int64, err error) {
	var first, last, email, payment, shipping string
	if err := tx.QueryRow(ctx, "SELECT firstname, lastname, email FROM users WHERE user_id = $1", wanted.UserID).Scan(&first, &last, &email); err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, "SELECT payment FROM payments WHERE payment_id = $1 AND status IN ('A', 'H')", wanted.PaymentID).Scan(&payment); err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, "SELECT shipping FROM shippings WHERE shipping_id = $1 AND status IN ('A', 'H')", wanted.ShippingID).Scan(&shipping); err != nil {
		return 0, err
	}
	var lines []lineJSON
	var subtotal, company int64
	for key, p := range wanted.Products {
		l := lineJSON{Amount: p.Amount, Held: p.Amount}
		if l.ProductID, err = strconv.ParseInt(key, 10, 64); err != nil {
			return 0, err
		}
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b lineJSON) int { return cmp.Compare(a.ProductID, b.ProductID) })
	for i := range lines {
		l := &lines[i]
		err := tx.QueryRow(ctx, `UPDATE products SET amount = amount - $1 WHERE product_id = $2 AND amount >= $1 AND $1 > 0
			RETURNING product, product_code, (price * 100)::bigint, company_id`, l.Amount, l.ProductID).Scan(&l.Name, &l.Code, &l.Price, &l.CompanyID)
		if err != nil {
			return 0, fmt.Errorf("taking %d of product %d: %w", l.Amount, l.ProductID, err)
		}
		l.ItemID, l.Subtotal, company = l.ProductID, l.Price*centsJSON(l.Amount), l.CompanyID
		subtotal += int64(l.Subtotal)
	}
	text, err := json.Marshal(lines)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `INSERT INTO orders (user_id, company_id, timestamp, firstname, lastname, email, email_fold, status, total,
		payment_id, shipping_ids, shipping_cost, subtotal, updated_at, customer, customer_fold, billing, shipping, products,
		taxes, shipping_methods, payment_method) VALUES ($1, $2, $3, $4, $5, $6, $7, 'O', $8::numeric / 100, $9, $10, $11::numeric / 100,
		$12::numeric / 100, $13, $14, $15, '{}', '{}', $16, '[]', $17, $18) RETURNING order_id`,
		wanted.UserID, company, now(), first, last, email, email, subtotal+shippingCost, wanted.PaymentID, strconv.FormatInt(wanted.ShippingID, 10),
		shippingCost, subtotal, now(), last+" "+first, last+" "+first, string(text),
		fmt.Sprintf(`[{"shipping_id":%d,"shipping":%q}]`, wanted.ShippingID, shipping), fmt.Sprintf(`{"payment":%q}`, payment)).Scan(&id)
	return id, err
}

func (h *handPGX) changeOrder(w http.ResponseWriter, r *http.Request) {
	var v struct {
		Details string `json:"details"`
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&v) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	err = h.writer.write(r.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(r.Context(), "UPDATE orders SET details = $1, updated_at = $2 WHERE order_id = $3", v.Details, now(), id)
		return err
	})
	replyPGX(w, http.StatusOK, map[string]string{"order_id": strconv.FormatInt(id, 10)}, err)
}
