package sqlite

import (
	"errors"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/store"
)

// uniqueKeys are the keys of rows that queries have found by values of all columns of a unique
// index: each new review finds a discussion by its product, for example. The next query for the
// same values reads the row by its key, mostly from the cache of rows. If the row still has the
// values, no other row can have them; if it has changed, the query runs.
type uniqueKeys map[string]int64

const (
	maxUniqueKeys = 4096 // all are forgotten when there are as many
	maxUniqueText = 256  // bytes of a text that names a key
)

// uniqueText names the table, the columns and the values of a query that asks for one value in each column
// of a unique index. It is nil for other queries, and where rows are not cached. It is valid until the
// connection writes its next text.
func (t *tx) uniqueText(p *store.Projection, q *store.Query) []byte {
	s := p.Schema
	if t.conn == nil || p != s.All() || len(q.Order) > 0 || q.Offset > 0 || !asksUnique(s, q.Where) || !t.cachesRows() || !t.plainness(s).plain {
		return nil
	}
	text := append(t.conn.text[:0], s.Name...)
	for i := range q.Where {
		text = append(append(append(text, 0), q.Where[i].Column...), 0)
		if v := q.Where[i].Values[0]; v.IsText() {
			text = append(text, v.Text()...)
		} else {
			text = strconv.AppendInt(append(text, 0), v.Int(), 10)
		}
	}
	t.conn.text = text
	if len(text) > maxUniqueText {
		return nil
	}
	return text
}

// asksUnique reports whether all conditions ask for one value of a column, and include each column of
// a unique index.
func asksUnique(s *store.Schema, where []store.Cond) bool {
	for i := range where {
		if where[i].Op != store.OpEqual || where[i].Values[0].IsNull() {
			return false
		}
	}
	return slices.ContainsFunc(s.Indexes, func(x store.Index) bool {
		return x.Unique && !x.Sparse && !slices.ContainsFunc(x.Columns, func(column string) bool {
			return !slices.ContainsFunc(where, func(c store.Cond) bool { return c.Column == column })
		})
	})
}

// meets reports whether a row has the values that conditions ask for.
func meets(s *store.Schema, row []store.Value, where []store.Cond) bool {
	for i := range where {
		if row[s.Index(where[i].Column)] != where[i].Values[0] {
			return false
		}
	}
	return true
}

// selectKnown calls each with the row of a key if it meets the conditions, and reports whether it does.
func (t *tx) selectKnown(s *store.Schema, key int64, where []store.Cond, each func(row []store.Value) error) (found bool, err error) {
	c, err := t.readable()
	if err != nil {
		return false, err
	}
	row := c.takeRow(len(s.Columns))
	defer c.giveRow(row)
	if err := t.get(s.All(), key, row); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return false, err
	}
	if !meets(s, row, where) {
		return false, nil
	}
	t.store.docs.Check(s.All(), key, row)
	if err := t.hand(row, each); err != nil {
		return true, err
	}
	return true, t.ctx.Err()
}

// noting returns a function that stores the key of a row under a text, and then calls each.
func (t *tx) noting(s *store.Schema, text string, where []store.Cond, each func(row []store.Value) error) func(row []store.Value) error {
	c := t.conn
	return func(row []store.Value) error {
		if meets(s, row, where) {
			if c.uniqueKeys == nil || len(c.uniqueKeys) >= maxUniqueKeys {
				c.uniqueKeys = make(uniqueKeys)
			}
			c.uniqueKeys[text] = row[0].Int()
		}
		return each(row)
	}
}
