package sqlite

import (
	"context"
	"database/sql/driver"
)

// A textConn is a connection that caches the statements of texts.
type textConn interface {
	driver.ExecerContext
	driver.QueryerContext
}

// A textStmt is a statement of database/sql. The connection finds the prepared
// one by its text.
type textStmt struct {
	conn textConn
	text string
}

func (s textStmt) Close() error  { return nil }
func (s textStmt) NumInput() int { return -1 } // the connection checks the arguments

func (s textStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.text, args)
}

func (s textStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.text, args)
}

// Exec implements [driver.Stmt]; database/sql calls ExecContext.
func (s textStmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

// Query implements [driver.Stmt]; database/sql calls QueryContext.
func (s textStmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, v := range args {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}
