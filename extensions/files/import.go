package files

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
)

// ImportOptions say what [Import] reads and how. The zero value and nil read JSON lines,
// whose objects are named by their ids.
type ImportOptions struct {
	CSV  bool // CSV with a header; otherwise JSON lines
	Gzip bool // the file is compressed with gzip

	// Match is the field whose value names the object of a row: the id field, which is the
	// default, product_code of products and combinations, email of users, name of settings
	// and langvars. A row without an id creates an object.
	Match string

	// Missing is what happens to a row whose value no object has: fail, which is the
	// default, skip or create.
	Missing string

	// DryRun checks the rows and changes nothing. Each row is checked as the shop is now, with
	// a few rows before it: a row may need an earlier row of the file that is not there.
	DryRun bool

	// EmptyClears has an empty cell clear its field, if that is a text, a list or may be
	// null; for others it is an error of the row. Otherwise an empty cell counts as not sent.
	EmptyClears bool

	// Spreadsheet takes off the apostrophes that an export for spreadsheets has put before
	// texts.
	Spreadsheet bool

	// Progress is called after each transaction, Problem for each problem of a row. A row may
	// have several.
	Progress func(Report)
	Problem  func(RowProblem)
}

// A Report says what became of the rows of a file.
type Report struct {
	Rows           int64    `json:"rows"`
	Created        int64    `json:"created"`
	Updated        int64    `json:"updated"`
	Unchanged      int64    `json:"unchanged"`
	Failed         int64    `json:"failed"`
	UnknownColumns []string `json:"unknown_columns"` // that no field has
}

// A RowProblem is a problem of a row.
type RowProblem struct {
	Line    int64  `json:"line"` // in which the row begins, from 1
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Import creates and changes objects of an entity by the rows of a file (E7), as requests do:
// with their rules, hooks and events. Rows that fail are left out and reported. Each
// transaction has at most 500 rows or 30 ms, and other writes go between them. It takes the
// same memory for any number of rows.
//
// It acts for the user of ctx. It returns a [*FileError] for a file that cannot be read to
// its end, and the errors of [bulk.NewImport]. The report counts the rows until then.
func Import(ctx context.Context, r io.Reader, api *shopapi.API, entity string, o *ImportOptions) (Report, error) {
	if o == nil {
		o = &ImportOptions{}
	}
	m, err := bulk.NewImport(ctx, api, bulk.ImportOptions{Entity: entity, Match: o.Match, Missing: o.Missing, DryRun: o.DryRun})
	if err != nil {
		return Report{}, err
	}
	im := &importing{Import: m, options: o}
	err = im.run(ctx, r, 0)
	return im.report, err
}

// An importing is a file that is imported.
type importing struct {
	*bulk.Import
	options *ImportOptions
	rows    rowReader
	report  Report

	pending []bulk.Row
	lines   []int64 // of pending rows
}

// How much is parsed at once.
const (
	pendingRows  = 500
	pendingBytes = 4 << 20
)

// run imports the rows after the first ones, which an earlier run did.
func (im *importing) run(ctx context.Context, r io.Reader, done int64) error {
	var err error
	if im.rows, err = openRows(ctx, r, im.options, im.Import, false); err != nil {
		return err
	}
	im.report.UnknownColumns = []string{}
	for range done {
		if err := im.rows.skip(); err != nil {
			return err
		}
	}
	var end error
	for end == nil || len(im.pending) > 0 {
		if end == nil {
			end = im.fill()
		}
		if len(im.pending) == 0 {
			break
		}
		if err := im.carry(ctx); err != nil {
			return err
		}
	}
	im.report.UnknownColumns = append(im.report.UnknownColumns[:0], im.rows.unknown()...)
	if errors.Is(end, io.EOF) {
		return nil
	}
	return end
}

// fill reads rows until there are enough for a transaction.
func (im *importing) fill() error {
	size := 0
	for len(im.pending) < pendingRows && size < pendingBytes {
		row, line, err := im.rows.read()
		if err != nil {
			return err
		}
		size += sizeOf(row.Fields)
		for _, texts := range row.Texts {
			size += sizeOf(texts)
		}
		im.pending, im.lines = append(im.pending, row), append(im.lines, line)
	}
	return nil
}

// sizeOf is how many bytes values have.
func sizeOf(values map[string]json.RawMessage) (n int) {
	for _, value := range values {
		n += len(value)
	}
	return n
}

// carry carries out pending rows in one transaction.
func (im *importing) carry(ctx context.Context) error {
	result, err := im.Carry(ctx, im.pending)
	if err != nil {
		return fmt.Errorf("files: at line %d: %w", im.lines[0], err)
	}
	im.report.add(result)
	if im.options.Problem != nil {
		for _, p := range im.problems(result) {
			im.options.Problem(p)
		}
	}
	n := copy(im.pending, im.pending[result.Rows:])
	clear(im.pending[n:])
	im.pending = im.pending[:n]
	im.lines = im.lines[:copy(im.lines, im.lines[result.Rows:])]
	if im.options.Progress != nil {
		im.options.Progress(im.report)
	}
	return nil
}

// problems are the problems of pending rows.
func (im *importing) problems(r bulk.ImportResult) []RowProblem {
	list := make([]RowProblem, len(r.Errors))
	for i, e := range r.Errors {
		list[i] = RowProblem{im.lines[e.Row], e.Field, e.Message}
	}
	return list
}

func (r *Report) add(result bulk.ImportResult) {
	r.Rows += int64(result.Rows)
	r.Created += int64(result.Created)
	r.Updated += int64(result.Updated)
	r.Unchanged += int64(result.Unchanged)
	r.Failed += int64(result.Failed)
}

// A contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// isCut reports whether compressed data end too early.
func isCut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// cutAt is the error of compressed data that end before they begin, nil for another one.
func cutAt(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// isNotGzip reports whether data are not what gzip writes.
func isNotGzip(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
