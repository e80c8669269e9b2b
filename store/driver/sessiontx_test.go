package driver_test

import (
	"testing"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// longTx is a Tx with queries that return as many rows as their limit.
type longTx struct{ store.Tx }

func (longTx) Get(*store.Projection, int64, []store.Value) error { return nil }

func (longTx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	row := make([]store.Value, p.Width())
	for range q.Limit {
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

func (t longTx) Page(p *store.Projection, q *store.Query, each func([]store.Value) error) (int64, error) {
	return int64(q.Limit), t.Select(p, q, each)
}

func (longTx) Count(*store.Schema, []store.Cond) (int64, error) { return 1 << 40, nil }

// aheadLongTx is longTx of a remote database.
type aheadLongTx struct{ longTx }

func (aheadLongTx) ReadAhead(reads []func()) {
	for _, read := range reads {
		read()
	}
}

func (aheadLongTx) ReadWithNext(func()) {}

// share returns a share that has room for some thousand rows.
func share(t *testing.T) *budget.Share {
	t.Helper()
	s := budget.New(8 << 20).Share("ann")
	t.Cleanup(s.Release)
	return s
}

// The rows of lists count as memory of the request, in a View, and unless they are unmetered.
func TestSession_RowsAreMemory(t *testing.T) {
	books := projected(t, "book_id")
	reads := map[string]func(tx store.Tx, rows int) error{
		"Select": func(tx store.Tx, rows int) error {
			return tx.Select(books, &store.Query{Limit: rows}, func([]store.Value) error { return nil })
		},
		"Page": func(tx store.Tx, rows int) error {
			_, err := tx.Page(books, &store.Query{Limit: rows}, func([]store.Value) error { return nil })
			return err
		},
		"Get": func(tx store.Tx, _ int) error { return tx.Get(books, 1, make([]store.Value, 1)) },
		"Count": func(tx store.Tx, _ int) error {
			_, err := tx.Count(books.Schema, nil)
			return err
		},
	}
	same := func(tx store.Tx) store.Tx { return tx }
	tests := []struct {
		name     string
		read     string
		rows     int
		tx       store.Tx
		writable bool
		as       func(store.Tx) store.Tx
		exceeds  bool
	}{
		{"few rows", "Select", 100, longTx{}, false, same, false},
		{"many rows", "Select", 1 << 20, longTx{}, false, same, true},
		{"a page of many rows", "Page", 1 << 20, longTx{}, false, same, true},
		{"an object", "Get", 0, longTx{}, false, same, false},
		{"a number", "Count", 0, longTx{}, false, same, false},
		{"many rows in an Update", "Select", 1 << 20, longTx{}, true, same, false},
		{"many rows that are only summed", "Select", 1 << 20, longTx{}, false, driver.Unmetered, false},
		{"a page of rows that are only summed", "Page", 1 << 20, longTx{}, false, driver.Unmetered, false},
		{"many rows of a remote database", "Select", 1 << 20, aheadLongTx{}, false, same, true},
		{"rows of a remote database that are only summed", "Select", 1 << 20, aheadLongTx{}, false, driver.Unmetered, false},
		{"rows of a store's own Tx that are only summed", "Select", 1 << 20, longTx{}, true, driver.Unmetered, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := budget.With(t.Context(), share(t))
			_, session := driver.NewSession(ctx, memory.New(), test.tx, test.writable)
			err := reads[test.read](test.as(session.Tx()), test.rows)
			if exceeded, _ := budget.Exceeded(err); exceeded != test.exceeds {
				t.Errorf("the read exceeds the memory: %t (%v), want %t", exceeded, err, test.exceeds)
			}
		})
	}
}

// A View records its reads whether or not their rows count as memory.
func TestSession_MeteredReadsAreRecorded(t *testing.T) {
	books := projected(t, "book_id")
	tests := []struct {
		name  string
		as    func(store.Tx) store.Tx
		share *budget.Share
	}{
		{"metered", func(tx store.Tx) store.Tx { return tx }, share(t)},
		{"unmetered", driver.Unmetered, share(t)},
		{"without a budget", driver.Unmetered, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st, reads := newRowStore(t), new(driver.ReadSet)
			ctx := budget.With(driver.WithReadSet(t.Context(), reads), test.share)
			_, session := driver.NewSession(ctx, st, longTx{}, false)
			tx := test.as(session.Tx())
			where := []store.Cond{store.Equal("author_id", store.Int(1))}
			if err := tx.Select(books, &store.Query{Where: where, Limit: 0}, func([]store.Value) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if !reads.Valid(t.Context()) {
				t.Fatal("the read set is not valid although nothing has changed")
			}
			st.change(books.Schema, nil, bookRow(9, 1, "new", 1, ""))
			if reads.Valid(t.Context()) {
				t.Error("a row was added that the query matches, and the read set is valid")
			}
		})
	}
}

// Without a read set and a budget, a transaction has the store's own Tx.
func TestSession_OwnTx(t *testing.T) {
	_, session := driver.NewSession(t.Context(), memory.New(), longTx{}, false)
	if tx := session.Tx(); tx != store.Tx(longTx{}) {
		t.Errorf("the Tx is a %T", tx)
	}
}
