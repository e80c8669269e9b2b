package postgres

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A numberWatch detects that a newer version of the library has upgraded the database.
// Updates read the schema number in their first round trip, in the snapshot of all their
// reads: they are serializable, so an Update that has not seen an upgrade cannot be
// committed after it. Views read it once in numberAge.
type numberWatch struct {
	there atomic.Bool  // the table is
	good  atomic.Int64 // when a View may next go without
}

// numberAge is how long Views use a schema number.
const numberAge = time.Second

// A numberCheck is that of one transaction.
type numberCheck struct {
	wanted bool
	there  bool // the table is, for all that is known
	read   bool // the number was asked for
	number int64
	bad    error
}

func (w *numberWatch) check(writable bool) numberCheck {
	if !writable && time.Now().UnixNano() < w.good.Load() {
		return numberCheck{}
	}
	return numberCheck{wanted: true, there: w.there.Load()}
}

// question returns the statement that reads the number, with its parameters.
func (n *numberCheck) question(s *Store) (sql string, params [][]byte) {
	n.read = true
	return s.texts.of(getRow, driver.SchemaNumber()), [][]byte{strconv.AppendInt(nil, store.SchemaNumberKey, 10)}
}

// row reads the number, which is the last value of a row.
func (n *numberCheck) row(values [][]byte) {
	if text := values[len(values)-1]; text != nil {
		n.number, n.bad = strconv.ParseInt(string(text), 10, 64)
	}
}

// send queues the check.
func (n *numberCheck) send(s *Store, c *conn) {
	switch {
	case !n.wanted || n.read:
	case n.there:
		sql, params := n.question(s)
		c.send(sql, params, request{row: n.row})
	default:
		table := quote(driver.SchemaNumber().Schema.Name)
		c.send("SELECT to_regclass($1) IS NOT NULL", [][]byte{[]byte(table)}, request{row: func(values [][]byte) {
			n.there = string(values[0]) == "t"
		}})
	}
}

// result returns [store.ErrNewerSchema] where the number is not known here. Where the
// table was found to be there, that takes another round trip.
func (n *numberCheck) result(s *Store, c *conn) error {
	if !n.wanted {
		return nil
	}
	if n.there && !n.read {
		s.number.there.Store(true)
		n.send(s, c)
		if err := c.roundTrip(); err != nil {
			return err
		}
	}
	if n.bad != nil {
		return n.bad
	}
	if err := driver.CheckSchemaNumber(n.number); err != nil {
		s.number.good.Store(0)
		return err
	}
	s.number.good.Store(time.Now().Add(numberAge).UnixNano())
	return nil
}
