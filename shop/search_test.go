package shop_test

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// While searches occupy all connections for lists, users are authenticated and objects
// are read and changed; a further list is 503 at its time limit.
func TestLimits_SearchesDoNotStopTheOthers(t *testing.T) {
	const readers = 2
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), &sqlite.Options{Readers: readers})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	// Without a cache each request reads its user from the store.
	limits := shopapi.Limits{Time: 2 * time.Second, CacheBytes: -1}
	s := apitest.NewWithStore(t, st, &shop.Options{Options: shopapi.Options{Limits: limits}})
	if a := s.Post("/api/categories", `{"category": "Cups"}`); a.Status != http.StatusCreated {
		t.Fatal(a)
	}
	var all sync.WaitGroup
	searching, end := make(chan bool), make(chan bool)
	for range readers {
		all.Go(func() {
			err := st.View(context.Background(), func(context.Context, store.Tx) error {
				searching <- true
				<-end
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for range readers {
		<-searching
	}
	want := func(status int, a *apitest.Answer) {
		t.Helper()
		if a.Status != status {
			t.Errorf("status %d, want %d: %s", a.Status, status, a.Body)
		}
	}
	want(http.StatusOK, s.Get("/api/categories/1"))
	want(http.StatusUnauthorized, s.As("nobody@example.org", "wrong").Get("/api/categories/1"))
	want(http.StatusOK, s.Put("/api/categories/1", `{"category": "Mugs"}`))
	want(http.StatusServiceUnavailable, s.Get("/api/categories?category=mug"))
	close(end)
	all.Wait()
	want(http.StatusOK, s.Get("/api/categories?category=mug"))
}
