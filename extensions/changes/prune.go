package changes

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

const (
	pruneEvery = 200 // rows are written between two looks at the oldest
	pruneBatch = 400 // rows are removed at most by one transaction, which takes a few milliseconds
)

// rowBytes is about what a row takes beside its texts, with its indexes.
const rowBytes = 120

// size is about how many bytes a row takes in the database.
func (r *row) size() int64 {
	return int64(rowBytes + len(r.Entity) + len(r.Object) + len(r.ParentEntity) + len(r.Parent) + len(r.Op) + len(r.Fields) +
		len(r.Status) + len(r.Previous))
}

// prune removes the oldest rows where they are older than the log keeps, or take more room.
// It removes more than are written between two calls, and never the newest row, which has
// the position of the log.
func (l *Log) prune(ctx context.Context, tx store.Tx) error {
	b, err := l.bounds(tx)
	before := l.api.Now(ctx).Add(-l.opts.Keep).Unix()
	if err != nil || b.since >= before && b.bytes <= l.opts.MaxBytes {
		return err
	}
	oldest, err := rows.Select(tx, store.Query{
		Where: l.numbered(), Order: []store.Order{store.Asc(l.column())}, Limit: pruneBatch,
	})
	if err != nil {
		return err
	}
	kept := b.bytes
	var gone []int64
	for i := range oldest {
		r := &oldest[i]
		if l.position(r) == b.newest || r.Time >= before && kept <= l.opts.MaxBytes {
			break
		}
		kept -= r.size()
		gone = append(gone, r.ID)
	}
	if len(gone) == 0 {
		return nil
	}
	_, err = rows.Delete(tx, store.InInts("id", gone...))
	return err
}

// pruneBeside prunes in a transaction of its own, and before it numbers the rows that no
// reader has numbered: where transactions run side by side, none waits for it.
func (l *Log) pruneBeside(ctx context.Context) {
	if !l.pruning.CompareAndSwap(false, true) {
		return
	}
	defer l.pruning.Store(false)
	err := l.number(ctx)
	if err == nil {
		err = l.st.Update(ctx, l.prune)
	}
	if err != nil {
		l.logger.WarnContext(ctx, "the oldest rows of the change log were not removed", "error", err)
	}
}
