package sqlite

import (
	"errors"
	"strings"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A numberWatch notices that a newer version of the library has upgraded the file. It
// reads the schema number where the table that holds it may have changed.
type numberWatch struct {
	good atomic.Uint64 // the version of the table that was read last, plus 1
}

// check reads the number in the transaction of c, which sees now; nil when that is not
// known.
func (w *numberWatch) check(c *conn, now *state) error {
	p := driver.SchemaNumber()
	version := uint64(0)
	if now != nil {
		if version = now.changed(p.Schema.Name) + 1; w.good.Load() == version {
			return nil
		}
	}
	n, err := readNumber(c, p)
	if err == nil {
		err = driver.CheckSchemaNumber(n)
	}
	if err == nil && version > 0 {
		w.good.Store(version)
	}
	return err
}

// readNumber returns 0 where there is no number.
func readNumber(c *conn, p *store.Projection) (int64, error) {
	c.values = append(c.values[:0], store.Int(store.SchemaNumberKey))
	s, err := c.bind(getRow, p, nil, c.values)
	if isNoTable(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer c.release(s)
	found, err := s.Step()
	if err != nil || !found {
		return 0, err
	}
	s.Row(s.row)
	return s.row[0].Int(), nil
}

// isNoTable reports whether a statement names a table that is missing.
func isNoTable(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Primary() == engine.Generic && strings.HasPrefix(e.Message, "no such table")
}
