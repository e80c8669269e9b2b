package changes

import (
	"context"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Row is a row of the log.
type Row = row

// Distinct returns the rows that the log gets from transactions that are committed together.
func Distinct(transactions ...[]Row) []Row {
	var group []driver.Ending
	for _, rows := range transactions {
		group = append(group, &transaction{rows: rows})
	}
	return distinct(group)
}

// The limits of the log.
const (
	PollEvery  = pollEvery
	PruneBatch = pruneBatch
	PruneEvery = pruneEvery
	RowBytes   = rowBytes
)

// SetBeat changes how often a stream shows that it is alive.
func (l *Log) SetBeat(d time.Duration) { l.beat = d }

// SetRecent changes how many rows the feed keeps.
func (l *Log) SetRecent(n int) { l.feed.keep = n }

// Prune prunes once, and returns how long it held the writer.
func (l *Log) Prune(ctx context.Context) (held time.Duration, err error) {
	err = l.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		begun := time.Now()
		err := l.prune(ctx, tx)
		held = time.Since(begun)
		return err
	})
	return held, err
}

// PausePruning stops the pruning beside writes, which some stores do, until resume is called.
func (l *Log) PausePruning() (resume func()) {
	for !l.pruning.CompareAndSwap(false, true) {
		time.Sleep(time.Millisecond)
	}
	return func() { l.pruning.Store(false) }
}

// Readers returns how many readers wait for changes.
func (l *Log) Readers() int {
	l.feed.mu.Lock()
	defer l.feed.mu.Unlock()
	return l.feed.readers
}

// Waiting is [Log.Readers] once the feed has the position of the log, else 0.
func (l *Log) Waiting() int {
	l.feed.mu.Lock()
	defer l.feed.mu.Unlock()
	if !l.feed.known {
		return 0
	}
	return l.feed.readers
}

// Kept returns how many rows the log has, and the sum of their sizes as the log counts it.
func (l *Log) Kept(ctx context.Context, t testing.TB) (n int, bytes int64) {
	t.Helper()
	err := l.number(ctx)
	if err == nil {
		err = l.st.View(ctx, func(_ context.Context, tx store.Tx) error {
			b, err := l.bounds(tx)
			bytes = b.bytes
			if err != nil {
				return err
			}
			count, err := rows.Count(tx)
			n = int(count)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return n, bytes
}
