package store

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound says that no row has the key, or that no row matches.
	ErrNotFound = errors.New("store: no such row")

	// ErrConflict says that a row with the same unique value exists. The error
	// is a [*ConflictError] that names the columns.
	ErrConflict = errors.New("store: a row with this unique value exists")

	// ErrUnavailable says that the database cannot serve now: it is locked,
	// unreachable or shutting down. Nothing was changed, and trying again later
	// may succeed.
	ErrUnavailable = errors.New("store: the database is unavailable")

	// ErrOutcomeUnknown says that the connection was lost while a transaction
	// was being committed, so that it is unknown whether it was. Such an error is
	// [ErrUnavailable] too.
	ErrOutcomeUnknown = fmt.Errorf("store: the outcome of the commit is unknown: %w", ErrUnavailable)

	// ErrNewerSchema says that a newer version of the library has upgraded the database
	// (§24), so that this one must not touch it: see [SchemaNumber]. Such an error is
	// [ErrUnavailable] too.
	ErrNewerSchema = fmt.Errorf("store: a newer version of the library has upgraded the database: %w", ErrUnavailable)

	// ErrReadOnly says that a View tried to write. It is a mistake of the
	// program.
	ErrReadOnly = errors.New("store: a view cannot write")

	// ErrBadText says that a text is not valid UTF-8, holds a NUL, or is longer than
	// the store can index. The error is a [*TextError] that names the
	// column.
	ErrBadText = errors.New("store: text cannot be stored")
)

// MaxRow is the greatest length of the texts of one row together, in bytes.
const MaxRow = 1 << 20

// RowError says that a row is larger than [MaxRow]. It is an [ErrBadText].
type RowError struct {
	Table  string
	Column string // the longest text
	Size   int    // bytes of all texts
}

func (e *RowError) Error() string {
	return fmt.Sprintf("store: a row of %s has %d bytes, most of them in %s: at most %d are allowed", e.Table, e.Size, e.Column, MaxRow)
}

// Is reports whether target is [ErrBadText].
func (e *RowError) Is(target error) bool { return target == ErrBadText }

// ConflictError is the [ErrConflict] of one unique index.
type ConflictError struct {
	Table   string
	Columns []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("store: %s has a row with the same %s", e.Table, strings.Join(e.Columns, ", "))
}

// Is reports whether target is [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// TextError is the [ErrBadText] of one column.
type TextError struct {
	Column string
	Most   int // bytes that are sure to fit, for a text that is too long; 0 for others
}

func (e *TextError) Error() string {
	if e.Most > 0 {
		return fmt.Sprintf("store: %s is too long for its index: %d bytes are sure to fit", e.Column, e.Most)
	}
	return fmt.Sprintf("store: %s is not valid UTF-8 or holds a NUL", e.Column)
}

// Is reports whether target is [ErrBadText].
func (e *TextError) Is(target error) bool { return target == ErrBadText }
