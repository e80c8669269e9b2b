package settings

import (
	"context"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// cacheBytes limits the cached values, of all companies.
const cacheBytes = 4 << 20

// maxAge is how long values are cached over a store that cannot detect changes: a write
// of another process takes effect within a second.
const maxAge = time.Second / 2

// written are the values of a company by id, its own before the whole shop's, with their
// read set.
type written struct {
	values map[int64]string
	reads  driver.ReadSet

	// Without a read set, when they expire unless this process writes a value first.
	until  time.Time
	writes uint64
	s      *Settings
}

// Valid implements cache.Value.
func (w *written) Valid(ctx context.Context) bool {
	return w.reads.Valid(ctx) || w.writes == w.s.writes.Load() && time.Now().Before(w.until)
}

// Setting implements [shopapi.SettingReader].
func (s *Settings) Setting(ctx context.Context, company int64, id string) (string, bool, error) {
	d, ok := s.byID[id]
	if !ok {
		return "", false, nil
	}
	w, err := s.written(ctx, company)
	if err != nil {
		return "", false, err
	}
	return d.in(w.values), true, nil
}

// in returns the value of the setting among the written ones.
func (d *declared) in(values map[int64]string) string {
	if value, ok := values[d.objectID]; ok {
		return value
	}
	return d.Default
}

// written returns the values of a company. It adds them to the read set of ctx.
func (s *Settings) written(ctx context.Context, company int64) (*written, error) {
	if w, ok := s.cached.Get(ctx, company); ok {
		driver.ReadSetOf(ctx).Merge(&w.reads)
		return w, nil
	}
	w := &written{s: s, writes: s.writes.Load()}
	load := func(_ context.Context, tx store.Tx) (err error) {
		w.values, _, err = read(tx, company)
		return err
	}
	// In a transaction of the caller, which may have written values, nothing is cached.
	if joined, err := driver.Join(ctx, s.st, false, load); joined {
		return w, err
	}
	asked := time.Now()
	if err := store.ShortView(driver.WithReadSet(ctx, &w.reads), s.st, load); err != nil {
		return nil, err
	}
	if !w.reads.Began() { // it joined a transaction through a store that wraps the store of that transaction
		return w, nil
	}
	if !w.reads.Complete() {
		w.until = asked.Add(maxAge)
	}
	size := int64(0)
	for _, value := range w.values {
		size += int64(64 + len(value))
	}
	s.cached.Put(company, w, size)
	driver.ReadSetOf(ctx).Merge(&w.reads)
	return w, nil
}

// read returns the values in effect for a company by id, and which of them are its own.
func read(tx store.Tx, company int64) (inForce map[int64]string, own map[int64]bool, err error) {
	list, err := values.Select(tx, store.Query{
		Where: []store.Cond{store.InInts("company_id", 0, company)}, Order: []store.Order{store.Asc("company_id")},
	})
	inForce, own = make(map[int64]string, len(list)), map[int64]bool{}
	for _, v := range list {
		inForce[v.ObjectID] = v.Value
		own[v.ObjectID] = v.CompanyID != 0
	}
	return inForce, own, err
}
