package sqlite

import (
	"time"

	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A writeBack keeps the write-ahead log short: it moves what the log holds into
// the file. The writer does it after it has answered.
//
// A read in progress keeps the part of the log that came after it began. Where
// there is always some read in progress, plain checkpoints never get to the
// end, and the log grows for as long. So once it is very long the writer, for a
// moment, lets no commit follow until the reads that began before the last one
// have ended.
type writeBack struct {
	next   int // pages of the log at which to write back, next time
	waitAt int // and at which to wait for reads
}

const (
	longLog     = 1000            // pages after which what can be is written back, each time
	veryLongLog = 8 * longLog     // pages after which it waits for reads
	readsEndIn  = time.Second / 4 // how long it waits
)

func (l *writeBack) run(db *engine.Conn) {
	pages := db.LogPages()
	if pages < longLog {
		l.next, l.waitAt = 0, 0
		return
	}
	if pages < l.next {
		return // each writing back costs two syncs
	}
	l.next = pages + longLog
	mode := "PASSIVE"
	if pages >= max(l.waitAt, veryLongLog) {
		l.waitAt = pages + veryLongLog // when it waits in vain, not at each commit
		mode = "RESTART"
		db.SetPatience(readsEndIn)
	}
	// What fails or stays is done after a later commit.
	_ = db.Exec("PRAGMA wal_checkpoint(" + mode + ")")
}
