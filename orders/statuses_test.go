package orders_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
)

// The eight stock statuses are there from the start; five of them take stock
// (decisions §20).
func TestStatuses_Stock(t *testing.T) {
	eachStore(t, func(w *world) {
		var list struct {
			Statuses []struct {
				Status    string
				IsDefault string `json:"is_default"`
				Type      string
				Params    map[string]string
			}
		}
		w.Get("/api/2.0/statuses").Decode(&list)
		got := map[string]string{}
		for _, s := range list.Statuses {
			got[s.Status] = s.Params["inventory"] + s.IsDefault + s.Type
		}
		want := map[string]string{"P": "DYO", "C": "DYO", "O": "DYO", "B": "DYO", "Y": "DYO", "F": "IYO", "D": "IYO", "I": "IYO"}
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Error(diff)
		}
	})
}

// A second shop over the same store finds the statuses as they were left.
func TestStatuses_AreThereOnce(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		w := newWorld(t, unclosed{st}, shopapi.Options{})
		w.Put("/api/2.0/statuses/1", `{"description": "In work"}`)
		again := newShopOver(t, unclosed{st})
		list, total, err := again.Orders.Statuses().Find(t.Context(), orders.StatusFilter{})
		if err != nil || total != 8 || list[0].Description != "In work" {
			t.Errorf("got %d, %v, %v", total, list, err)
		}
	})
}

// A new status gets the first free capital letter, then digit; N and T stay reserved
// (decisions §20).
func TestStatuses_Letters(t *testing.T) {
	eachStore(t, func(w *world) {
		letters := ""
		for {
			a := w.Post("/api/2.0/statuses", `{"description": "One more", "status": "Z", "type": "O"}`)
			if a.Status != 201 {
				w.refuses("POST", "statuses", `{"description": "One more"}`, "status")
				break
			}
			letters += w.Get("/api/2.0/statuses/" + a.Field("status_id")).Field("status")
		}
		if want := "AEGHJKLMQRSUVWXZ0123456789"; letters != want {
			w.t.Errorf("the letters are %s, want %s", letters, want)
		}
	})
}

// The type of a status is O: a change to another one is refused, and an empty one changes
// nothing (decisions §20).
func TestStatuses_TypeIsO(t *testing.T) {
	eachStore(t, func(w *world) {
		w.refuses("PUT", "statuses/1", `{"type": "X", "description": "Other"}`, "type")
		for _, body := range []string{`{"type": "O"}`, `{"type": ""}`, `{"type": null}`} {
			w.Put("/api/2.0/statuses/1", body)
			if got := w.Get("/api/2.0/statuses/1"); got.Field("type") != "O" || got.Field("description") != "Processed" {
				w.t.Errorf("after PUT %s: %s", body, got.Body)
			}
		}
	})
}

// Default statuses, and statuses that orders have, cannot be deleted (decisions §20).
func TestStatuses_Delete(t *testing.T) {
	eachStore(t, func(w *world) {
		own := w.made("statuses", `{"description": "Packed", "params": {"inventory": "D"}}`)
		letter := w.Get("/api/2.0/statuses/" + own).Field("status")
		id := w.place(`{"2": {"amount": 1}}`)
		w.put(id, `{"status": "`+letter+`"}`)
		for _, status := range []string{"1", "3", own} {
			if a := w.Delete("/api/2.0/statuses/" + status); a.Status != 400 {
				w.t.Errorf("DELETE of status %s: %d %s", status, a.Status, a.Body)
			}
		}
		w.put(id, `{"status": "C"}`)
		if a := w.Delete("/api/2.0/statuses/" + own); a.Status != 204 {
			w.t.Errorf("DELETE of a status that is not used: %d %s", a.Status, a.Body)
		}
	})
}

// Params that a change does not name stay as they are.
func TestStatuses_ParamsAreMerged(t *testing.T) {
	eachStore(t, func(w *world) {
		w.Put("/api/2.0/statuses/1", `{"params": {"color": "#123456", "notify": false}}`)
		var s struct{ Params map[string]string }
		w.Get("/api/2.0/statuses/1").Decode(&s)
		if s.Params["color"] != "#123456" || s.Params["inventory"] != "D" || s.Params["notify"] != "N" {
			w.t.Errorf("the params are %v", s.Params)
		}
	})
}

func TestStatuses_BadInput(t *testing.T) {
	eachStore(t, func(w *world) {
		for payload, field := range map[string]string{
			`{"status": "X"}`:                                     "description",
			`{"description": " "}`:                                "description",
			`{"description": "x", "type": "G"}`:                   "type",
			`{"description": "x", "params": "D"}`:                 "params",
			`{"description": "x", "params": {"inventory": "X"}}`:  "params",
			`{"description": "x", "params": {"a": {"b": "c"}}}`:   "params",
			`{"description": "x", "is_default": "maybe"}`:         "is_default",
			`{"description": "` + strings.Repeat("x", 256) + `"}`: "description",
		} {
			w.refuses("POST", "statuses", payload, field)
		}
	})
}

// Vendors may read statuses and not change them (decisions §11).
func TestStatuses_Vendors(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(w *world) {
		vendor := w.UserOf(2, "view_statuses", "manage_statuses")
		for method, want := range map[string]int{"GET": 200, "PUT": 403, "DELETE": 403} {
			if a := vendor.Do(method, "/api/2.0/statuses/1", "application/json", `{"description": "x"}`); a.Status != want {
				w.t.Errorf("%s: %d %s, want %d", method, a.Status, a.Body, want)
			}
		}
	})
}
