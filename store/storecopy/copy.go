package storecopy

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/shopapi/shopapi/store"
)

// Options of a copy. The zero value, and a nil *Options, work.
type Options struct {
	// Batch is how many rows are read and written in one transaction. The default
	// is 1,000.
	Batch int

	// Progress is called after each batch.
	Progress func(Progress)
}

// Progress is how far the copy of one table is.
type Progress struct {
	Table string
	Phase Phase
	Done  int64 // rows, including those copied by an earlier run
	Total int64 // rows that the table has
}

// A Phase is what a copy does with a table.
type Phase string

// The phases, in their order.
const (
	Copying   Phase = "copying"
	Comparing Phase = "comparing"
)

// ErrDiffers says that the stores differ in a table after the copy, or before it:
// the store to copy to has rows that no copy of the other one put there.
var ErrDiffers = errors.New("storecopy: the stores differ")

// Copy copies the tables. It creates missing tables in both stores. It returns the count
// and checksum of each table after the copy; [ErrDiffers] if they differ between the
// stores; the context's error if it ended first; and errors of the stores. After an
// error, call Copy again to continue.
func Copy(ctx context.Context, to, from store.Store, schemas []*store.Schema, o *Options) ([]Sum, error) {
	for _, st := range []store.Store{from, to} {
		if err := st.Migrate(ctx, schemas...); err != nil {
			return nil, err
		}
	}
	c := copier{to: to, from: from, batch: o.batch(), progress: o.progress()}
	for _, s := range schemas {
		if err := c.check(ctx, s); err != nil {
			return nil, fmt.Errorf("storecopy: %s: %w", s.Name, err)
		}
	}
	for _, s := range schemas {
		if err := c.copy(ctx, s); err != nil {
			return nil, fmt.Errorf("storecopy: %s: %w", s.Name, err)
		}
	}
	var sums []Sum
	for _, s := range schemas {
		sum, err := c.compare(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("storecopy: %s: %w", s.Name, err)
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

func (o *Options) batch() int {
	if o == nil || o.Batch <= 0 {
		return 1000
	}
	return o.Batch
}

func (o *Options) progress() func(Progress) {
	if o == nil || o.Progress == nil {
		return func(Progress) {}
	}
	return o.Progress
}

type copier struct {
	to, from store.Store
	batch    int
	progress func(Progress)
}

// copy copies the rows of one table that are missing, and then moves its next
// key.
func (c *copier) copy(ctx context.Context, s *store.Schema) error {
	after, done, err := c.resume(ctx, s)
	if err != nil {
		return err
	}
	total, err := count(ctx, c.from, s)
	if err != nil {
		return err
	}
	for {
		c.progress(Progress{s.Name, Copying, done, total})
		rows, err := readBatch(ctx, c.from, s, after, math.MaxInt64, c.batch)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return c.moveNext(ctx, s)
		}
		err = c.to.Update(ctx, func(_ context.Context, tx store.Tx) error {
			for _, row := range rows {
				if _, err := tx.Insert(s, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after = rows[len(rows)-1][0].Int()
		done += int64(len(rows))
	}
}

// check returns [ErrDiffers] unless the rows of a table that are in the store to copy to are the first
// rows of the other store. Copy checks all tables before it writes: another shop, which was named by
// mistake, stays as it is.
func (c *copier) check(ctx context.Context, s *store.Schema) error {
	last, done, err := c.resume(ctx, s)
	if err != nil || done == 0 {
		return err
	}
	there, err := c.sum(ctx, c.from, s, last, -1)
	if err != nil {
		return err
	}
	here, err := c.sum(ctx, c.to, s, last, -1)
	if err == nil && here != there {
		err = fmt.Errorf("%w: before the copy one has %d rows with keys up to %d, the other %d, and not the same: copy to a store without rows",
			ErrDiffers, there.Rows, last, here.Rows)
	}
	return err
}

// resume returns the greatest key that is in the store to copy to, and how many
// rows are there already. Rows are copied by ascending key.
func (c *copier) resume(ctx context.Context, s *store.Schema) (last, done int64, err error) {
	last = math.MinInt64
	err = c.to.View(ctx, func(_ context.Context, tx store.Tx) error {
		q := store.Query{Order: []store.Order{store.Desc(s.Key())}, Limit: 1}
		done, err = tx.Page(s.All(), &q, func(row []store.Value) error {
			last = row[0].Int()
			return nil
		})
		return err
	})
	return last, done, err
}

// errProbe rolls back the row that was inserted to learn the next key.
var errProbe = errors.New("storecopy: this is to be rolled back")

// moveNext sets the next key of the table to the next key of the first store. A store
// reveals its next key only by assigning it, so moveNext inserts a row and rolls back.
func (c *copier) moveNext(ctx context.Context, s *store.Schema) error {
	var next int64
	err := c.from.Update(ctx, func(_ context.Context, tx store.Tx) (err error) {
		if next, err = tx.Insert(s, probe(s, 0)); err != nil {
			return err
		}
		return errProbe
	})
	if !errors.Is(err, errProbe) {
		return err
	}
	if next <= 1 {
		return nil
	}
	last := []store.Cond{store.Equal(s.Key(), store.Int(next-1))}
	return c.to.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if n, err := tx.Count(s, last); err != nil || n > 0 {
			return err
		}
		if _, err := tx.Insert(s, probe(s, next-1)); err != nil {
			return err
		}
		_, err := tx.Delete(s, last)
		return err
	})
}

// probe returns a row like no other.
func probe(s *store.Schema, key int64) []store.Value {
	row := make([]store.Value, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case i == 0:
			row[i] = store.Int(key)
		case c.Null:
		case c.Kind == store.Text:
			row[i] = store.String("\U0010fffd storecopy")
		case c.Kind == store.Integer:
			row[i] = store.Int(math.MinInt64)
		default:
			row[i] = c.Zero()
		}
	}
	return row
}

func count(ctx context.Context, st store.Store, s *store.Schema) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = tx.Count(s, nil)
		return err
	})
	return n, err
}

// readBatch reads the rows that follow a key, up to another.
func readBatch(ctx context.Context, st store.Store, s *store.Schema, after, last int64, n int) (rows [][]store.Value, err error) {
	q := store.Query{Limit: n}
	if last != math.MaxInt64 {
		q.Where = append(q.Where, store.AtMost(s.Key(), store.Int(last)))
	}
	if after != math.MinInt64 {
		if after == math.MaxInt64 {
			return nil, nil
		}
		q.Where = append(q.Where, store.AtLeast(s.Key(), store.Int(after+1)))
	}
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		rows = rows[:0]
		return tx.Select(s.All(), &q, func(row []store.Value) error {
			rows = append(rows, append([]store.Value(nil), row...))
			return nil
		})
	})
	return rows, err
}
