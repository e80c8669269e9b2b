package csvtext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi/internal/jsontext"
)

// AppendRow appends a row with its line end.
func AppendRow[T ~string | ~[]byte](dst []byte, cells ...T) []byte {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendCell(dst, cell)
	}
	return append(dst, "\r\n"...)
}

// appendCell appends a cell, in quotation marks where it needs them.
func appendCell[T ~string | ~[]byte](dst []byte, cell T) []byte {
	if !needsQuotes(cell) {
		return append(dst, cell...)
	}
	dst = append(dst, '"')
	for i := 0; i < len(cell); i++ {
		if cell[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, cell[i])
	}
	return append(dst, '"')
}

// needsQuotes reports whether a cell would read as something else without quotation marks.
// Programs that separate cells by other characters need them too.
func needsQuotes[T ~string | ~[]byte](cell T) bool {
	for i := 0; i < len(cell); i++ {
		switch cell[i] {
		case ',', '"', '\r', '\n', ';', '\t':
			return true
		}
	}
	return len(cell) > 0 && (cell[0] == ' ' || cell[len(cell)-1] == ' ')
}

// Columns write JSON objects as rows.
type Columns struct {
	names       []string
	spreadsheet bool
	values      [][]byte
}

// NewColumns returns columns that hold the members of objects with these names. With
// spreadsheet a text that a spreadsheet would run as a formula gets a mark: see [Mark].
func NewColumns(names []string, spreadsheet bool) *Columns {
	return &Columns{names: names, spreadsheet: spreadsheet, values: make([][]byte, len(names))}
}

// AppendHeader appends the row with the names.
func (c *Columns) AppendHeader(dst []byte) []byte { return AppendRow(dst, c.names...) }

// AppendObject appends the row of an object, which is valid JSON: texts as they are, lists
// and objects as JSON, null as an empty cell. It returns an error where the object has a
// member that is none of the columns.
func (c *Columns) AppendObject(dst, object []byte) ([]byte, error) {
	clear(c.values)
	next := 0
	unknown := ""
	jsontext.Members(object, func(name, value []byte) {
		i := next
		if i >= len(c.names) || c.names[i] != string(name) {
			i = slices.Index(c.names, string(name))
		}
		if i < 0 {
			unknown = string(name)
			return
		}
		c.values[i], next = value, i+1
	})
	if unknown != "" {
		return dst, fmt.Errorf("csvtext: an object has the member %s, which is no column", unknown)
	}
	for i, value := range c.values {
		if i > 0 {
			dst = append(dst, ',')
		}
		cell, err := c.cell(value)
		if err != nil {
			return dst, err
		}
		dst = appendCell(dst, cell)
	}
	return append(dst, "\r\n"...), nil
}

// cell is the cell of a JSON value.
func (c *Columns) cell(value []byte) ([]byte, error) {
	if len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	if value[0] != '"' {
		return value, nil
	}
	text := value[1 : len(value)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		var unescaped string
		if err := json.Unmarshal(value, &unescaped); err != nil {
			return nil, err
		}
		text = []byte(unescaped)
	}
	if c.spreadsheet {
		return Mark(text), nil
	}
	return text, nil
}
