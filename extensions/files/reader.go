package files

import (
	"cmp"
	"compress/gzip"
	"context"
	"io"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
)

// A Reader reads the rows of a file of an entity, and changes nothing. It is for programs that
// write the rows themselves; [Import] reads files in the same way.
type Reader struct{ rows rowReader }

// NewReader returns a reader of the rows of a file, with the fields that objects have in files alone
// ([shopapi.Description.InFiles]). Of the options it uses CSV, Gzip, Match and
// Spreadsheet. It returns the errors of [bulk.NewImport], and a [*FileError] for a file that is not
// compressed.
func NewReader(ctx context.Context, r io.Reader, api *shopapi.API, entity string, o *ImportOptions) (*Reader, error) {
	m, err := bulk.NewImport(ctx, api, bulk.ImportOptions{Entity: entity, Match: o.Match})
	if err != nil {
		return nil, err
	}
	rows, err := openRows(ctx, r, o, m, true)
	if err != nil {
		return nil, err
	}
	return &Reader{rows}, nil
}

// Read returns the next row and the line in which it begins, from 1. An error of the row alone is
// its Err. At the end Read returns [io.EOF]; a [*FileError] ends a file early.
func (r *Reader) Read() (row bulk.Row, line int64, err error) { return r.rows.read() }

// UnknownColumns returns the columns so far that no field has.
func (r *Reader) UnknownColumns() []string { return append([]string{}, r.rows.unknown()...) }

// openRows returns the reader of the rows of a file, which may be compressed. inFiles says that rows have
// the fields of files alone.
func openRows(ctx context.Context, r io.Reader, o *ImportOptions, m *bulk.Import, inFiles bool) (rowReader, error) {
	r = contextReader{ctx, r}
	if o.Gzip {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, readError(cmp.Or(cutAt(err), err), 0)
		}
		r = unpacked
	}
	rows := newRowReader(r, o, fieldsOf(m, inFiles))
	if m.Entity == "users" || m.Entity == "orders" {
		rows = customerRows{rows}
	}
	return rows, nil
}

// customerRows are rows of users or of orders.
type customerRows struct{ rowReader }

func (c customerRows) read() (row bulk.Row, line int64, err error) {
	row, line, err = c.rowReader.read()
	spread(&row)
	return row, line, err
}
