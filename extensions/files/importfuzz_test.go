package files_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/taxes"
)

// FuzzImport imports any bytes as a file. Each row is created, changed or reported with its
// line; a dry run reports the same and changes nothing; nothing but the file is ever at fault.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"tax,priority\nVAT,1\n", "\uFEFFtax;priority\r\n\"V;\"\"A\"\"T\";x\r\n", "tax_id,tax,tax@de\n,VAT,MwSt\n1,,\n", "tax\n\"VAT", "tax,tax\n",
		`{"tax":"VAT","priority":"1"}` + "\n" + `{"tax_id":1,"tax@de":null}`, "{\"tax\":\"\x00\"}\n{", "[]\n\n{}\n{\"tax\":1e999}\n", "tax\n'=1+1\n",
	} {
		f.Add([]byte(seed), seed[0] != '{')
	}
	f.Fuzz(func(t *testing.T, file []byte, isCSV bool) {
		sh, err := shop.New(t.Context(), memory.New(), nil)
		if err != nil {
			t.Fatal(err)
		}
		run := func(dry bool) (files.Report, []files.RowProblem) {
			var problems []files.RowProblem
			o := &files.ImportOptions{CSV: isCSV, DryRun: dry, Spreadsheet: true, Problem: func(p files.RowProblem) { problems = append(problems, p) }}
			report, err := files.Import(t.Context(), bytes.NewReader(file), sh.API, "taxes", o)
			var wrong *files.FileError
			if err != nil && !errors.As(err, &wrong) {
				t.Errorf("the error is %v", err)
			}
			failed, last := int64(0), int64(0)
			for _, p := range problems {
				if p.Line < last || p.Line < 1 || p.Message == "" {
					t.Errorf("after line %d: %+v", last, p)
				}
				if p.Line > last {
					failed, last = failed+1, p.Line
				}
			}
			if failed != report.Failed || report.Rows != report.Created+report.Updated+report.Unchanged+report.Failed {
				t.Errorf("%d rows have problems: %+v", failed, report)
			}
			_, there, err := sh.Taxes.Find(t.Context(), taxes.Filter{})
			if err != nil || !dry && there != report.Created || dry && there != 0 {
				t.Errorf("there are %d taxes, %v: %+v", there, err, report)
			}
			return report, problems
		}
		run(true)
		run(false)
	})
}

// E7: what an export wrote is read as it was, byte for byte, as CSV, for spreadsheets and as
// JSON lines.
func TestE7_ImportReadsWhatExportWrites(t *testing.T) {
	t.Parallel()
	old := newShop(t)
	for i, text := range []string{"Cup, \"red\"\r\nof clay", "=1+1", "'=1", "\t-2", "[1,2]", `{"a":1}`, "\"", " edge ", "ä€😀", "null", "A\nB"} {
		p := old.Products.Defaults(t.Context())
		p.Name, p.Code, p.CategoryIDs = text, fmt.Sprint("C", i), []int64{1}
		p.FullDescription, p.Price = text, decimal.MustParse("12.50")
		if _, err := old.Products.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if _, err := old.Products.Update(shopapi.WithLanguage(t.Context(), "de"), int64(i+2), func(p *products.Product) error { p.Name = "Tasse " + text; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	fields := []string{"product", "product@de", "full_description", "product_code", "price", "category_ids", "amount"}
	export := func(sh *shop.Shop, o bulk.ExportOptions) string {
		t.Helper()
		var file strings.Builder
		o.Fields = fields
		if err := files.Export(t.Context(), &file, sh.API, "products", &files.ExportOptions{ExportOptions: o}); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	for _, o := range []bulk.ExportOptions{{}, {CSV: true}, {CSV: true, Spreadsheet: true}} {
		sh := newShop(t)
		file := export(old, o)
		report, problems, err := importText(t, sh, "products", file, files.ImportOptions{CSV: o.CSV, Spreadsheet: o.Spreadsheet, Match: "product_code", Missing: "create"})
		if err != nil || problems != "" || report.Created != 11 {
			t.Errorf("%+v: %+v, %s, %v", o, report, problems, err)
		}
		if diff := cmp.Diff(export(old, bulk.ExportOptions{}), export(sh, bulk.ExportOptions{})); diff != "" {
			t.Errorf("%+v: %s", o, diff)
		}
	}
}

// E7: an import finds objects by the name that the id has in exports: the id of settings and
// storefronts has another one in replies.
func TestE7_ImportMatchesByTheIDOfExports(t *testing.T) {
	t.Parallel()
	sh, err := shop.New(t.Context(), memory.New(), &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}})
	if err != nil {
		t.Fatal(err)
	}
	for entity, fields := range map[string][]string{"stores": {"company", "email"}, "settings": {"name", "value"}} {
		var file strings.Builder
		if err := files.Export(t.Context(), &file, sh.API, entity, &files.ExportOptions{ExportOptions: bulk.ExportOptions{CSV: true, Fields: fields}}); err != nil {
			t.Fatal(err)
		}
		report, problems, err := importText(t, sh, entity, file.String(), files.ImportOptions{CSV: true})
		if err != nil || problems != "" || report.Rows == 0 || report.Unchanged != report.Rows {
			t.Errorf("%s: %+v, %s, %v", entity, report, problems, err)
		}
	}
}

// E7: memory is constant: ten times the rows take no more of it at once. With
// SHOPAPI_FILES=long the larger file has 5 GB.
func TestE7_ImportTakesConstantMemory(t *testing.T) {
	refused := strings.Repeat("x", 4000)
	for name, of := range map[string]struct {
		head, row string
		csv       bool
	}{
		"JSON lines": {row: `{"name":"Ana","phone":"` + refused + `"}` + "\n"},
		"CSV":        {head: "name,phone\n", row: `Ana,"` + refused + `"` + "\n", csv: true},
	} {
		t.Run(name, func(t *testing.T) { importConstantly(t, of.head, of.row, of.csv) })
	}
}

func importConstantly(t *testing.T, head, row string, csv bool) {
	t.Helper()
	sh, err := shop.New(t.Context(), memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	peak := func(rows int) uint64 {
		var most, base runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&base)
		seen, every := int64(0), int64(max(1000, rows/20))
		o := &files.ImportOptions{CSV: csv, Progress: func(r files.Report) {
			if r.Rows/every > seen {
				seen = r.Rows / every
				var m runtime.MemStats
				runtime.GC()
				if runtime.ReadMemStats(&m); m.HeapAlloc > most.HeapAlloc {
					most = m
				}
			}
		}}
		report, err := files.Import(t.Context(), io.MultiReader(strings.NewReader(head), io.LimitReader(repeating(row), int64(rows)*int64(len(row)))), sh.API, "call_requests", o)
		if err != nil || report.Failed != int64(rows) {
			t.Fatalf("%+v, %v", report, err)
		}
		return most.HeapAlloc - min(most.HeapAlloc, base.HeapAlloc)
	}
	large := 20_000
	if os.Getenv("SHOPAPI_FILES") == "long" {
		large = 1_000_000_000 / len(row) * 5
	}
	few := peak(2000)
	if many := peak(large); many > few+4<<20 {
		t.Errorf("the heap grew by %d bytes for 2,000 rows, by %d for %d", few, many, large)
	}
}

// repeating reads a text again and again.
func repeating(text string) io.Reader {
	at := 0
	return readerFunc(func(b []byte) (int, error) {
		n := copy(b, text[at:])
		at = (at + n) % len(text)
		return n, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
