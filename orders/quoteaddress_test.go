package orders_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// A quoted is the response to POST orders?quote=Y.
type quoted struct {
	Order     map[string]any      `json:"order"`
	Payments  []map[string]string `json:"payments"`
	Shippings []map[string]string `json:"shippings"`
}

func (w *world) quote(payload string) (q quoted) {
	w.t.Helper()
	a := w.Post("/api/2.0/orders?quote=Y", payload)
	if a.Status != 200 {
		w.t.Fatalf("POST orders?quote=Y %s: %d %s", payload, a.Status, a.Body)
	}
	a.Decode(&q)
	return q
}

const mug = `{"1": {"amount": 2, "product_options": {"1": "1", "2": "3"}}}`

func TestE12_Quote(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		before := w.everything()
		q := w.quote(w.order(mug))
		if after := w.everything(); after != before {
			w.t.Errorf("a quote changed the shop")
		}
		placed := w.Get("/api/2.0/orders/" + w.place(mug)).JSON().(map[string]any)
		for _, field := range []string{"order_id", "updated_at"} {
			delete(placed, field)
			delete(q.Order, field)
		}
		shown := func(v any) string {
			text, err := json.Marshal(v)
			if err != nil {
				w.t.Fatal(err)
			}
			return string(text)
		}
		for field, want := range placed {
			if got := q.Order[field]; shown(got) != shown(want) && field != "products" && field != "product_groups" {
				w.t.Errorf("%s is %s, and in the order %s", field, shown(got), shown(want))
			}
		}
		wantPayments := []map[string]string{
			{"payment_id": "1", "payment": "Card", "payment_surcharge": "0.93"},
			{"payment_id": "2", "payment": "Cash", "payment_surcharge": "0.00"},
		}
		if diff := cmp.Diff(wantPayments, q.Payments); diff != "" {
			w.t.Errorf("payments (-want +got):\n%s", diff)
		}
		wantShippings := []map[string]string{
			{"company_id": "1", "shipping_id": "1", "shipping": "Post", "shipping_cost": "6.00"},
			{"company_id": "1", "shipping_id": "2", "shipping": "Bike", "shipping_cost": "4.00"},
		}
		if diff := cmp.Diff(wantShippings, q.Shippings); diff != "" {
			w.t.Errorf("shippings (-want +got):\n%s", diff)
		}
	})
}

// Methods that are not chosen cost nothing, and the customer may follow.
func TestE12_QuoteWithoutMethods(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		q := w.quote(fmt.Sprintf(`{"products": %s}`, mug))
		if q.Order["shipping_cost"] != "0.00" || q.Order["payment_surcharge"] != "0.00" || len(q.Shippings) != 2 {
			w.t.Errorf("shipping %v, surcharge %v, %d methods", q.Order["shipping_cost"], q.Order["payment_surcharge"], len(q.Shippings))
		}
		w.refuses("POST", "orders?quote=Y", `{"products": {"1": {"amount": 99}}}`, "products[1]")
		w.refuses("POST", "orders?quote=Y", `{"payment_id": 9, "products": {"4": {"amount": 1}}}`, "payment_id")
		if got := w.Post("/api/2.0/orders?quote=X", w.order(mug)).Status; got != 400 {
			w.t.Errorf("quote=X: %d", got)
		}
		if got := w.User("view_orders").Post("/api/2.0/orders?quote=Y", w.order(mug)).Status; got != 403 {
			w.t.Errorf("without manage_orders: %d", got)
		}
	})
}

func TestE12_QuoteOfVendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		basket := w.made("products", `{"product": "Basket", "category_ids": [1], "company_id": 2, "price": "4", "amount": 9}`)
		q := w.quote(fmt.Sprintf(`{"user_id": %s, "products": {"2": {"amount": 1}, "%s": {"amount": 1}}}`, w.user(), basket))
		offered := func(q quoted) (of []string) {
			for _, s := range q.Shippings {
				of = append(of, s["company_id"]+":"+s["shipping"]+" "+s["shipping_cost"])
			}
			return of
		}
		want := []string{"1:Post 5.50", "1:Bike 4.00", "2:Post 5.50", "2:Bike 4.00"}
		if of := offered(q); !slices.Equal(of, want) {
			w.t.Errorf("shippings %v, want %v", of, want)
		}
		chosen := w.quote(fmt.Sprintf(`{"user_id": %s, "shipping_id": ["1", "2"], "products": {"2": {"amount": 1}, "%s": {"amount": 1}}}`, w.user(), basket))
		if of := offered(chosen); !slices.Equal(of, want) {
			w.t.Errorf("with methods by product group: shippings %v, want %v", of, want)
		}
		alone := w.quote(fmt.Sprintf(`{"user_id": %s, "shipping_id": ["1"], "products": {"2": {"amount": 1}}}`, w.user()))
		if of := offered(alone); !slices.Equal(of, want[:2]) {
			w.t.Errorf("with the method of one product group: shippings %v, want %v", of, want[:2])
		}
	})
}

// BeforeSave runs, may refuse, and what it writes is undone; AfterSave does not run.
func TestE12_QuoteRunsHooksBefore(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		var ran []string
		w.Orders.BeforeSave(func(_ context.Context, _ store.Tx, _, after *orders.Order) error {
			ran = append(ran, "before")
			if strings.Contains(after.Notes, "no") {
				return shopapi.Invalid("notes", "must be kind")
			}
			return nil
		})
		w.Orders.AfterSave(func(context.Context, store.Tx, *orders.Order, *orders.Order) error {
			return errors.New("a quote was saved")
		})
		w.quote(w.order(mug))
		if len(ran) == 0 || slices.Contains(ran, "after") {
			w.t.Errorf("hooks that ran: %v", ran)
		}
		w.refuses("POST", "orders?quote=Y", fmt.Sprintf(`{"notes": "no", "products": %s}`, mug), "notes")
	})
}

// A quote reads: it is answered while another program changes the shop.
func TestE12_QuoteDoesNotWait(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		err := w.Store.Update(w.t.Context(), func(context.Context, store.Tx) error {
			w.quote(w.order(mug))
			return nil
		})
		if err != nil {
			w.t.Error(err)
		}
	})
}

// A hook of the host may write; what it writes is undone.
func TestE12_QuoteUndoesHooks(t *testing.T) {
	eachStoreWith(t, shopapi.Options{}, func(w *world) {
		type note struct {
			ID int64 `json:"id" store:"key"`
		}
		notes := store.MustTable[note]("notes")
		if err := w.Store.Migrate(w.t.Context(), notes.Schema()); err != nil {
			w.t.Fatal(err)
		}
		written := 0
		w.Orders.BeforeSave(func(_ context.Context, tx store.Tx, _, _ *orders.Order) error {
			err := notes.Insert(tx, &note{})
			if err == nil {
				written++
			}
			return err
		})
		w.quote(w.order(mug))
		err := w.Store.View(w.t.Context(), func(_ context.Context, tx store.Tx) error {
			n, err := notes.Count(tx)
			if written == 0 || n != 0 {
				w.t.Errorf("%d rows of %d that the hook wrote were stored", n, written)
			}
			return err
		})
		if err != nil {
			w.t.Error(err)
		}
	})
}
