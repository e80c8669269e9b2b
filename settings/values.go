package settings

import (
	"context"
	"time"

	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
)

// newCache returns a cache of the values in effect for a company by the numbers of their
// settings. Over a store that cannot detect changes, a write of another process takes
// effect within a second.
func newCache(st store.Store) tablecache.Cache[int64, map[int64]string] {
	size := func(inForce map[int64]string) int64 {
		size := int64(0)
		for _, value := range inForce {
			size += int64(64 + len(value))
		}
		return size
	}
	return tablecache.NewAging[int64](st, time.Second/2, 4<<20, size, values.Schema())
}

// Setting implements [shopapi.SettingReader].
func (s *Settings) Setting(ctx context.Context, company int64, id string) (string, bool, error) {
	d, ok := s.byID[id]
	if !ok {
		return "", false, nil
	}
	inForce, err := s.written(ctx, company)
	if err != nil {
		return "", false, err
	}
	return d.in(inForce), true, nil
}

// in returns the value of the setting among the written ones.
func (d *declared) in(values map[int64]string) string {
	if value, ok := values[d.objectID]; ok {
		return value
	}
	return d.Default
}

// written returns the values in effect for a company. It adds them to the read set of ctx.
func (s *Settings) written(ctx context.Context, company int64) (map[int64]string, error) {
	return s.cached.Get(ctx, company, func(tx store.Tx) (map[int64]string, error) {
		inForce, _, err := read(tx, company)
		return inForce, err
	})
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
