package shop_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkCachedObjects reads more objects than the response cache holds, and reports how many
// of them it holds, and how many bytes of bodies for each byte of its limit.
func BenchmarkCachedObjects(b *testing.B) {
	const limit = 8 << 20
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	hits := 0
	s := apitest.NewWithStore(b, st, &shop.Options{Options: shopapi.Options{
		Limits: shopapi.Limits{CacheBytes: limit, LoginEntries: 1},
		Completed: func(_ *http.Request, c shopapi.Completion) {
			if c.Cached {
				hits++
			}
		},
	}})
	get := func(address string) (bytes int) {
		r := httptest.NewRequest(http.MethodGet, "/api/2.0/"+address, http.NoBody)
		r.SetBasicAuth(s.Email, s.Key)
		w := httptest.NewRecorder()
		s.API.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
		return w.Body.Len()
	}
	s.Post("/api/2.0/categories", `{"category": "All"}`)
	for entity, create := range map[string]func(n int) error{
		"categories": func(n int) error {
			list := make([]categories.Category, n)
			for i := range list {
				list[i].Name = "Category " + strconv.Itoa(i)
			}
			_, err := s.Categories.CreateAll(b.Context(), list)
			return err
		},
		"products": func(n int) error {
			list := make([]products.Product, n)
			for i := range list {
				list[i].Name, list[i].CategoryIDs = "Product "+strconv.Itoa(i), []int64{1}
			}
			_, err := s.Products.CreateAll(b.Context(), list)
			return err
		},
	} {
		b.Run(entity, func(b *testing.B) {
			const objects = 40_000
			if err := create(objects); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				bytes := 0
				for id := 1; id <= objects; id++ {
					bytes += get(entity + "/" + strconv.Itoa(id))
				}
				hits = 0
				for id := objects; id > 0; id-- {
					get(entity + "/" + strconv.Itoa(id))
				}
				b.ReportMetric(float64(hits), "objects")
				b.ReportMetric(float64(hits)*float64(bytes)/objects/limit, "bytes/byte")
			}
		})
	}
}
