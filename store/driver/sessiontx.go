package driver

import (
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
)

// A sessionTx is the Tx that the function of a transaction is called with. It records reads,
// and counts the rows that lists and searches return as memory of the request.
type sessionTx struct {
	store.Tx
	reads  *ReadSet      // nil where reads are not recorded
	share  *budget.Share // nil where rows do not count
	paused bool          // reads ahead are not recorded
}

// Unwrap returns the store's Tx, which records no reads.
func (t *sessionTx) Unwrap() store.Tx {
	t.reads.MarkUntracked()
	return t.Tx
}

// Unmetered returns a Tx that does not count rows as memory of a request, for a function that
// sums rows and stores none.
func Unmetered(tx store.Tx) store.Tx {
	if t, ok := tx.(*aheadTx); ok {
		tx = t.sessionTx
	}
	t, ok := tx.(*sessionTx)
	if !ok || t.share == nil {
		return tx
	}
	unmetered := *t
	unmetered.share = nil
	return &unmetered
}

func (t *sessionTx) Get(p *store.Projection, key int64, row []store.Value) error {
	if t.records() {
		t.reads.addJoined(p)
		t.reads.add(readKey(p, key))
	}
	return t.Tx.Get(p, key, row)
}

func (t *sessionTx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	if t.share == nil {
		return t.Tx.Select(p, q, t.recorded(p, q, each))
	}
	m := meter{share: t.share, each: each}
	return m.end(t.Tx.Select(p, q, t.recorded(p, q, m.row)))
}

func (t *sessionTx) Page(p *store.Projection, q *store.Query, each func([]store.Value) error) (int64, error) {
	if t.share == nil {
		return t.Tx.Page(p, q, t.recorded(p, q, each))
	}
	m := meter{share: t.share, each: each}
	n, err := t.Tx.Page(p, q, t.recorded(p, q, m.row))
	return n, m.end(err)
}

func (t *sessionTx) Count(s *store.Schema, where []store.Cond) (int64, error) {
	if t.records() {
		t.reads.addWhere(s, nil, where, nil, true)
	}
	return t.Tx.Count(s, where)
}

func (t *sessionTx) records() bool { return t.reads != nil && !t.paused }

// recorded records a query, and returns each with the rows recorded too.
func (t *sessionTx) recorded(p *store.Projection, q *store.Query, each func([]store.Value) error) func([]store.Value) error {
	if !t.records() {
		return each
	}
	return t.reads.addQuery(p, q).collect(each)
}
