package sqlite

import (
	"database/sql/driver"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// timeFormats are how times are written, the first, and read.
var timeFormats = []string{
	"2006-01-02 15:04:05.999999999-07:00",
	"2006-01-02T15:04:05.999999999-07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04",
	"2006-01-02T15:04",
	"2006-01-02",
}

// bindArgs sets the parameters of a statement: named ones by name, the others by
// position.
func bindArgs(s *engine.Stmt, args []driver.NamedValue) error {
	n := s.Parameters()
	bound := 0
	for i := 1; i <= n; i++ {
		arg, ok := argument(args, i, s.ParameterName(i))
		if !ok {
			return fmt.Errorf("sqlite: parameter %d of %d has no argument", i, n)
		}
		value := arg.Value
		if t, ok := value.(time.Time); ok {
			value = t.Format(timeFormats[0])
		}
		if err := s.BindValue(i, value); err != nil {
			return err
		}
		bound++
	}
	if len(args) > bound {
		return fmt.Errorf("sqlite: %d arguments for %d parameters", len(args), n)
	}
	return nil
}

// argument returns the argument of a parameter.
func argument(args []driver.NamedValue, position int, name string) (*driver.NamedValue, bool) {
	for i := range args {
		a := &args[i]
		if a.Name != "" && name != "" && name[1:] == a.Name || a.Name == "" && a.Ordinal == position {
			return a, true
		}
	}
	return nil, false
}

// columns are the columns of a statement's rows.
type columns struct {
	names []string
	times []bool // declared as one of the types of times
}

func (c *columns) init(s *engine.Stmt) {
	for i := range s.Columns() {
		c.names = append(c.names, s.ColumnName(i))
		switch strings.ToUpper(s.ColumnType(i)) {
		case "DATE", "DATETIME", "TIMESTAMP":
			c.times = append(c.times, true)
		default:
			c.times = append(c.times, false)
		}
	}
}

// Columns implements [driver.Rows].
func (c *columns) Columns() []string { return c.names }

// read copies the current row.
func (c *columns) read(s *engine.Stmt, into []driver.Value) {
	for i := range into {
		into[i] = s.ColumnValue(i)
		if text, ok := into[i].(string); ok && c.times[i] {
			if t, ok := parseTime(text); ok {
				into[i] = t
			}
		}
	}
}

func parseTime(text string) (time.Time, bool) {
	text, utc := strings.CutSuffix(text, "Z")
	for _, format := range timeFormats {
		if utc && strings.HasSuffix(format, "-07:00") {
			continue
		}
		if t, err := time.Parse(format, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// memoryRows are rows that have been read.
type memoryRows struct {
	columns
	rows [][]driver.Value
}

func (r *memoryRows) add(s *engine.Stmt) {
	row := make([]driver.Value, len(r.names))
	r.read(s, row)
	r.rows = append(r.rows, row)
}

func (r *memoryRows) Close() error {
	r.rows = nil
	return nil
}

func (r *memoryRows) Next(into []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(into, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

// writeResult is the [driver.Result] of a statement.
type writeResult struct{ key, rows int64 }

func (r writeResult) LastInsertId() (int64, error) { return r.key, nil }
func (r writeResult) RowsAffected() (int64, error) { return r.rows, nil }
