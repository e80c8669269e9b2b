package files_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/files"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/sqlite"
)

// BenchmarkExport writes 100,000 products of an SQLite file as CSV: with the fields of lists,
// and whole.
func BenchmarkExport(b *testing.B) {
	const many = 100_000
	st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	sh, err := shop.New(b.Context(), st, nil)
	if err != nil {
		b.Fatal(err)
	}
	category := sh.Categories.Defaults(b.Context())
	category.Name = "Mugs"
	if category, err = sh.Categories.Create(b.Context(), category); err != nil {
		b.Fatal(err)
	}
	for from := 0; from < many; from += 1000 {
		list := make([]products.Product, 1000)
		for i := range list {
			list[i] = sh.Products.Defaults(b.Context())
			list[i].Name, list[i].Code = fmt.Sprint("Mug, glazed ", from+i), fmt.Sprint("MUG-", from+i)
			list[i].CategoryIDs, list[i].FullDescription = []int64{category.CategoryID}, "A mug of stoneware, glazed by hand."
		}
		if _, err := sh.Products.CreateAll(b.Context(), list); err != nil {
			b.Fatal(err)
		}
	}
	for name, fields := range map[string][]string{"items": {}, "whole": nil} {
		b.Run(name, func(b *testing.B) {
			var rows int64
			for b.Loop() {
				o := &files.ExportOptions{ExportOptions: shopapi.ExportOptions{CSV: true, Fields: fields}}
				if err := files.Export(b.Context(), discard{}, sh.API, "products", o); err != nil {
					b.Fatal(err)
				}
				rows += many
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
