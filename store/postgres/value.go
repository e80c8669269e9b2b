package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// Values are sent as text. Columns of other types than store's have other text forms:
// flags are t and f, amounts have a decimal point.

// appendValue appends v, which is not null, in the text format of the server for a column
// of c's type; nil is a limit.
func appendValue(b []byte, c *store.Column, v store.Value) []byte {
	switch {
	case v.IsText():
		return append(b, v.Text()...)
	case c != nil && c.Kind == store.Boolean:
		if v.Int() != 0 {
			return append(b, 't')
		}
		return append(b, 'f')
	case c != nil && c.Kind == store.Decimal:
		return appendAmount(b, v.Int(), c.Scale)
	}
	return strconv.AppendInt(b, v.Int(), 10)
}

// appendAmount appends n units of 10^-scale.
func appendAmount(b []byte, n int64, scale int) []byte {
	magnitude := uint64(n)
	if n < 0 {
		b = append(b, '-')
		magnitude = -magnitude
	}
	digits := strconv.FormatUint(magnitude, 10)
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	b = append(b, digits[:len(digits)-scale]...)
	if scale > 0 {
		b = append(b, '.')
		b = append(b, digits[len(digits)-scale:]...)
	}
	return b
}

// param returns v as a parameter, in memory of its own; nil is null.
func param(c *store.Column, v store.Value) []byte {
	if v.IsNull() {
		return nil
	}
	return appendValue([]byte{}, c, v)
}

// params are the parameters of a query.
func params(args []sqltext.Arg) [][]byte {
	list := make([][]byte, len(args))
	for i := range args {
		if args[i].List != nil {
			list[i] = array(args[i].Column, args[i].List)
		} else {
			list[i] = param(args[i].Column, args[i].Value)
		}
	}
	return list
}

// array returns a list as an array of the server.
func array(c *store.Column, list []store.Value) []byte {
	b := make([]byte, 0, 8*len(list)+2)
	for _, v := range list {
		b = append(b, ',')
		if v.IsNull() {
			b = append(b, "NULL"...)
			continue
		}
		if !v.IsText() {
			b = appendValue(b, c, v)
			continue
		}
		b = append(b, '"')
		for i := 0; i < len(v.Text()); i++ {
			if ch := v.Text()[i]; ch == '"' || ch == '\\' {
				b = append(b, '\\')
			}
			b = append(b, v.Text()[i])
		}
		b = append(b, '"')
	}
	b[0] = '{' // a list is never empty
	return append(b, '}')
}

// rowParams are the parameters of a row as [sqltext.AppendRow] orders them.
func (c *conn) rowParams(s *store.Schema, row []store.Value) [][]byte {
	c.values = sqltext.AppendRow(c.values[:0], s, row)
	size := 0
	for _, v := range c.values {
		size += len(v.Text()) + 24
	}
	list := make([][]byte, len(c.values), len(c.values)+1)
	text := make([]byte, 0, size)
	for i, v := range c.values {
		if v.IsNull() {
			continue
		}
		var column *store.Column
		if i < len(s.Columns) {
			column = &s.Columns[i]
		}
		from := len(text)
		text = appendValue(text, column, v)
		list[i] = text[from:len(text):len(text)]
	}
	return list
}

// readRow reads the columns of p into row. The texts share one new string.
func (c *conn) readRow(p *store.Projection, values [][]byte, row []store.Value) error {
	c.text = c.text[:0]
	for i := range values {
		if _, col := p.Column(i); isText(col) {
			c.text = append(c.text, values[i]...)
		}
	}
	texts := string(c.text)
	for i, v := range values {
		schema, col := p.Column(i)
		switch {
		case v == nil:
			row[i] = store.Null
		case isText(col):
			row[i] = store.String(texts[:len(v)])
			texts = texts[len(v):]
		case col.Kind == store.Boolean:
			row[i] = store.Bool(len(v) == 1 && v[0] == 't')
		default:
			n, err := integer(v, col)
			if err != nil {
				return fmt.Errorf("postgres: %s.%s holds %q: %w", schema.Name, col.Name, v, err)
			}
			row[i] = store.Int(n)
		}
	}
	return nil
}

// integer reads a whole number, or an amount in units of its column.
func integer(text []byte, c *store.Column) (int64, error) {
	if c.Kind == store.Decimal {
		whole, decimals, _ := strings.Cut(string(text), ".")
		if len(decimals) != c.Scale {
			return 0, fmt.Errorf("want %d decimals", c.Scale)
		}
		return strconv.ParseInt(whole+decimals, 10, 64)
	}
	// A conversion for ParseInt does not allocate unless it fails.
	return strconv.ParseInt(string(text), 10, 64)
}

func isText(c *store.Column) bool { return c.Kind == store.Text || c.Kind == store.JSON }
