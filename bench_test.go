package shopapi_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/handlerbench"
	wholeshop "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// BenchmarkHandler reads one category and a list of 60 through the whole handler,
// over both stores, with the response cache and without. "of-floor" compares with
// the floor over loopback; allocs/op are the handler's own, without a network.
func BenchmarkHandler(b *testing.B) {
	file, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, over := range []struct {
		name string
		st   store.Store
	}{{"sqlite", file}, {"memory", memory.New()}} {
		key := benchShop(b, over.st)
		for _, cache := range []struct {
			name  string
			bytes int64
		}{{"uncached", -1}, {"cached", 0}} {
			sh, err := wholeshop.New(b.Context(), over.st, &wholeshop.Options{Options: shopapi.Options{Limits: shopapi.Limits{CacheBytes: cache.bytes}}})
			if err != nil {
				b.Fatal(err)
			}
			for name, address := range map[string]string{"GetOne": "/api/2.0/categories/30", "List60": "/api/2.0/categories"} {
				r := handlerbench.Request{Method: "GET", Address: address, Email: "root@example.com", Key: key}
				prefix := fmt.Sprintf("%s/%s/%s", over.name, cache.name, name)
				b.Run(prefix+"/loopback", func(b *testing.B) { handlerbench.Compare(b, sh, r, 16) })
				b.Run(prefix+"/handler", func(b *testing.B) { handlerbench.Allocations(b, sh, r) })
			}
		}
		if err := over.st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchShop makes a root user and 60 categories, and returns the user's key.
func benchShop(b *testing.B, st store.Store) (key string) {
	b.Helper()
	sh, err := wholeshop.New(b.Context(), st, nil)
	if err != nil {
		b.Fatal(err)
	}
	key, _, err = users.EnsureRoot(b.Context(), st, "root@example.com")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 60 {
		c := categories.Category{Summary: categories.Summary{Name: fmt.Sprintf("Category %d", i), ParentID: int64(i / 10)}}
		if _, err := sh.Categories.Create(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	return key
}
