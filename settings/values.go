package settings

import (
	"context"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// cacheBytes bounds the values that are cached, of all companies.
const cacheBytes = 4 << 20

// maxAge is how long values are cached over a store that cannot tell whether they
// have changed: what another process writes counts within a second.
const maxAge = time.Second / 2

// written are the values of a company by number, its own before those of the whole
// shop, with what they were read from.
type written struct {
	values map[int64]string
	reads  driver.ReadSet

	// Where the store cannot tell, until when they are valid unless this process
	// writes one meanwhile.
	until  time.Time
	writes uint64
	s      *Settings
}

// Valid implements cache.Value.
func (w *written) Valid() bool {
	return w.reads.Valid() || w.writes == w.s.writes.Load() && time.Now().Before(w.until)
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

// in is the value among those written.
func (d *declared) in(values map[int64]string) string {
	if value, ok := values[d.objectID]; ok {
		return value
	}
	return d.Default
}

// written returns the values of a company. What ctx reads depends on them.
func (s *Settings) written(ctx context.Context, company int64) (*written, error) {
	if w, ok := s.cached.Get(company); ok {
		driver.ReadSetOf(ctx).Merge(&w.reads)
		return w, nil
	}
	w := &written{s: s, writes: s.writes.Load()}
	load := func(_ context.Context, tx store.Tx) (err error) {
		w.values, _, err = read(tx, company)
		return err
	}
	// In a transaction of the caller's, which may have written some, nothing is cached.
	if joined, err := driver.Join(ctx, s.st, false, load); joined {
		return w, err
	}
	asked := time.Now()
	if err := store.ShortView(driver.WithReadSet(ctx, &w.reads), s.st, load); err != nil {
		return nil, err
	}
	if !w.reads.Began() { // it joined a transaction, by way of a store that wraps that one's
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

// read returns the values in force in a company by number, and which of them are its
// own.
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
