package changes

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/store"
)

// If transactions run one after another, the key of a row is its position: keys are in
// the order of commits. If transactions run concurrently, one may commit after another
// with a later key. Then rows get their positions after the commits, from the next
// reader, under one lock: readers see only rows with a position, and a smaller position
// never appears after a larger one was read.

// numberBatch is how many rows get their positions in one transaction.
const numberBatch = 1000

// number gives all committed rows their positions.
func (l *Log) number(ctx context.Context) error {
	if !l.concurrent {
		return nil
	}
	for {
		unnumbered := 0
		err := l.st.View(ctx, func(_ context.Context, tx store.Tx) error {
			list, err := rows.Select(tx, store.Query{Where: []store.Cond{store.Equal("seq", store.Int(0))}, Limit: 1})
			unnumbered = len(list)
			return err
		})
		if err != nil || unnumbered == 0 {
			return err
		}
		n := 0
		err = store.UpdateLocked(ctx, l.st, []*store.Schema{heads.Schema()}, func(_ context.Context, tx store.Tx) error {
			n, err = l.numberSome(tx)
			return err
		})
		if err != nil || n < numberBatch {
			return err
		}
	}
}

// numberSome gives positions to the rows that have none, in the order of their keys.
func (l *Log) numberSome(tx store.Tx) (int, error) {
	b, err := l.bounds(tx)
	if err != nil {
		return 0, err
	}
	list, err := rows.Select(tx, store.Query{Where: []store.Cond{store.Equal("seq", store.Int(0))}, Limit: numberBatch})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	type place struct{ seq, total int64 }
	at := make(map[int64]place, len(list))
	keys := make([]int64, len(list))
	total := b.total
	for i := range list {
		total += list[i].size()
		keys[i] = list[i].ID
		at[keys[i]] = place{b.newest + 1 + int64(i), total}
	}
	return len(list), rows.Alter(tx, func(values []store.Value) {
		p := at[values[0].Int()]
		values[seqColumn], values[totalColumn] = store.Int(p.seq), store.Int(p.total)
	}, store.InInts("id", keys...))
}

var seqColumn, totalColumn = rows.Field("seq"), rows.Field("total_bytes")

// after asks for the rows after a position.
func (l *Log) after(n int64, limit int) store.Query {
	return store.Query{
		Where: []store.Cond{store.AtLeast(l.column(), store.Int(n+1))},
		Order: []store.Order{store.Asc(l.column())}, Limit: limit,
	}
}

// column is the column with the positions.
func (l *Log) column() string {
	if l.concurrent {
		return "seq"
	}
	return "id"
}

// numbered are the conditions on rows that have a position.
func (l *Log) numbered(more ...store.Cond) []store.Cond {
	if l.concurrent {
		more = append(more, store.AtLeast("seq", store.Int(1)))
	}
	return more
}

func (l *Log) position(r *row) int64 {
	if l.concurrent {
		return r.Seq
	}
	return r.ID
}

// bounds are the ends of a log.
type bounds struct {
	head   head
	oldest int64 // position of the oldest row that is kept, else of the next one
	newest int64
	total  int64 // [row.Total] of the newest row
	bytes  int64 // size of the kept rows, about
	since  int64 // time of the oldest row
}

func (l *Log) bounds(tx store.Tx) (b bounds, err error) {
	if b.head, err = readHead(tx); err != nil {
		return b, err
	}
	b.newest = b.head.Start
	last, err := rows.First(tx, store.Query{Where: l.numbered(), Order: []store.Order{store.Desc(l.column())}})
	if errors.Is(err, store.ErrNotFound) {
		b.oldest = b.newest + 1
		return b, nil
	}
	if err != nil {
		return b, err
	}
	b.newest, b.total = max(b.newest, l.position(&last)), last.Total
	first, err := rows.First(tx, store.Query{Where: l.numbered(), Order: []store.Order{store.Asc(l.column())}})
	b.oldest, b.bytes, b.since = l.position(&first), last.Total-first.Total+first.size(), first.Time
	return b, err
}
