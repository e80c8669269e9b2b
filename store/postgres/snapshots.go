package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

// snapshots compares the snapshots of questions. While a primary runs, two snapshots with the same
// text show the same transactions: a transaction that commits between them leaves the list of running
// transactions, or raises the number of the last ended one. So the answer is the same, and the server
// need not compute it, which takes three times as long.
//
// After a crash of the server a transaction that was committed with synchronous_commit=off may be
// missing, and another one may have its number. A crash ends all sessions: so only snapshots of the
// same session are compared.
type snapshots struct {
	session *pgconn.PgConn // nil where they must not be compared
	last    string
	known   *knownVersions // that last shows
	same    bool           // the last question found nothing changed
}

const (
	snapshotText = `txid_current_snapshot()::text`
	snapshotSQL  = `SELECT ` + snapshotText
)

// saw notes what a snapshot shows.
func (s *snapshots) saw(c *conn, snapshot string, known *knownVersions) {
	if c.session != sessionOwn {
		s.session = nil
		return
	}
	s.same = s.session == c.pg && s.last == snapshot
	s.session, s.last, s.known = c.pg, snapshot, known
}

// unchanged asks for the snapshot alone, unless the last question found changes: then this one is
// likely to find some too. It returns the last answer if it holds, else nil.
func (a *asker) unchanged(ctx context.Context) *knownVersions {
	s := &a.snapshots
	if s.session == nil || !s.same {
		return nil
	}
	s.same = false
	pooled, err := a.pool.Acquire(ctx)
	if err != nil {
		return nil
	}
	c := connOf(pooled, a.store.mode)
	defer c.release()
	if c.pg != s.session {
		return nil
	}
	c.open(ctx)
	defer c.shut()
	c.send(snapshotSQL, nil, request{row: func(values [][]byte) { s.same = string(values[0]) == s.last }})
	if c.roundTrip() != nil || !s.same {
		s.same = false
		return nil
	}
	return s.known
}
