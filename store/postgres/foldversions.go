package postgres

import (
	"strconv"
	"sync/atomic"
)

// folding has the rows of each table's version be replaced by one row with their sum,
// which changes no version. One process of all does it at a time.
type folding struct {
	begun   atomic.Bool  // in this process
	removed atomic.Int64 // rows since the last VACUUM
	commits atomic.Int64 // of this process since the last question
}

const (
	// foldRows is how many rows there may be beyond one for each table.
	foldRows = 150

	// vacuumRows is how many rows are removed before a VACUUM.
	vacuumRows = 3000

	// foldCommits is how many transactions may be committed without a question.
	foldCommits = 150
)

// foldVersionsSQL replaces rows. READ COMMITTED does: a row that another transaction has
// removed is left out. The remainder is that of a signed number.
const foldVersionsSQL = `WITH removed AS (
	DELETE FROM ` + versionsTable + ` WHERE (SELECT pg_try_advisory_xact_lock('` + versionsTable + `'::regclass::oid::bigint))
	AND ("table" IN (SELECT "table" FROM ` + versionsTable + ` GROUP BY "table" HAVING count(*) > 1) OR position(chr(10) IN "table") > 0)
	RETURNING "table", number
), sums AS (
	SELECT name AS "table", sum(number) % 18446744073709551616 AS number
	FROM removed, unnest(string_to_array("table", chr(10))) AS name GROUP BY name
), added AS (
	INSERT INTO ` + versionsTable + ` ("table", number) SELECT "table", number -
		CASE WHEN number >= 9223372036854775808 THEN 18446744073709551616
		WHEN number < -9223372036854775808 THEN -18446744073709551616 ELSE 0 END FROM sums
)
SELECT count(*) FROM removed`

// asked begins to fold if the last question read too many rows.
func (f *folding) asked(a *asker, rows int) {
	f.commits.Store(0)
	if rows <= foldRows || !f.begun.CompareAndSwap(false, true) {
		return
	}
	a.work.Go(func() {
		defer f.begun.Store(false)
		f.fold(a)
	})
}

// committed has the question be asked after many commits, so that a process that only
// writes folds too.
func (f *folding) committed(a *asker) {
	if f.commits.Add(1)%foldCommits == 0 && a.store.versions.on.Load() {
		a.askAside()
	}
}

// fold folds. Its errors need no care: the next question asks for it again.
func (f *folding) fold(a *asker) {
	removed := 0
	err := a.store.aside(a.life, func(c *conn) {
		c.send("BEGIN ISOLATION LEVEL READ COMMITTED", nil, request{})
		c.send(foldVersionsSQL, nil, request{row: func(values [][]byte) { removed, _ = strconv.Atoi(string(values[0])) }})
		c.send("COMMIT", nil, request{})
	})
	if err != nil || f.removed.Add(int64(removed)) < vacuumRows {
		return
	}
	f.removed.Store(0)
	_ = a.store.aside(a.life, func(c *conn) { c.send("VACUUM "+versionsTable, nil, request{}) })
}
