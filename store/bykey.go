package store

// ByKey reads rows by their keys in one read. Keys without a row are left out.
func ByKey[T any](tx Tx, r *Reader[T], keys ...int64) (map[int64]*T, error) {
	byKey := make(map[int64]*T, len(keys))
	err := r.Each(tx, Query{Where: []Cond{InInts(r.projection.Schema.Key(), keys...)}}, func(row *T) error {
		byKey[r.Key(row)] = row
		return nil
	})
	return byKey, err
}

// Pointers returns pointers to the items of a list.
func Pointers[T any](list []T) []*T {
	to := make([]*T, len(list))
	for i := range list {
		to[i] = &list[i]
	}
	return to
}
