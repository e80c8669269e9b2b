package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

var (
	errOver       = errors.New("postgres: the transaction is over")
	errReading    = errors.New("postgres: a function that is given rows cannot write")
	errClosed     = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)
	errLost       = errors.New("postgres: the server ended the connection")
	errStandby    = errors.New("postgres: the pooler leads to a standby")
	errRolledBack = errors.New("postgres: the server rolled back instead of committing")
)

// code is the SQLSTATE of an error that the server reports, "" for others.
func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// isConflict reports whether a transaction met another one, so that running it
// again may succeed.
func isConflict(err error) bool {
	c := code(err)
	return c == "40001" || c == "40P01"
}

// isLost reports whether an error means that the connection is of no use any
// more: it broke, the server is going down, or it is a standby now.
func isLost(err error) bool {
	switch c := code(err); {
	case c == "":
		return true
	case c == "25006", c == "0A000", c == "26000": // read-only, not on a standby; a statement that was dropped
		return true
	default:
		return c == "57P01" || c == "57P02" || c == "57P03" || strings.HasPrefix(c, "08")
	}
}

// translate turns an error of a statement into one of package store. It wraps
// the cause for logs.
func translate(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) {
		return err
	}
	if ended := ctx.Err(); ended != nil {
		return ended // it cut the statement short
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded // noticed by the connection first
	}
	c := code(err)
	if isLost(err) || isConflict(err) {
		return unavailable(err)
	}
	switch c[:2] {
	case "40", "53", "57", "58": // rolled back; out of resources; stopped by an operator; system error
		return unavailable(err)
	}
	if c == "55P03" || c == "25P03" || c == "25P04" { // a lock, or the session, timed out
		return unavailable(err)
	}
	return err
}

func unavailable(cause error) error {
	return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
}

// commitError is the error of a COMMIT that failed otherwise than by meeting
// another transaction.
func commitError(err error) error {
	if c := code(err); strings.HasPrefix(c, "23") || c == "40000" || c == "40002" || c == "25006" {
		return unavailable(err) // the server says that it rolled back
	}
	return fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, err)
}

const uniqueViolation = "23505"

// conflict turns the error of a unique index into a [*store.ConflictError].
func conflict(s *store.Schema, err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != uniqueViolation {
		return err
	}
	if isKey(e.ConstraintName) {
		return &store.ConflictError{Table: s.Name, Columns: []string{s.Key()}}
	}
	for i := range s.Indexes {
		x := &s.Indexes[i]
		if x.Unique && sqltext.PostgreSQL.IndexName(s, x) == e.ConstraintName {
			return &store.ConflictError{Table: s.Name, Columns: slices.Clone(x.Columns)}
		}
	}
	return err // a trigger or an index that is not the store's
}

// isKey reports whether a constraint is the primary key of a table. PostgreSQL
// makes the name of the table's, CockroachDB once called all of them primary.
func isKey(constraint string) bool {
	return strings.HasSuffix(constraint, "_pkey") || constraint == "primary"
}

// indexable is how many bytes of text are sure to fit into an index, whatever
// other columns it has.
const indexable = 2500

// tooLong turns the error of an index that a text is too long for into a
// [*store.TextError]. The server names the index in its message alone: `index row
// size 5016 exceeds btree version 4 maximum 2704 for index "notes.text.index"`.
func tooLong(s *store.Schema, row []store.Value, err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "54000" {
		return err
	}
	for i := range s.Indexes {
		x := &s.Indexes[i]
		if !strings.Contains(e.Message, `"`+sqltext.PostgreSQL.IndexName(s, x)+`"`) {
			continue
		}
		longest := slices.MaxFunc(x.Columns, func(a, b string) int {
			return len(row[s.Index(a)].Text()) - len(row[s.Index(b)].Text())
		})
		return &store.TextError{Column: longest, Most: indexable}
	}
	return err
}
