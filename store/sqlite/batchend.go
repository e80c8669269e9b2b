package sqlite

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/store/driver"
)

// errEndPanicked is the error of the members of a batch whose end panicked.
var errEndPanicked = errors.New("sqlite: the end of a group of transactions panicked")

// writeWaiting writes what waits of the changes of all members.
func (b *batch) writeWaiting() {
	t := b.begin(context.Background())
	defer t.end()
	if t.settleAll() != nil {
		b.failed = unavailable(b.undoWaiting())
	}
}

// undoWaiting has the members run again because a change that waited could not be written: with
// savepoints, where nothing waits, and the member fails that it is of.
func (b *batch) undoWaiting() error {
	b.writer.careful = carefulBatches
	b.full = b.full || isFull(b.waiting.failed)
	return errUndone
}

// endGroup stores what the members that succeeded have left to the end of the batch, and returns
// the session that it did it in. Where that fails, so does the batch.
func (b *batch) endGroup() *driver.Session {
	var sessions []*driver.Session
	for _, m := range b.members {
		if m.session != nil {
			sessions = append(sessions, m.session)
		}
	}
	w, t := b.writer, b.begin(context.Background())
	defer func() {
		t.end()
		if b.failed == errEndPanicked {
			_ = w.store.versions.rollback(w)
		}
	}()
	ctx, session := driver.NewSession(t.ctx, w.store, t, true)
	b.failed = errEndPanicked
	err := driver.EndGroup(ctx, sessions)
	if err == nil {
		err = session.Finish()
	}
	b.failed = nil
	if err != nil {
		b.failed = unavailable(err)
	}
	b.changed.add(t.changes)
	return session
}
