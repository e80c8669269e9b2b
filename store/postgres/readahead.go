package postgres

import (
	"errors"
	"iter"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

var _ store.ReaderAhead = (*tx)(nil)

// ahead has what a transaction read ahead.
type ahead struct {
	rows  map[aheadKey]rows
	size  int               // of rows, in bytes
	asked map[aheadKey]bool // queries in the next round trip

	// hand is not nil in a function that reads ahead. It hands what the function sends to
	// ReadAhead, and returns after the round trip, with false if there was none.
	hand func(send func(*conn)) bool

	waiting []func() // of ReadWithNext
}

// An aheadKey is a read by key, or by conditions: their text, and their parameters.
type aheadKey struct {
	projection *store.Projection
	key        int64
	query      string
}

// maxAhead is how many bytes a transaction keeps of what it read ahead.
const maxAhead = 4 << 20

var (
	errAheadWrites = errors.New("postgres: a function that reads ahead must not change anything")
	errAheadEnded  = errors.New("postgres: no function reads ahead any more")
)

// ReadAhead implements [store.ReaderAhead].
func (t *tx) ReadAhead(reads []func()) {
	if !t.readsAhead() {
		return
	}
	t.gathers = t.group != nil && t.group.gathering
	readers, stop := t.readers(reads)
	defer stop()
	for {
		t.ahead.asked = nil
		if sends := readers.next(t); len(sends) == 0 || t.round(sends.send) != nil {
			return
		}
	}
}

// ReadWithNext implements [store.ReaderAhead].
func (t *tx) ReadWithNext(read func()) {
	if t.writable && t.readsAhead() {
		t.ahead.waiting = append(t.ahead.waiting, read)
	}
}

// readsAhead reports whether the transaction can read ahead. A View that may read on replicas
// cannot: each of its reads is of some tables, which a replica may not show yet.
func (t *tx) readsAhead() bool {
	return (t.writable || len(t.store.replicas.all) == 0) && !t.over && t.unchanged() && t.ahead.hand == nil
}

// roundWithWaiting is a round trip that begins with the first reads of the functions that wait. They
// are not called where writes come before them.
func (t *tx) roundWithWaiting(send func(*conn)) error {
	if len(t.deferred.waiting)+len(t.ops) > 0 {
		t.ahead.waiting = nil
	}
	readers, stop := t.readers(t.ahead.waiting)
	defer stop()
	t.ahead.waiting, t.ahead.asked = nil, nil
	sends := readers.next(t)
	err := t.round(append(sends, send).send)
	if err == nil {
		readers.next(t)
	}
	return err
}

// readers are functions that read ahead. Each is a coroutine that pauses where it needs a round trip.
type readers []func() (func(*conn), bool)

// readers returns the readers of functions, and what ends them.
func (t *tx) readers(reads []func()) (r readers, stop func()) {
	var stops []func()
	for _, read := range reads {
		next, stop := iter.Pull(func(yield func(func(*conn)) bool) {
			t.ahead.hand = yield
			read()
		})
		r, stops = append(r, next), append(stops, stop)
	}
	return r, func() {
		for _, stop := range stops {
			stop()
		}
		t.ahead.hand = nil
	}
}

// next runs the readers until each needs a round trip or ends. It returns what they send.
func (r *readers) next(t *tx) (all sends) {
	*r = slices.DeleteFunc(*r, func(next func() (func(*conn), bool)) bool {
		send, ok := next()
		if ok {
			all = append(all, send)
		}
		return !ok
	})
	t.ahead.hand = nil
	return all
}

// sends are what several functions send in one round trip. A nil function waits for another one's
// rows.
type sends []func(*conn)

func (all sends) send(c *conn) {
	for _, send := range all {
		if send != nil {
			send(c)
		}
	}
}

// handOver has ReadAhead send what one of its functions sends.
func (t *tx) handOver(send func(*conn)) error {
	hand := t.ahead.hand
	answered := hand(send)
	t.ahead.hand = hand // others had their turns meanwhile
	switch {
	case t.failed != nil:
		return translate(t.ctx, t.failed)
	case !answered:
		return errAheadEnded
	}
	return nil
}

// unchanged reports whether the transaction has not changed anything: a read returns the same rows
// as before. After a change triggers may have changed any table.
func (t *tx) unchanged() bool { return !t.wrote && t.host == nil }

// rowAhead is Get of a row that was read ahead. known is false if it was not.
func (t *tx) rowAhead(p *store.Projection, key int64, row []store.Value) (found, known bool) {
	if t.group != nil && t.unchanged() {
		r, known := t.group.reads.get(t, aheadKey{projection: p, key: key})
		copy(row, r.values)
		return r.n > 0, known
	}
	if len(t.ahead.rows) == 0 || !t.unchanged() {
		return false, false
	}
	r, known := t.ahead.rows[aheadKey{projection: p, key: key}]
	copy(row, r.values)
	return r.n > 0, known
}

// rowsAhead returns the rows of a query if it was made ahead, or one of all columns.
func (t *tx) rowsAhead(p *store.Projection, key aheadKey) (r rows, known bool) {
	if key == (aheadKey{}) || t.group == nil && t.ahead.hand == nil && len(t.ahead.rows) == 0 {
		return rows{}, false
	}
	whole := aheadKey{projection: p.Schema.All(), query: key.query}
	if t.group != nil {
		if len(p.Joined) > 0 {
			whole = key
		}
		if r, known = t.group.reads.get(t, key, whole); known && r.projection != p {
			return r.project(p), true
		}
		r.values = slices.Clone(r.values)
		return r, known
	}
	if t.ahead.hand != nil && (t.ahead.asked[key] || t.ahead.asked[whole] && len(p.Joined) == 0) && t.handOver(nil) != nil {
		return rows{}, false
	}
	if r, known = t.ahead.rows[key]; known {
		r.values = slices.Clone(r.values)
		return r, true
	}
	if r, known = t.ahead.rows[whole]; known && len(p.Joined) == 0 {
		return r.project(p), true
	}
	t.ask(key)
	return rows{}, false
}

// keyAhead returns the key of a query that may have been read ahead, or may be cached for others; else the
// zero value.
func (t *tx) keyAhead(p *store.Projection, q *store.Query) aheadKey {
	if t.group == nil && t.ahead.hand == nil && len(t.ahead.rows) == 0 || t.readable() != nil || !t.unchanged() {
		return aheadKey{}
	}
	return t.queryKey(p, q)
}

// ask notes a query for the next round trip of ReadAhead: others that want its rows wait for it.
func (t *tx) ask(key aheadKey) {
	if t.ahead.hand == nil {
		return
	}
	if t.ahead.asked == nil {
		t.ahead.asked = make(map[aheadKey]bool)
	}
	t.ahead.asked[key] = true
}

// project returns some columns of rows with all columns.
func (r *rows) project(p *store.Projection) rows {
	width := r.projection.Width()
	some := rows{projection: p, n: r.n, values: make([]store.Value, 0, r.n*p.Width())}
	for i := range r.n {
		for _, column := range p.Columns {
			some.values = append(some.values, r.values[i*width+column])
		}
	}
	return some
}

// keepRow keeps a row, or that there is none, that was read ahead.
func (t *tx) keepRow(p *store.Projection, key int64, row []store.Value, found bool) {
	r := rows{projection: p}
	if found {
		r.n, r.values = 1, row
	}
	if t.group != nil && t.unchanged() {
		t.group.reads.keep(t, aheadKey{projection: p, key: key}, nil, &r)
		return
	}
	if t.ahead.hand != nil {
		t.keep(aheadKey{projection: p, key: key}, &r)
	}
}

// keepRows keeps the rows of a query that was made ahead.
func (t *tx) keepRows(key aheadKey, q *store.Query, r *rows) {
	switch {
	case r.bad != nil || key == (aheadKey{}):
	case t.group != nil:
		t.group.reads.keep(t, key, q, r)
	case t.ahead.hand != nil:
		t.keep(key, r)
	}
}

// sizeOf is what rows take in memory, in bytes.
func sizeOf(r *rows) int {
	const perValue = 40
	size := perValue * len(r.values)
	for _, v := range r.values {
		if v.IsText() {
			size += len(v.Text())
		}
	}
	return size
}

func (t *tx) keep(key aheadKey, r *rows) {
	size := sizeOf(r)
	if t.ahead.size+size > maxAhead {
		return
	}
	if t.ahead.rows == nil {
		t.ahead.rows = make(map[aheadKey]rows)
	}
	t.ahead.size += size
	t.ahead.rows[key] = rows{projection: r.projection, n: r.n, values: slices.Clone(r.values)}
}

// queryKey returns the key of a query.
func (t *tx) queryKey(p *store.Projection, q *store.Query) aheadKey {
	b := &sqltext.Builder{Dialect: &sqltext.PostgreSQL}
	if t.conn != nil {
		b = &t.conn.builder
		b.Reset()
	}
	if b.Query(p.Schema, q) != nil {
		return aheadKey{} // of no read
	}
	text := slices.Clone(b.Text)
	for _, param := range params(b.Args) {
		if param == nil {
			text = append(text, 0, 'n')
		} else {
			text = append(append(text, 0, 't'), param...)
		}
	}
	return aheadKey{projection: p, query: string(text)}
}
