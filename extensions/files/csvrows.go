package files

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/csvtext"
	"github.com/shopapi/shopapi/internal/plain"
)

// csvRows read the rows of a CSV file. Its first row has the names of the columns.
type csvRows struct {
	r       *csvtext.Reader
	options *ImportOptions
	fields  *fields
	columns []column // nil before the first row was read
	match   int      // the column of the field that names objects, -1 for none
}

func newCSVRows(r io.Reader, o *ImportOptions, f *fields) *csvRows {
	return &csvRows{r: csvtext.NewReader(r, maxRow), options: o, fields: f}
}

func (c *csvRows) unknown() []string { return c.fields.unknown }

func (c *csvRows) line() int64 { return int64(c.r.Line()) }

// skip implements rowReader.
func (c *csvRows) skip() error {
	_, err := c.cells()
	if isOfRow(err) {
		return nil
	}
	return err
}

// isOfRow reports whether an error of csvtext is about one row.
func isOfRow(err error) bool {
	return errors.Is(err, csvtext.ErrTooLong) || errors.Is(err, csvtext.ErrQuotes) || errors.Is(err, csvtext.ErrCells)
}

// cells reads the next row below the names of the columns.
func (c *csvRows) cells() ([][]byte, error) {
	if c.columns == nil {
		if err := c.header(); err != nil {
			return nil, err
		}
	}
	cells, err := c.r.Read()
	switch {
	case err == nil || errors.Is(err, io.EOF) || isOfRow(err):
		return cells, err
	case errors.Is(err, csvtext.ErrCut):
		return nil, &FileError{c.line(), "the file ends within a quoted cell of the row that begins here"}
	}
	return nil, readError(err, c.line())
}

// header reads the names of the columns.
func (c *csvRows) header() error {
	names, err := c.r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return &FileError{1, "the file has no row with the names of columns"}
	case errors.Is(err, csvtext.ErrCut) || isOfRow(err):
		return &FileError{c.line(), "the first row, which has the names of columns, cannot be read: a quotation mark is missing, or it is too long"}
	case err != nil:
		return readError(err, 0)
	}
	c.columns, c.match = []column{}, -1
	known, seen := 0, map[string]bool{}
	for i, cell := range names {
		name := strings.TrimSpace(string(cell))
		if !plain.IsText(name) {
			return &FileError{c.line(), "the names of columns must be valid UTF-8 without NUL characters"}
		}
		if strings.Contains(strings.ReplaceAll(name, "\r\n", ""), "\r") {
			return &FileError{c.line(), "the lines must end in LF or CR LF, not in CR alone"}
		}
		if seen[name] && name != "" {
			return &FileError{c.line(), "the column " + plain.Quoted(name) + " is there twice"}
		}
		seen[name] = true
		column := c.fields.column(name)
		switch {
		case name == c.fields.entity.Match:
			c.match = i
		case column.isKnown:
			known++
		}
		c.columns = append(c.columns, column)
	}
	return c.check(known)
}

// check returns an error for a file whose columns cannot change anything.
func (c *csvRows) check(known int) error {
	match := c.fields.entity.Match
	switch {
	case known == 0:
		return &FileError{c.line(), "no column has the name of a field" + butMatch(c.match >= 0, match) + ": the first row must have the names of fields, such as in an export"}
	case c.match < 0 && c.fields.entity.NeedsMatch():
		return &FileError{c.line(), "there is no column " + match + ", whose values name the objects"}
	}
	return nil
}

func butMatch(there bool, match string) string {
	if there {
		return " but " + match
	}
	return ""
}

// read implements rowReader.
func (c *csvRows) read() (row bulk.Row, line int64, err error) {
	cells, err := c.cells()
	line = c.line()
	switch {
	case errors.Is(err, csvtext.ErrTooLong):
		return bulk.Row{Err: errLongRow}, line, nil
	case isOfRow(err):
		return bulk.Row{Err: badRow("The row cannot be read: %s.", err)}, line, nil
	case err != nil:
		return row, line, err
	case len(cells) != len(c.columns):
		return bulk.Row{Err: badRow("The row has %d cells, and there are %d columns.", len(cells), len(c.columns))}, line, nil
	}
	row.Fields = make(map[string]json.RawMessage, len(cells))
	var problems shopapi.Problems
	for i, cell := range cells {
		column := &c.columns[i]
		if !column.isKnown || len(cell) == 0 && (!c.options.EmptyClears || i == c.match) {
			continue
		}
		value, err := c.value(column, cell)
		if err != nil {
			problems.Merge(err)
			continue
		}
		column.put(&row, value)
	}
	row.Err = problems.Err()
	return row, line, nil
}

func (c *csvRows) value(column *column, cell []byte) (json.RawMessage, error) {
	if len(cell) == 0 {
		return column.cleared()
	}
	if c.options.Spreadsheet {
		cell = csvtext.Unmark(cell)
	}
	return column.value(cell)
}
