package sqlite

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A fileWatch detects that the open files lost their names: another program deleted the
// WAL or moved a file over the database. The next program to open the database would not
// see later writes, so the store stops reading and writing.
type fileWatch struct {
	log   *slog.Logger
	files engine.Files
	lost  atomic.Pointer[string] // the name of a file
}

func (w *fileWatch) init(c *engine.Conn, log *slog.Logger) (err error) {
	w.log = log
	w.files, err = c.Files()
	return err
}

// check looks at the names. It returns [store.ErrUnavailable] once a file was found
// to be gone.
func (w *fileWatch) check() error {
	if err := w.err(); err != nil {
		return err
	}
	name := w.files.Moved()
	if name == "" {
		return nil
	}
	if w.lost.CompareAndSwap(nil, &name) {
		w.log.LogAttrs(context.Background(), slog.LevelError,
			"A file of the database was deleted or replaced while it was open. Nothing is read or written until it is opened again.",
			slog.String("file", name))
	}
	return w.err()
}

// err is that of a check before.
func (w *fileWatch) err() error {
	if name := w.lost.Load(); name != nil {
		return fmt.Errorf("%w: %s was deleted or replaced while it was open; open the store again", store.ErrUnavailable, *name)
	}
	return nil
}
