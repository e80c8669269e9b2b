package shop_test

import (
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/handlerbench"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkCatalogue sends requests for a list of 100 products with features, main pair
// and categories, and for a product with 200 features and 20 options, to a shop on
// SQLite beside the floor ([handlerbench.Compare]): hot from the response cache, and
// cold without it.
func BenchmarkCatalogue(b *testing.B) {
	for name, cache := range map[string]int64{"Hot": 0, "Cold": -1} {
		st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
		if err != nil {
			b.Fatal(err)
		}
		s := apitest.NewWithStore(b, st, &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{CacheBytes: cache}}})
		one := fillCatalogue(b, s.Client)
		for what, address := range map[string]string{"List100": aList, "One": one} {
			b.Run(what+"/"+name, func(b *testing.B) {
				handlerbench.Compare(b, s, handlerbench.Request{Method: "GET", Address: address, Email: s.Email, Key: s.Key}, 1)
			})
		}
	}
}
