package shop_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A schemaChange is a row of [store.SchemaChanges].
type schemaChange struct {
	ChangeID int64  `json:"change_id" store:"key"`
	Change   string `json:"change"`
	Number   int64  `json:"number"`
}

var schemaChanges = store.MustTable[schemaChange]("schema_changes")

// A process of an older version responds 503 after a newer one has upgraded its
// database, writes nothing, and does not start again.
func TestUpgrade_AnOlderVersionAnswers503(t *testing.T) {
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			st := open(t)
			s := apitest.NewWithStore(t, st, nil)
			if a := s.Post("/api/categories", `{"category": "Vases"}`); a.Status != http.StatusCreated {
				t.Fatal(a.Status, a.Body)
			}
			s.Get("/api/categories")

			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return schemaChanges.Update(tx, &schemaChange{store.SchemaNumberKey, "schema", store.SchemaNumber + 1})
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(time.Minute) // an authenticated user is cached for half a second
			for _, a := range []*apitest.Answer{
				s.Post("/api/categories", `{"category": "Bowls"}`),
				s.Put("/api/categories/1", `{"category": "Bowls"}`),
				s.Delete("/api/categories/1"),
				s.Get("/api/categories?status=A"), // not in the response cache
			} {
				if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
					t.Errorf("the answer is %d %s with Retry-After %q, want 503 with one", a.Status, a.Body, a.Header.Get("Retry-After"))
				}
			}
			if _, err := shop.New(t.Context(), st, nil); !errors.Is(err, store.ErrNewerSchema) {
				t.Errorf("shop.New returns %v, want store.ErrNewerSchema", err)
			}
		})
	}
}
