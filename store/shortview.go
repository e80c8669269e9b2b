package store

import "context"

// A ShortViewer is a [Store] that limits the number of concurrent Views, and reserves
// some slots for Views that end soon.
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
