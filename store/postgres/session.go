package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A session is the kind of server session behind a connection.
type session uint8

const (
	sessionUnknown session = iota
	sessionOwn             // the connection's, while it lasts
	sessionPooled          // a pooler between gives each transaction any one
)

// statements says where statements are prepared under names, which saves their
// parsing and planning.
type statements uint8

const (
	prepareInOwnSession statements = iota
	prepareAlways
	prepareNever
)

// statementsOf follows the host's choice for its own statements. A DSN that names the
// default confirms it for the pooler, too: PgBouncer has prepared statements since 1.21,
// if max_prepared_statements is set.
func statementsOf(config *pgx.ConnConfig) statements {
	switch {
	case config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement:
		return prepareNever
	case namesExecMode(config):
		return prepareAlways
	}
	return prepareInOwnSession
}

// prepares reports whether to prepare the next statement under a name. Behind a pooler, a
// statement of another session under that name could run instead.
func (c *conn) prepares() bool {
	switch c.statements {
	case prepareAlways:
		return true
	case prepareNever:
		return false
	}
	return c.session == sessionOwn
}

// name is the name that a statement is prepared under, on any connection
// and in any process: where sessions are shared without being known to be, it is
// missing or taken, but never another statement.
func (s statement) name() string {
	sum := sha256.Sum256([]byte(s.sql))
	name := "shopapi_" + hex.EncodeToString(sum[:16])
	if s.indexed {
		name += "_i"
	}
	return name
}

// backendQuery asks for the process that serves a statement.
const backendQuery = "SELECT pg_backend_pid()"

// learnSession queues the query that determines the session of a connection, if it is
// unknown. A pooler invents the process id that it reports when the connection begins.
func (c *conn) learnSession() {
	if c.session != sessionUnknown {
		return
	}
	c.send(backendQuery, nil, request{row: func(values [][]byte) {
		c.session = sessionPooled
		if string(values[0]) == strconv.FormatUint(uint64(c.pg.PID()), 10) {
			c.session = sessionOwn
		}
	}})
}

// learnStandby queues the query that determines whether a pooler leads to a standby now.
func (c *conn) learnStandby(standby *bool) {
	if c.session == sessionPooled {
		c.send("SELECT pg_is_in_recovery()", nil, request{row: func(values [][]byte) { *standby = string(values[0]) == "t" }})
	}
}

// isPooled reports whether a connection leads through a pooler.
func isPooled(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	if err := conn.QueryRow(ctx, backendQuery, pgx.QueryExecModeExec).Scan(&pid); err != nil {
		return false, err
	}
	return pid != conn.PgConn().PID(), nil
}

// namesExecMode reports whether the DSN says how pgx is to run statements.
func namesExecMode(config *pgx.ConnConfig) bool {
	return strings.Contains(config.ConnString(), "default_query_exec_mode")
}

// wantsPrimary reports whether the DSN asks for a server that can be written to. pgx
// looks when it connects: behind a pooler the server may be another one later, with
// its connections as they were.
func wantsPrimary(config *pgx.ConnConfig) bool {
	if config.ValidateConnect == nil {
		return false
	}
	validates := reflect.ValueOf(config.ValidateConnect).Pointer()
	return validates == reflect.ValueOf(pgconn.ValidateConnectTargetSessionAttrsReadWrite).Pointer() ||
		validates == reflect.ValueOf(pgconn.ValidateConnectTargetSessionAttrsPrimary).Pointer()
}
