package driver

import (
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
)

// A meterTx is the Tx of a View whose rows count as memory of a request.
type meterTx struct {
	store.Tx
	share *budget.Share
}

// Unwrap returns the wrapped Tx: the store's, or a recording one.
func (t *meterTx) Unwrap() store.Tx { return t.Tx }

func (t *meterTx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	m := meter{share: t.share, each: each}
	return m.end(t.Tx.Select(p, q, m.row))
}

func (t *meterTx) Page(p *store.Projection, q *store.Query, each func([]store.Value) error) (int64, error) {
	m := meter{share: t.share, each: each}
	n, err := t.Tx.Page(p, q, m.row)
	return n, m.end(err)
}

// What a row takes until the response is encoded, in bytes: its struct, and its texts as
// they are read, converted and encoded.
const (
	perColumn   = 128
	perTextByte = 2
	meterStep   = 64 << 10 // bytes that are reported at once
)

// A meter counts the rows of one read.
type meter struct {
	share *budget.Share
	each  func([]store.Value) error
	n     int64
}

func (m *meter) row(row []store.Value) error {
	m.n += int64(len(row)) * perColumn
	for i := range row {
		m.n += int64(len(row[i].Text())) * perTextByte
	}
	if m.n >= meterStep {
		if err := m.use(); err != nil {
			return err
		}
	}
	return m.each(row)
}

func (m *meter) use() error {
	n := m.n
	m.n = 0
	return m.share.Use(n)
}

func (m *meter) end(err error) error {
	if err != nil {
		return err
	}
	return m.use()
}

// Unmetered returns a Tx whose rows do not count as memory of a request, for a function that
// sums rows and keeps none.
func Unmetered(tx store.Tx) store.Tx {
	if t, ok := tx.(*aheadTx); ok {
		tx = t.Tx
	}
	if t, ok := tx.(*meterTx); ok {
		return t.Tx
	}
	return tx
}
