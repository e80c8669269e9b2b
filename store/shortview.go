package store

import "context"

// A ShortViewer is a [Store] that lets only so many Views run at once, and reserves
// some more for those that are over soon.
type ShortViewer interface {
	Store

	// ShortView is View for a function that reads a few rows by their keys or by
	// unique columns. It does not wait for Views that search.
	ShortView(ctx context.Context, fn func(context.Context, Tx) error) error
}

// ShortView is the ShortView of st, or View where st has none.
func ShortView(ctx context.Context, st Store, fn func(context.Context, Tx) error) error {
	if s, ok := st.(ShortViewer); ok {
		return s.ShortView(ctx, fn)
	}
	return st.View(ctx, fn)
}
