package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
)

// importEntity creates and changes objects of an entity by the rows of a file: below the rules
// where the entity has no objects (E7).
func importEntity(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	var o files.ImportOptions
	flags.StringVar(&o.Match, "match", "", "the field whose value names the object of a row, such as product_code; by default the id")
	flags.StringVar(&o.Missing, "missing", "fail", "what happens to a row whose value no object has: fail, skip or create")
	flags.BoolVar(&o.DryRun, "dry-run", false, dryRunUsage)
	flags.BoolVar(&o.EmptyClears, "empty-clears", false, "an empty cell clears its field; otherwise it counts as not sent")
	flags.BoolVar(&o.Spreadsheet, "spreadsheet", false, spreadsheetUsage)
	asJSON := jsonFlag(flags)
	return func(ctx context.Context, t terminal, args []string) error {
		entity, file := args[0], args[1]
		if err := formOf(file, &o); err != nil {
			return err
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		var size int64
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		return of.with(ctx, t, func(sh *shop.Shop) error {
			p := newProgress(t.err)
			read := &countingReader{f: f}
			o.Progress = func(r files.Report) { p.show(entity+", bytes", read.n, size, fmt.Sprintf("%d rows", r.Rows)) }
			o.Problem = func(problem files.RowProblem) {
				p.end()
				tellProblem(t, *asJSON, problem)
			}
			report, err := pull.Import(ctx, sh, entity, read, &o)
			if errors.Is(err, pull.ErrByRules) {
				if _, err := read.Seek(0, io.SeekStart); err != nil {
					return err
				}
				report, err = files.Import(ctx, read, sh.API, entity, &o)
			}
			p.end()
			if wrong := wrongImport(err); wrong != nil {
				return wrong
			}
			if err == nil || report.Rows > 0 {
				tellImport(t, *asJSON, report)
			}
			if err == nil && report.Failed > 0 {
				err = fmt.Errorf("%w: %d rows failed", errPartly, report.Failed)
			}
			return err
		})
	}
}

// wrongImport returns the error of arguments that the import refused, by the names that they have on
// the command line, or nil for other errors.
func wrongImport(err error) error {
	var refused *shopapi.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		return nil
	}
	var problems []string
	for _, a := range [][2]string{{"import", "ENTITY"}, {"match", "-match"}, {"missing", "-missing"}} {
		if problem := refused.Fields[a[0]]; problem != "" {
			problems = append(problems, a[1]+" "+problem)
		}
	}
	if problems == nil {
		return nil
	}
	return usagef("%s", strings.Join(problems, "; "))
}

// formOf reads the form of a file from the ending of its name.
func formOf(file string, o *files.ImportOptions) error {
	name := strings.ToLower(filepath.Base(file))
	name, o.Gzip = strings.CutSuffix(name, ".gz")
	switch filepath.Ext(name) {
	case ".csv":
		o.CSV = true
	case ".jsonl", ".ndjson":
	default:
		return usagef("the name of the file must end in .jsonl, .ndjson or .csv, each with or without .gz, not %q", filepath.Base(file))
	}
	return nil
}

func tellProblem(t terminal, asJSON bool, problem files.RowProblem) {
	if asJSON {
		printJSON(t.out, problem)
		return
	}
	fmt.Fprintf(t.err, "line %d: %s\n", problem.Line, strings.TrimSpace(problem.Field+" "+problem.Message))
}

// tellImport prints what became of the rows.
func tellImport(t terminal, asJSON bool, r files.Report) {
	if asJSON {
		printJSON(t.out, r)
		return
	}
	fmt.Fprintf(t.out, "%d rows: %d created, %d updated, %d unchanged, %d failed\n", r.Rows, r.Created, r.Updated, r.Unchanged, r.Failed)
	if len(r.UnknownColumns) > 0 {
		fmt.Fprintf(t.out, "no field has these names: %s\n", strings.Join(r.UnknownColumns, ", "))
	}
}

// A countingReader counts the bytes of a file that were read from its beginning.
type countingReader struct {
	f *os.File
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.f.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *countingReader) Seek(offset int64, whence int) (int64, error) {
	var err error
	c.n, err = c.f.Seek(offset, whence)
	return c.n, err
}
