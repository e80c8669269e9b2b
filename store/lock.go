package store

import "context"

// A TableLocker is a [Store] whose Updates run side by side, and meet where they touch
// the same rows.
type TableLocker interface {
	Store

	// UpdateLocked is Update for a function that changes many rows: it waits until
	// nobody writes to the tables, and has others wait until it is over.
	UpdateLocked(ctx context.Context, tables []*Schema, fn func(context.Context, Tx) error) error
}

// UpdateLocked is the UpdateLocked of st, or Update where st has none, because its
// Updates run one after another.
func UpdateLocked(ctx context.Context, st Store, tables []*Schema, fn func(context.Context, Tx) error) error {
	if l, ok := st.(TableLocker); ok {
		return l.UpdateLocked(ctx, tables, fn)
	}
	return st.Update(ctx, fn)
}
