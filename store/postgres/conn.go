package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// A conn is a connection of the pool and the statements prepared on it. It is
// stored with the connection, so that the next user of the pool finds both. One transaction uses it at a time.
//
// Statements are queued, sent together and their results read together: one round
// trip.
// Preparing one takes no round trip of its own, because types are left to the
// server and everything travels as text.
type conn struct {
	pg      *pgconn.PgConn
	pooled  *pgxpool.Conn // nil while the pool has it
	slot    fair.Slot     // of the transaction that uses it
	replica *replica      // nil for a connection to the primary, which has no slot otherwise
	pipe    *pgconn.Pipeline
	taken   time.Time // from the pool
	since   time.Time // in idle

	statements statements
	session    session

	prepared  map[statement]*pgconn.StatementDescription
	preparing []statement // sent, result not yet read
	indexed   bool        // the next statements are planned after [beginOwnSQL]
	queue     []request

	builder sqltext.Builder
	values  []store.Value
	text    []byte
}

// A statement is what a name is given to. Transactions in which the planner works otherwise have
// statements of their own, since a prepared statement keeps its plan.
type statement struct {
	sql     string
	indexed bool
}

// A request is a queued statement, and the destination of its result.
type request struct {
	row  func(values [][]byte) // called for each row; nil to skip them
	tag  *pgconn.CommandTag    // nil when not needed
	text string                // the statement
}

// customKey is the key of the conn in the data of a connection.
const customKey = "github.com/shopapi/shopapi/store/postgres"

// maxStatements is how many statements a connection caches. Queries that differ
// in more than values are many, when clients combine filters at will.
const maxStatements = 256

// connOf returns the conn of a connection just taken from the pool.
func connOf(pooled *pgxpool.Conn, s statements) *conn {
	pg := pooled.Conn().PgConn()
	c, ok := pg.CustomData()[customKey].(*conn)
	if !ok {
		c = &conn{pg: pg, statements: s, prepared: make(map[statement]*pgconn.StatementDescription), builder: sqltext.Builder{Dialect: &sqltext.PostgreSQL}}
		pg.CustomData()[customKey] = c
	}
	c.pooled, c.taken, c.indexed = pooled, time.Now(), false
	return c
}

// open begins a run of round trips under ctx.
func (c *conn) open(ctx context.Context) { c.pipe = c.pg.StartPipeline(ctx) }

// shut ends the run. It reports whether the connection can be used again.
func (c *conn) shut() bool {
	if c.pg.IsClosed() {
		return false // and the pipeline must not be read any more
	}
	return c.pipe.Close() == nil && !c.pg.IsClosed()
}

// release returns the connection to the pool, which closes it if it is broken or in a
// transaction.
func (c *conn) release() {
	pooled := c.pooled
	c.pooled, c.pipe, c.queue = nil, nil, c.queue[:0]
	pooled.Release()
}

// send queues a statement.
func (c *conn) send(sql string, params [][]byte, r request) {
	r.text = sql
	c.queue = append(c.queue, r)
	if !c.prepares() {
		c.pipe.SendQueryParams(sql, params, nil, nil, nil)
		return
	}
	s := statement{sql, c.indexed}
	described, ok := c.prepared[s]
	if !ok {
		described = s.described()
		ok = slices.Contains(c.preparing, s)
	}
	if !ok {
		if len(c.prepared) >= maxStatements {
			c.forget()
		}
		c.pipe.SendPrepare(described.Name, sql, nil)
		c.preparing = append(c.preparing, s)
	}
	c.pipe.SendQueryStatement(described, params, nil, nil)
}

// described returns the description of a statement. pgconn has the server describe the columns at
// each execution where it knows none, also of a statement without rows. Nobody reads them, so that
// one column without a name does.
func (s statement) described() *pgconn.StatementDescription {
	return &pgconn.StatementDescription{Name: s.name(), SQL: s.sql, Fields: make([]pgconn.FieldDescription, 1)}
}

// forget drops all statements.
func (c *conn) forget() {
	for _, described := range c.prepared {
		c.pipe.SendDeallocate(described.Name)
	}
	clear(c.prepared)
}

// roundTrip sends the queued statements and reads the results. It returns the first
// error; statements after the failed one were not run. An error other than a
// [*pgconn.PgError] means that the connection is lost.
func (c *conn) roundTrip() error {
	defer func() {
		clear(c.queue)
		c.queue, c.preparing = c.queue[:0], c.preparing[:0]
	}()
	if err := c.pipe.Sync(); err != nil {
		return err
	}
	var failed error
	next := 0
	for {
		result, err := c.pipe.GetResults()
		if err != nil {
			var refused *pgconn.PgError
			if !errors.As(err, &refused) || c.pg.IsClosed() {
				return err
			}
			failed = first(failed, err)
			continue
		}
		switch result := result.(type) {
		case *pgconn.StatementDescription:
			c.prepared[c.preparing[0]] = c.preparing[0].described()
			c.preparing = c.preparing[1:]
		case *pgconn.ResultReader:
			r := &c.queue[next]
			next++
			for result.NextRow() {
				if r.row != nil {
					r.row(result.Values())
				}
			}
			tag, err := result.Close()
			if c.pg.IsClosed() {
				return err
			}
			failed = first(failed, err)
			if r.tag != nil {
				*r.tag = tag
			}
		case *pgconn.PipelineSync:
			return failed
		case nil: // the server ended the connection with its last message
			return first(failed, errLost)
		}
	}
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
