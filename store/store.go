package store

import "context"

// A Store holds the rows of a shop. Its methods may be called from many
// goroutines at once. They return [ErrNewerSchema] once a newer version of the library
// has upgraded the database.
type Store interface {
	// Migrate creates the tables, columns and indexes that are missing, and drops the indexes of
	// [Schema.Former]. It never drops or changes existing tables and columns, or indexes of
	// others; existing rows get [Column.Zero] in a new column. Several processes may migrate one
	// database at once. [Upgrade] changes the rows.
	Migrate(ctx context.Context, schemas ...*Schema) error

	// View runs fn over one consistent snapshot, taken before its first read
	// returns: nothing that commits later is seen. fn cannot write ([ErrReadOnly]).
	//
	// View returns fn's error, the context's error when it ended first, or
	// [ErrUnavailable].
	View(ctx context.Context, fn func(context.Context, Tx) error) error

	// Update runs fn and commits its changes, all or nothing. It returns after the commit
	// is as durable as the store promises. Updates have the effect of running one after
	// another.
	//
	// fn may run again, if the transaction conflicts with another, or if fn has panicked or called
	// runtime.Goexit: it must touch nothing outside the transaction, and use [AfterCommit] for
	// effects that must happen once. It may run in another goroutine, while the caller's waits. A
	// panic or runtime.Goexit in the last run rolls back and goes on, in the goroutine of the caller.
	//
	// Update returns fn's error, nothing changed; the context's error when it
	// ended before fn began or while it ran; [ErrUnavailable], nothing changed; or
	// [ErrOutcomeUnknown].
	Update(ctx context.Context, fn func(context.Context, Tx) error) error

	// Close waits for running transactions, then releases the database. Later calls
	// return [ErrUnavailable].
	Close() error
}

// A Tx reads and writes rows inside a [Store.View] or [Store.Update]. It is
// good until the function returns, in one goroutine at a time, and is bound to
// the context that the transaction began with. Rows handed to callbacks are
// good until the callback returns; the texts in them stay good.
//
// Entities use [Table], the typed face of a Tx.
type Tx interface {
	// Get reads the row with the key into row, a value for each column of p. It
	// returns [ErrNotFound].
	Get(p *Projection, key int64, row []Value) error

	// Select calls each for the rows that match q, in its order, and stops at
	// its first error, which it returns. each may read, but not write.
	Select(p *Projection, q *Query, each func(row []Value) error) error

	// Page is Select, and also counts the rows that match without limit and
	// offset, in the same snapshot.
	Page(p *Projection, q *Query, each func(row []Value) error) (total int64, err error)

	// Count counts the rows that match all conditions.
	Count(s *Schema, where []Cond) (int64, error)

	// Insert adds a row with a value for every column of s and returns its key:
	// the one given, or the next when row[0] is 0. It returns a [*ConflictError]
	// when the key or a unique value is taken: then nothing is changed, and the
	// function may go on.
	Insert(s *Schema, row []Value) (key int64, err error)

	// Update replaces the row whose key is row[0]. It returns [ErrNotFound] or a
	// [*ConflictError], as Insert does.
	Update(s *Schema, row []Value) error

	// Delete removes the rows that match all conditions and says how many.
	Delete(s *Schema, where []Cond) (int64, error)

	// ReplacePrefixes writes another beginning into the rows that have every Old at
	// the beginning of its column, and says how many. Each column is one for which
	// [Table.ReplacePrefixes] passes.
	ReplacePrefixes(s *Schema, prefixes []Prefix) (int64, error)
}

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
	return ShortViewOf(st)(ctx, fn)
}

// ShortViewOf returns the method ShortView of st, or View where st has none.
func ShortViewOf(st Store) func(ctx context.Context, fn func(context.Context, Tx) error) error {
	if s, ok := st.(ShortViewer); ok {
		return s.ShortView
	}
	return st.View
}
