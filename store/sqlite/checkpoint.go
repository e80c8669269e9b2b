package sqlite

import (
	"time"

	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A checkpointer limits the WAL: it copies its pages into the file. The
// writer runs it after its Updates have returned.
//
// A read in progress pins the pages of the WAL that were written after it began.
// Where some read is always in progress, passive checkpoints never reach the end,
// and the WAL grows without bound. So once it is very long the writer delays the
// next commit, for a moment, until the reads that began before the last one have
// ended.
type checkpointer struct {
	next   int // pages of the WAL at which the next checkpoint is due
	waitAt int // the size at which a commit waits for reads to end
}

const (
	longWAL     = 8000            // pages from one checkpoint to the next
	veryLongWAL = 2 * longWAL     // pages at which one waits for reads
	readWait    = time.Second / 4 // how long it waits
)

// reuse has the next commit write the WAL from its beginning, where the disk has no
// room for a longer one. It waits for reads as run does.
func (p *checkpointer) reuse(db *engine.Conn) {
	p.next, p.waitAt = 0, 0
	db.SetBusyTimeout(readWait)
	_ = db.Exec("PRAGMA wal_checkpoint(RESTART)") // where it fails, so does the next commit
}

func (p *checkpointer) run(db *engine.Conn) {
	pages := db.WALPages()
	if pages < longWAL {
		p.next, p.waitAt = 0, 0
		return
	}
	if pages < p.next {
		return // each checkpoint costs two syncs
	}
	p.next = pages + longWAL
	mode := "PASSIVE"
	if pages >= max(p.waitAt, veryLongWAL) {
		p.waitAt = pages + veryLongWAL // where it waits in vain, not at each commit
		mode = "RESTART"
		db.SetBusyTimeout(readWait)
	}
	// What fails, or is left, is done after a later commit.
	_ = db.Exec("PRAGMA wal_checkpoint(" + mode + ")")
}
