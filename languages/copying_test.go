package languages_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

const (
	many     = 250 // variables, more than a transaction copies
	mostRows = 100 // that a transaction copies
)

// A copyStore counts the texts that each transaction writes. It allows a number of texts;
// the transaction that writes one more fails, and so do later ones.
type copyStore struct {
	store.Store

	mu            sync.Mutex
	most, allowed int
}

func (s *copyStore) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error { return fn(ctx, &copyTx{Tx: tx, s: s}) })
}

func (s *copyStore) Unwrap() store.Store { return s.Store }

// allow lets transactions write n more texts, and returns the most that one wrote.
func (s *copyStore) allow(n int) (most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most, s.most, s.allowed = s.most, 0, n
	return most
}

type copyTx struct {
	store.Tx
	s     *copyStore
	wrote int
}

func (t *copyTx) Insert(schema *store.Schema, row []store.Value) (int64, error) {
	if schema.Name == "language_variables_texts" {
		t.s.mu.Lock()
		defer t.s.mu.Unlock()
		if t.s.allowed--; t.s.allowed < 0 {
			return 0, store.ErrUnavailable
		}
		t.wrote++
		t.s.most = max(t.s.most, t.wrote)
	}
	return t.Tx.Insert(schema, row)
}

// openWithVariables opens a shop with many variables. Its store allows a number of copied
// texts.
func openWithVariables(t *testing.T, st store.Store, allowed int) (*apitest.Shop, *copyStore) {
	t.Helper()
	counted := &copyStore{Store: st}
	s := apitest.NewWithStore(t, counted, &shop.Options{Batch: true})
	list := make([]languages.Variable, many)
	for i := range list {
		list[i] = languages.Variable{Item: languages.Item{Name: fmt.Sprintf("v%d", i), Value: fmt.Sprintf("Text %d", i)}}
	}
	if _, err := s.Langvars.CreateAll(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	counted.allow(allowed)
	return s, counted
}

// copiedTexts returns how many variables have a text of their own in a language: it changes
// all in English, and counts the ones that did not follow.
func copiedTexts(t *testing.T, s *apitest.Shop, code string) (copied int) {
	t.Helper()
	err := s.Store.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		for i := range many {
			if _, err := s.Langvars.Set(ctx, fmt.Sprintf("v%d", i), "Changed"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for v, err := range s.Langvars.All(shopapi.WithLanguage(t.Context(), code), languages.VariableFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Value != "Changed" {
			copied++
		}
	}
	return copied
}

// A new language has all variables when POST answers (decisions §23), and no transaction
// copies more than a limited number, however many there are.
func TestLanguages_CopyManyVariables(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s, counted := openWithVariables(t, st, 2*many)
		if _, err := s.Langvars.Set(shopapi.WithLanguage(t.Context(), "at"), "v120", "Eigener"); err != nil {
			t.Fatal(err)
		}
		want(t, s.Post("/api/2.0/languages", `{"lang_code": "at", "name": "Austrian"}`), 201)
		if most := counted.allow(2 * many); most != mostRows {
			t.Errorf("a transaction copied %d variables, want at most %d", most, mostRows)
		}
		want(t, s.Get("/api/2.0/langvars/v120?sl=at"), 200, `"value":"Eigener"`)
		if n := copiedTexts(t, s, "at"); n != many {
			t.Errorf("%d of %d variables were copied", n, many)
		}
	})
}

// A process that stops while it copies leaves the rest to the next one; a language that was
// deleted gets nothing more.
func TestLanguages_CopyAfterStop(t *testing.T) {
	for name, deleted := range map[string]bool{"kept": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			shoptest.EachStore(t, func(t *testing.T, st store.Store) {
				s, counted := openWithVariables(t, st, mostRows)
				want(t, s.Post("/api/2.0/languages", `{"lang_code": "at", "name": "Austrian"}`), 201)
				wanted := many
				if deleted {
					want(t, s.Delete("/api/2.0/languages/2"), 204)
					wanted = 0
				}
				counted.allow(many)
				s = apitest.NewWithStore(t, st, nil)
				if n := copiedTexts(t, s, "at"); n != wanted {
					t.Errorf("%d variables were copied, want %d", n, wanted)
				}
			})
		})
	}
}

// A language that an atomic batch creates gets its variables after the batch.
func TestLanguages_CopyAfterBatch(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s, _ := openWithVariables(t, st, 2*many)
		want(t, s.Post("/api/2.0/batch", `{"atomic": true, "requests": [{"id": "l", "method": "POST", "url": "languages", "body": {"lang_code": "at", "name": "Austrian"}}]}`), 200, `"status":201`)
		texts := languages.Schemas()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			var n int64
			err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
				for _, schema := range texts {
					if schema.Name == "language_variables_texts" {
						n, err = tx.Count(schema, nil)
					}
				}
				return err
			})
			switch {
			case err != nil:
				t.Fatal(err)
			case n == many:
				return
			case time.Now().After(deadline):
				t.Fatalf("%d of %d variables were copied", n, many)
			}
		}
	})
}
