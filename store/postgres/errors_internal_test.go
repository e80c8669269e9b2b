package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/shopapi/shopapi/store"
)

func refused(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }

func TestErrorsOfStatements(t *testing.T) {
	for _, c := range []struct {
		name        string
		err         error
		unavailable bool
	}{
		{"connection lost", io.ErrUnexpectedEOF, true},
		{"connection failure", refused("08006"), true},
		{"terminated by the administrator", refused("57P01"), true},
		{"crash of another process", refused("57P02"), true},
		{"starting up", refused("57P03"), true},
		{"cancelled by the administrator", refused("57014"), true},
		{"too many connections", refused("53300"), true},
		{"disk full", refused("53100"), true},
		{"read-only", refused("25006"), true},
		{"input or output error", refused("58030"), true},
		{"serialisation failure", refused("40001"), true},
		{"deadlock", refused("40P01"), true},
		{"lock not available", refused("55P03"), true},
		{"idle for too long in a transaction", refused("25P03"), true},
		{"no such table", refused("42P01"), false},
		{"no right to", refused("42501"), false},
		{"check of the host's", refused("23514"), false},
	} {
		if got := errors.Is(translate(t.Context(), c.err), store.ErrUnavailable); got != c.unavailable {
			t.Errorf("%s is unavailable: %v, want %v", c.name, got, c.unavailable)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := translate(ended, io.EOF); err != context.Canceled {
		t.Errorf("an error under an ended context becomes %v, want the context's", err)
	}
	if err := translate(t.Context(), fmt.Errorf("read: %w", context.DeadlineExceeded)); err != context.DeadlineExceeded {
		t.Errorf("a deadline that the connection noticed first becomes %v", err)
	}
}

// Only an error of the server about a transaction that it rolled back has a known
// outcome.
func TestErrorsOfCommits(t *testing.T) {
	for _, c := range []struct {
		err     error
		unknown bool
	}{
		{io.EOF, true},
		{context.DeadlineExceeded, true},
		{refused("57P01"), true},
		{refused("40003"), true},
		{refused("08007"), true},
		{refused("XX000"), true},
		{refused("23505"), false},
		{refused("40000"), false},
		{refused("25006"), false},
	} {
		err := commitError(c.err)
		if errors.Is(err, store.ErrOutcomeUnknown) != c.unknown || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("COMMIT that fails with %v: %v; unknown should be %v", c.err, err, c.unknown)
		}
	}
}

func TestRacesOfMigrate(t *testing.T) {
	for _, c := range []struct {
		err  error
		race bool
	}{
		{refused("42P07"), true},
		{refused("42701"), true},
		{refused("42710"), true},
		{refused("40P01"), true},
		{&pgconn.PgError{Code: "23505", SchemaName: "pg_catalog"}, true},
		{&pgconn.PgError{Code: "XX000", Message: "tuple concurrently updated"}, true},
		{&pgconn.PgError{Code: "23505", SchemaName: "public"}, false}, // rows that break a unique index
		{&pgconn.PgError{Code: "XX000", Message: "out of order"}, false},
		{refused("42601"), false},
		{io.EOF, false},
	} {
		if got := isRace(c.err); got != c.race {
			t.Errorf("%v is a race: %v, want %v", c.err, got, c.race)
		}
	}
}
