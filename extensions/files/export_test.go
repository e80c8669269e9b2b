package files_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

func ExampleExport() {
	ctx := context.Background()
	sh, err := shop.New(ctx, memory.New(), nil)
	if err != nil {
		panic(err)
	}
	tax := sh.Taxes.Defaults(ctx)
	tax.Name = "VAT"
	if _, err := sh.Taxes.Create(ctx, tax); err != nil {
		panic(err)
	}
	err = files.Export(ctx, os.Stdout, sh.API, "taxes", &files.ExportOptions{
		ExportOptions: bulk.ExportOptions{Fields: []string{"tax", "status"}},
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// {"tax_id":"1","tax":"VAT","status":"A"}
}

// E7: memory is constant: ten times the objects take no more of it at once.
func TestE7_ExportTakesConstantMemory(t *testing.T) {
	sh, err := shop.New(t.Context(), memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	peak := func() uint64 {
		var most uint64
		o := &files.ExportOptions{}
		o.Progress = func(int64) {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := files.Export(t.Context(), discard{}, sh.API, "call_requests", o); err != nil {
			t.Fatal(err)
		}
		return most - min(most, before.HeapAlloc)
	}
	notes := strings.Repeat("clay ", 300)
	add := func(n int) {
		for i := range n {
			r := sh.CallRequests.Defaults(t.Context())
			r.Name, r.Phone, r.Notes = fmt.Sprint("Ana ", i), "1", &notes
			if _, err := sh.CallRequests.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(1000)
	few := peak()
	add(9000)
	if many := peak(); many > few+4<<20 {
		t.Errorf("the heap grew by %d bytes for 1,000 objects, by %d for 10,000", few, many)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
