package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/shopapi/shopapi/store/driver"
)

// The tables of the database that say which version each table has.
//
// Each transaction that changes tables adds a row with a random number to the first; the
// version of a table is the sum, modulo 2^64, of the numbers that a snapshot shows. A row may name
// several tables, one in a line, and one of them several times: its number then counts as often. So
// it depends on nothing but the visible transactions: a transaction that commits late, a
// prepared one and one that a crash undoes need no care. No row is written twice, so
// writers do not wait for each other.
//
// The second table has a random epoch for each timeline of the server: after a failover no
// version is an old one.
const (
	versionsTable = "shopapi_versions"
	epochsTable   = "shopapi_epochs"
)

// questionSQL asks for the versions of all tables and for the epoch, in one snapshot. Its
// first row has the sum of all numbers, how many rows these are, and the epoch. The versions
// are left out where that sum is the parameter: then they equal the last answer's.
// It also has a position of the log that is behind all commits of the snapshot, and the snapshot.
// All but the sum are known to a primary alone.
const questionSQL = questionStart + `CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE
	(SELECT epoch::text FROM ` + epochsTable + ` WHERE timeline = ` + timelineSQL + `) END,
	CASE WHEN NOT pg_is_in_recovery() THEN (pg_current_wal_insert_lsn() - '0/0')::text END, ` + snapshotText + questionRest

const (
	questionStart = `WITH total AS MATERIALIZED (SELECT coalesce(sum(number), 0) AS number, count(*) AS n FROM ` + versionsTable + `)
SELECT NULL, number::text, n::text, `
	questionRest = ` FROM total
UNION ALL
SELECT "table", sum(number)::text, NULL, NULL, NULL, NULL FROM ` + versionsTable + `
	WHERE (SELECT number FROM total) IS DISTINCT FROM $1::numeric GROUP BY "table"`
)

// timelineSQL is the timeline of a primary.
const timelineSQL = `left(pg_walfile_name(pg_current_wal_lsn()), 8)`

// newEpochSQL writes the epoch of a timeline, unless another process was faster.
const newEpochSQL = `INSERT INTO ` + epochsTable + ` (timeline, epoch) SELECT ` + timelineSQL + `, ` + randomSQL + `
	WHERE NOT EXISTS (SELECT FROM ` + epochsTable + ` WHERE timeline = ` + timelineSQL + `) ON CONFLICT DO NOTHING`

// randomSQL is a number that no other transaction ever takes, not even one of another
// timeline.
const randomSQL = `pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', pg_catalog.txid_current(), pg_catalog.random(), pg_catalog.clock_timestamp()), 0)`

var (
	errNoVersions = errors.New("postgres: the versions of the tables are not known")
	errNoEpoch    = errors.New("postgres: the timeline has no epoch yet")
)

// versions are what the store knows of the versions of its tables.
type versions struct {
	on   atomic.Bool // the tables of the versions are there, and may be used
	last atomic.Pointer[knownVersions]
}

// knownVersions are an answer that is not older than the last question but one.
type knownVersions struct {
	total    string
	versions *driver.Versions
}

// An answer collects the rows of the question.
type answer struct {
	last     *knownVersions // when the question was sent, nil for none
	total    string
	epoch    string
	position uint64
	snapshot string
	rows     int // of the table of versions
	answers  int // first rows
	tables   map[string]uint64
	bad      error
}

// send queues the question.
func (a *answer) send(s *Store, c *conn) {
	a.sendTo(c, questionSQL, s.versions.last.Load())
}

// sendTo queues a form of the question.
func (a *answer) sendTo(c *conn, sql string, last *knownVersions) {
	*a = answer{last: last}
	var known []byte
	if a.last != nil {
		known = []byte(a.last.total)
	}
	c.send(sql, [][]byte{known}, request{row: a.row})
}

// knownAs returns the last answer if it has the versions, else nil.
func (v *versions) knownAs(told *driver.Versions) *knownVersions {
	if last := v.last.Load(); last != nil && last.versions == told {
		return last
	}
	return nil
}

func (a *answer) row(values [][]byte) {
	if values[0] == nil {
		a.answers++
		a.total, a.epoch = string(values[1]), string(values[3])
		n, err := strconv.Atoi(string(values[2]))
		a.rows, a.bad = n, first(a.bad, err)
		if values[4] != nil {
			a.position, err = moduloWord(values[4])
			a.bad = first(a.bad, err)
		}
		a.snapshot = string(values[5])
		return
	}
	if a.tables == nil {
		a.tables = make(map[string]uint64)
	}
	number, err := moduloWord(values[1])
	a.bad = first(a.bad, err)
	for table := range strings.SplitSeq(string(values[0]), "\n") {
		a.tables[table] += number
	}
}

// moduloWord returns a whole number of any length modulo 2^64.
func moduloWord(text []byte) (n uint64, err error) {
	digits := text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 {
		return 0, fmt.Errorf("postgres: the version %q is no number", text)
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("postgres: the version %q is no number", text)
		}
		n = n*10 + uint64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, nil
}

// known returns the versions that the answer has.
func (a *answer) known() (*knownVersions, error) {
	switch {
	case a.bad != nil:
		return nil, a.bad
	case a.answers != 1:
		return nil, errNoVersions
	case a.epoch == "standby":
		return nil, errStandby
	case a.epoch == "primary":
		return nil, errPromoted
	case a.epoch == "":
		return nil, errNoEpoch
	}
	epoch, err := moduloWord([]byte(a.epoch))
	if err != nil {
		return nil, err
	}
	tables := a.tables
	if a.last != nil && a.total == a.last.total {
		if epoch == a.last.versions.Epoch {
			return a.last, nil
		}
		tables = a.last.versions.Tables
	}
	return &knownVersions{a.total, &driver.Versions{Epoch: epoch, Tables: tables, Position: a.position}}, nil
}

// saw gives a read set the versions of the snapshot of its View.
func (a *answer) saw(s *Store, reads *driver.ReadSet) {
	known, err := a.known()
	if err != nil {
		reads.MarkUntracked()
		if errors.Is(err, errNoEpoch) {
			s.asker.askAside()
		}
		return
	}
	reads.Saw(known.versions)
}

// Versions implements [driver.Asked].
func (s *Store) Versions(ctx context.Context) (*driver.Versions, error) {
	if !s.versions.on.Load() {
		return nil, errNoVersions
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.running.Done()
	return s.asker.ask(ctx)
}
