package sqlite

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/store/driver"
)

// errEndPanicked is the error of the members of a batch whose end panicked.
var errEndPanicked = errors.New("sqlite: the end of a group of transactions panicked")

// write runs a part of the end of the batch. If it fails or panics, nothing is committed.
func (b *batch) write(part func() error) {
	b.failed = errEndPanicked
	defer func() {
		if b.failed == errEndPanicked {
			_ = b.writer.store.versions.rollback(b.writer)
		}
	}()
	err := part()
	b.failed = nil
	if err != nil {
		b.failed = unavailable(err)
	}
}

// writeWaiting writes the waiting changes of all members.
func (b *batch) writeWaiting() error {
	t := b.begin(context.Background())
	defer t.end()
	if t.flushAll() != nil {
		return b.undoWaiting()
	}
	return nil
}

// undoWaiting has the members run again because a change that waited could not be written: with
// savepoints, where nothing waits, and the member fails that it is of.
func (b *batch) undoWaiting() error {
	b.writer.careful = carefulBatches
	b.full = b.full || isFull(b.waiting.failed)
	return errUndone
}

// endGroup stores what the members that succeeded have left to the end of the batch, and returns
// the session that it did it in.
func (b *batch) endGroup() (session *driver.Session, err error) {
	var sessions []*driver.Session
	for _, m := range b.members {
		if m.session != nil {
			sessions = append(sessions, m.session)
		}
	}
	t := b.begin(context.Background())
	defer t.end()
	ctx, session := driver.NewSession(t.ctx, b.writer.store, t, true)
	if err = driver.EndGroup(ctx, sessions); err == nil {
		err = session.Finish()
	}
	b.changed.add(t.changes)
	return session, err
}
