package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// An Error is a failure that the engine reports: its extended result code, see
// https://www.sqlite.org/rescode.html, and its message.
type Error = engine.Error

var (
	errOver    = errors.New("sqlite: the transaction is over")
	errReading = errors.New("sqlite: a function that is given rows cannot write")
	errGone    = fmt.Errorf("%w: the engine rolled the transaction back", store.ErrUnavailable)
	errUndone  = errors.New("sqlite: another Update in the same transaction was undone, and this one with it")
	errClosed  = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)
)

// translate turns an error of the engine into one of package store. It wraps
// the cause for logs.
func translate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Primary() {
	case engine.Busy, engine.Locked, engine.Interrupt:
		if ended := ctx.Err(); ended != nil {
			return ended // it cut the wait short
		}
		return unavailable(err)
	case engine.IOError, engine.Full, engine.CannotOpen, engine.NoMemory, engine.ReadOnly, engine.Protocol:
		return unavailable(err)
	}
	return err
}

func unavailable(cause error) error {
	return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
}

// isBusy reports whether another connection held the lock for too long.
func isBusy(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Primary() == engine.Busy
}

// isFull reports whether the disk was full. The engine has rolled the transaction back.
func isFull(err error) bool {
	if err == nil {
		return false
	}
	var e *engine.Error
	return errors.As(err, &e) && e.Primary() == engine.Full
}

// conflict turns the error of a unique index into a [*store.ConflictError].
func conflict(s *store.Schema, err error) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case engine.ConstraintUnique, engine.ConstraintPrimaryKey, engine.ConstraintRowID:
	default:
		return err
	}
	// The engine names the columns in its message alone:
	// "UNIQUE constraint failed: pages.parent_id, pages.page_fold".
	c := &store.ConflictError{Table: s.Name}
	_, list, _ := strings.Cut(e.Message, "failed: ")
	for name := range strings.SplitSeq(list, ", ") {
		table, column, ok := strings.Cut(name, ".")
		if !ok || table != s.Name {
			return err // a trigger or an index that is not the store's
		}
		if plain, folded := strings.CutSuffix(column, sqltext.FoldSuffix); folded && s.Index(column) < 0 {
			column = plain
		}
		c.Columns = append(c.Columns, column)
	}
	return c
}
