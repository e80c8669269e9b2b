package sqlite

import (
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/internal/kept"
)

// keeping is the store's room for totals and marks, and which tables it is for.
type keeping struct {
	kept.Room

	mu    sync.Mutex
	plain map[*store.Schema]verdict
}

// A verdict on a table holds until any table may have changed, schemas included.
type verdict struct {
	plain bool
	since uint64
}

// number returns the number of the state that the transaction sees a table in. It
// is false in an Update, whose own changes nobody knows yet, when somebody
// committed while the snapshot was taken, and for a table that is not plain.
func (t *tx) number(s *store.Schema) (uint64, bool) {
	if t.state == nil {
		return 0, false
	}
	k := &t.store.keeping
	k.mu.Lock()
	known, ok := k.plain[s]
	k.mu.Unlock()
	if !ok || known.since != t.state.all {
		plain, err := isPlain(t.conn, s)
		if err != nil {
			return 0, false
		}
		known = verdict{plain, t.state.all}
		k.mu.Lock()
		if k.plain == nil {
			k.plain = make(map[*store.Schema]verdict)
		}
		k.plain[s] = known
		k.mu.Unlock()
	}
	return t.state.changed(s.Name), known.plain
}

// isPlain reports whether what is written to a table is what it then holds, and
// compares as package store says. A table that the host made may convert values,
// replace rows on conflict, compare without regard to case, lack indexes, or have
// triggers.
func isPlain(c *conn, s *store.Schema) (bool, error) {
	name := []store.Value{store.String(s.Name)}
	plain, columns := true, 0
	var indexes []string
	err := c.db.Query("SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE", name, func(row []store.Value) error {
		sql := strings.ToUpper(row[2].Text())
		switch row[0].Text() {
		case "table":
			plain = plain && strings.HasSuffix(sql, "STRICT") && !strings.Contains(sql, "COLLATE") && !strings.Contains(sql, "CONFLICT")
		case "index":
			indexes = append(indexes, row[1].Text())
		default:
			plain = false
		}
		return nil
	})
	for i := range s.Indexes {
		plain = plain && slices.Contains(indexes, sqltext.SQLite.IndexName(s, &s.Indexes[i]))
	}
	if err != nil || !plain {
		return false, err
	}
	err = c.db.Query(`SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)`, name, func(row []store.Value) error {
		at := s.Index(row[0].Text())
		if at < 0 {
			return nil
		}
		columns++
		column := &s.Columns[at]
		kind := "INTEGER"
		if column.Kind == store.Text || column.Kind == store.JSON {
			kind = "TEXT"
		}
		never := row[2].Int() == 1 || row[3].Int() == 1
		plain = plain && row[1].Text() == kind && (never || column.Null) && row[4].Int() == 0
		return nil
	})
	return plain && columns == len(s.Columns), err
}

// count counts the rows that match, or has it kept that they were counted.
func (t *tx) count(s *store.Schema, where []store.Cond) (int64, error) {
	at, ok := t.number(s)
	if !ok {
		n, _, err := t.countRows(s, where)
		return n, err
	}
	if n, ok := t.store.keeping.Total(s, where, at); ok {
		return n, nil
	}
	work := t.store.keeping.Begin(s, where, at)
	if work == nil {
		n, _, err := t.countRows(s, where)
		return n, err
	}
	defer work.End()
	n, steps, err := t.countRows(s, where)
	// All rows of a table are counted in one long step. Beyond that, what is
	// quickly counted is not worth to be put right for ever after.
	if err == nil && (steps >= slowSteps || len(where) == 0) {
		work.KeepTotal(n)
	}
	return n, err
}

// slowSteps is of how many steps the program that counts is a slow one: about
// ten microseconds.
const slowSteps = 400

func (t *tx) countRows(s *store.Schema, where []store.Cond) (n int64, steps int, err error) {
	st, err := t.conn.query(countRows, s, where)
	if err != nil {
		return 0, 0, translate(t.ctx, err)
	}
	defer t.conn.release(st)
	if _, err := st.Step(); err != nil {
		return 0, 0, translate(t.ctx, err)
	}
	st.Row(st.row)
	return st.row[0].Int(), st.Steps(), nil
}

// nearBy is how many rows are passed over without looking for a mark.
const nearBy = 64

// read returns the statement for a query. It begins at a mark near the offset of
// the query, if there is one.
func (t *tx) read(p *store.Projection, q *store.Query) (*statement, error) {
	s, err := t.seek(p, q)
	if s != nil || err != nil {
		return s, err
	}
	way, err := t.way(p.Schema, q)
	if err != nil {
		return nil, err
	}
	return t.conn.queryFrom(selectRows, p, q, &kept.Mark{}, way)
}

// seek returns nil when no place in the order of the query is known.
func (t *tx) seek(p *store.Projection, q *store.Query) (*statement, error) {
	if q.Offset <= nearBy {
		return nil, nil
	}
	order, ok := kept.Ordered(p.Schema, q.Order)
	if !ok {
		return nil, nil
	}
	at, ok := t.number(p.Schema)
	if !ok {
		return nil, nil
	}
	room, offset := &t.store.keeping, int64(q.Offset)
	mark, step, found := room.Seek(p.Schema, q.Where, order, at, offset)
	if offset-mark.Rank >= 2*step {
		marks, err := t.mark(p.Schema, q.Where, order, at, mark, step, offset)
		if err != nil {
			return nil, err
		}
		if n := len(marks); n > 0 {
			mark, found = marks[n-1], true
		}
	}
	if !found {
		return nil, nil
	}
	from := *q
	from.Order, from.Offset = order, int(offset-mark.Rank)
	way, err := t.way(p.Schema, &from)
	if err != nil {
		return nil, err
	}
	return t.conn.queryFrom(selectRows, p, &from, &mark, way)
}

// mark reads on from a mark to a rank and marks a place every few rows.
func (t *tx) mark(s *store.Schema, where []store.Cond, order []store.Order, at uint64, from kept.Mark, step, to int64) ([]kept.Mark, error) {
	work := t.store.keeping.Begin(s, where, at)
	if work == nil {
		return nil, nil
	}
	defer work.End()
	q := store.Query{Where: where, Order: order, Limit: int(to - from.Rank + 1)}
	way, err := t.way(s, &q)
	if err != nil {
		return nil, err
	}
	st, err := t.conn.queryFrom(selectPlaces, s.All(), &q, &from, way)
	if err != nil {
		return nil, translate(t.ctx, err)
	}
	defer t.conn.release(st)
	var marks []kept.Mark
	for rank := from.Rank; ; rank++ {
		more, err := st.Step()
		if err != nil {
			return nil, translate(t.ctx, err)
		}
		if !more {
			break
		}
		if passed := rank - from.Rank; passed == 0 || passed%step != 0 {
			continue
		}
		m := kept.Mark{Rank: rank}
		row := make([]store.Value, len(order)+1)
		st.Row(row)
		m.Key, m.By = row[0].Int(), row[1:]
		marks = append(marks, m)
	}
	work.KeepMarks(order, marks)
	return marks, nil
}

// queryFrom takes the statement for a query from a mark on, or from the beginning
// for the zero mark, and binds its arguments. It finds the rows in the
// given way.
func (c *conn) queryFrom(v verb, p *store.Projection, q *store.Query, from *kept.Mark, way way) (*statement, error) {
	c.builder.Reset()
	if v == selectPlaces {
		c.builder.Text = append(c.builder.Text, sqltext.Places(p.Schema, q.Order)...)
	}
	c.builder.Text = append(c.builder.Text, way...)
	var err error
	if from.Rank > 0 {
		err = c.builder.QueryFrom(p.Schema, q, from.By, from.Key)
	} else {
		err = c.builder.Query(p.Schema, q)
	}
	if err != nil {
		return nil, err
	}
	return c.bindBuilt(v, p)
}
