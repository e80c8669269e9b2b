package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// hostRows are rows whose error is noted.
type hostRows struct {
	pgx.Rows
	host *hostUse
}

func (r *hostRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.host.note(r.Rows.Err())
	return false
}

func (r *hostRows) Close() {
	r.Rows.Close()
	r.host.note(r.Rows.Err())
}

// A hostRow is a row whose error is noted.
type hostRow struct {
	pgx.Row
	host *hostUse
}

func (r hostRow) Scan(dest ...any) error {
	err := r.Row.Scan(dest...)
	r.host.note(err)
	return err
}

// A hostBatch is the results of a batch whose errors are noted.
type hostBatch struct {
	pgx.BatchResults
	host *hostUse
}

func (b hostBatch) Exec() (pgconn.CommandTag, error) {
	tag, err := b.BatchResults.Exec()
	b.host.note(err)
	return tag, err
}

func (b hostBatch) Query() (pgx.Rows, error) {
	rows, err := b.BatchResults.Query()
	b.host.note(err)
	return &hostRows{rows, b.host}, err
}

func (b hostBatch) QueryRow() pgx.Row { return hostRow{b.BatchResults.QueryRow(), b.host} }

func (b hostBatch) Close() error {
	err := b.BatchResults.Close()
	b.host.note(err)
	return err
}

// refusedRows are the rows of a statement that was not run.
type refusedRows struct{ err error }

func (r refusedRows) Close()                                       {}
func (r refusedRows) Err() error                                   { return r.err }
func (r refusedRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r refusedRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (r refusedRows) Next() bool                                   { return false }
func (r refusedRows) Scan(...any) error                            { return r.err }
func (r refusedRows) Values() ([]any, error)                       { return nil, r.err }
func (r refusedRows) RawValues() [][]byte                          { return nil }
func (r refusedRows) Conn() *pgx.Conn                              { return nil }
func (r refusedRows) TypeMap() *pgtype.Map                         { return nil }
