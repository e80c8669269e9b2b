package files_test

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// many is how many rows the benchmarks have.
var many = flag.Int("rows", 100_000, "rows of the benchmarks")

// onPostgres has the benchmarks use PostgreSQL in place of an SQLite file.
var onPostgres = flag.Bool("postgres", false, "benchmarks use PostgreSQL")

func openBench(b *testing.B) (store.Store, error) {
	if *onPostgres {
		return postgres.Open(b.Context(), pgtest.DSN(b))
	}
	return sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "shop.db"), nil)
}

// benchShop opens a shop with a category.
func benchShop(b *testing.B) (*shop.Shop, int64) {
	b.Helper()
	st, err := openBench(b)
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
	return sh, category.CategoryID
}

// BenchmarkImport creates products from CSV, then changes their stocks by code. MiB is the
// memory that the process has taken until then. The last metric compares the median time of
// reads of a list meanwhile with reads of an idle shop.
func BenchmarkImport(b *testing.B) {
	sh, category := benchShop(b)
	run := func(b *testing.B, head string, row func(i int) string, o files.ImportOptions) {
		alone := medianRead(b, sh, func() { time.Sleep(500 * time.Millisecond) })
		var slower float64
		for b.Loop() {
			o.CSV = true
			var report files.Report
			var err error
			meanwhile := medianRead(b, sh, func() {
				report, err = files.Import(b.Context(), io.MultiReader(strings.NewReader(head), generated(*many, row)), sh.API, "products", &o)
			})
			slower = meanwhile.Seconds() / alone.Seconds()
			if err != nil || report.Failed > 0 || report.Rows != int64(*many) {
				b.Fatalf("%+v, %v", report, err)
			}
		}
		b.ReportMetric(float64(*many*b.N)/b.Elapsed().Seconds(), "rows/s")
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys>>20), "MiB")
		b.ReportMetric(slower, "times-as-slow-readers")
	}
	b.Run("create", func(b *testing.B) {
		run(b, "product,product_code,category_ids,price,amount,full_description\n", func(i int) string {
			return fmt.Sprintf("\"Mug, glazed %d\",MUG-%d,[%d],12.50,10,\"A mug of stoneware, glazed by hand.\"\n", i, i, category)
		}, files.ImportOptions{})
	})
	round := 0
	b.Run("stocks", func(b *testing.B) {
		round++
		run(b, "product_code,amount\n", func(i int) string { return fmt.Sprintf("MUG-%d,%d\n", i, 20+round+i%50) }, files.ImportOptions{Match: "product_code"})
	})
}

// medianRead returns the median time of reads of the categories, one after another with pauses of
// a millisecond, while do runs.
func medianRead(b *testing.B, sh *shop.Shop, do func()) time.Duration {
	b.Helper()
	var times []time.Duration
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
			begun := time.Now()
			if _, _, err := sh.Categories.Find(b.Context(), categories.Filter{}); err != nil {
				b.Error(err)
				return
			}
			times = append(times, time.Since(begun))
		}
	}()
	do()
	close(ended)
	<-stopped
	slices.Sort(times)
	if len(times) == 0 {
		b.Fatal("nothing was read meanwhile")
	}
	return times[len(times)/2]
}

// BenchmarkExport writes products as CSV: with the fields of lists,
// and whole.
func BenchmarkExport(b *testing.B) {
	sh, category := benchShop(b)
	for from := 0; from < *many; from += 1000 {
		list := make([]products.Product, 1000)
		for i := range list {
			list[i] = sh.Products.Defaults(b.Context())
			list[i].Name, list[i].Code = fmt.Sprint("Mug, glazed ", from+i), fmt.Sprint("MUG-", from+i)
			list[i].CategoryIDs, list[i].FullDescription = []int64{category}, "A mug of stoneware, glazed by hand."
		}
		if _, err := sh.Products.CreateAll(b.Context(), list); err != nil {
			b.Fatal(err)
		}
	}
	for name, fields := range map[string][]string{"items": {}, "whole": nil} {
		b.Run(name, func(b *testing.B) {
			var rows int64
			for b.Loop() {
				o := &files.ExportOptions{ExportOptions: bulk.ExportOptions{CSV: true, Fields: fields}}
				if err := files.Export(b.Context(), discard{}, sh.API, "products", o); err != nil {
					b.Fatal(err)
				}
				rows += int64(*many)
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// generated reads rows that a function makes.
func generated(n int, row func(i int) string) io.Reader {
	i, left := 0, ""
	return readerFunc(func(b []byte) (int, error) {
		if left == "" {
			if i == n {
				return 0, io.EOF
			}
			left = row(i)
			i++
		}
		done := copy(b, left)
		left = left[done:]
		return done, nil
	})
}
