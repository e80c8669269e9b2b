package changes

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

const (
	pruneEvery = 200 // rows are written between two looks at the oldest
	pruneBatch = 400 // rows are removed at once, which takes a few milliseconds

	// rowBytes is about what a row takes with its indexes.
	rowBytes = 160
)

// prune removes the oldest rows where they are older than the log keeps, or too many. It
// removes more at once than are written meanwhile, and never the newest row, which
// holds the position of the log.
func (l *Log) prune(ctx context.Context, tx store.Tx) error {
	b, err := l.bounds(tx)
	if err != nil {
		return err
	}
	oldest, err := rows.Select(tx, store.Query{
		Where: l.numbered(), Order: []store.Order{store.Asc(l.column())}, Limit: pruneBatch,
	})
	if err != nil {
		return err
	}
	before := l.api.Now(ctx).Add(-l.opts.Keep).Unix()
	var gone []int64
	for i := range oldest {
		at := l.position(&oldest[i])
		tooMany := b.newest-at >= l.opts.MaxBytes/rowBytes
		if at == b.newest || oldest[i].Time >= before && !tooMany {
			break
		}
		gone = append(gone, oldest[i].ID)
	}
	if len(gone) == 0 {
		return nil
	}
	_, err = rows.Delete(tx, store.InInts("id", gone...))
	return err
}
