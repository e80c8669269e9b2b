package changes

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
)

// A Mode says whether the log is kept.
type Mode int

// The modes.
const (
	AsStored Mode = iota // as the database says, which is off at first
	On
	Off
)

// Options configure a log. The zero value leaves the log as the database says.
type Options struct {
	Mode Mode

	// Keep is how long changes are kept; the default is 7 days. MaxBytes is about how
	// much room they take at most; the default is 256 MiB. Older changes are removed
	// by later writes.
	Keep     time.Duration
	MaxBytes int64
}

// A Log is the change log of a shop. Its methods may be called from many goroutines.
type Log struct {
	api    *shopapi.API
	st     store.Store
	opts   Options
	logger *slog.Logger

	// concurrent says that transactions run side by side, so that rows get their
	// positions after the commits.
	concurrent bool

	isOn    tablecache.Cache[int64, bool]
	writes  atomic.Int64 // rows written since the last look at the oldest
	pruning atomic.Bool
	feed    feed
	beat    time.Duration // between two signs of life in a stream

	namesOnce sync.Once
	names     []string             // of the entities whose changes it has
	addresses map[[2]string]string // the names in addresses of entities below a parent that have another one in the log
}

var _ shopapi.Recorder = (*Log)(nil)

// Open creates the tables of the log in st, switches it as the options say, and has it
// record the changes that the API reports. It returns nil where the log is off.
func Open(ctx context.Context, api *shopapi.API, st store.Store, opts Options) (*Log, error) {
	if opts.Keep < 0 || opts.MaxBytes < 0 {
		return nil, errors.New("changes: Options.Keep and Options.MaxBytes must not be negative")
	}
	opts.Keep = cmp.Or(opts.Keep, 7*24*time.Hour)
	opts.MaxBytes = cmp.Or(opts.MaxBytes, 256<<20)
	_, concurrent := st.(store.TableLocker)
	l := &Log{api: api, st: st, opts: opts, concurrent: concurrent, logger: api.Logger(), beat: beatEvery}
	l.isOn = tablecache.New[int64](st, 1<<16, func(bool) int64 { return 16 }, heads.Schema())
	l.feed.init()
	if err := migrate(ctx, st); err != nil {
		return nil, err
	}
	on, err := l.turn(ctx)
	if err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	if opts.Mode == Off {
		return nil, nil
	}
	api.Record(l)
	if !on {
		return nil, nil
	}
	return l, l.register()
}

// turn switches the log as the options say, and reports whether it is on.
func (l *Log) turn(ctx context.Context) (on bool, err error) {
	err = l.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		h, err := readHead(tx)
		if err != nil {
			return err
		}
		if want := l.opts.Mode == On; l.opts.Mode == AsStored || h.On == want {
			on = h.On
			return nil
		}
		on = l.opts.Mode == On
		return begin(tx, h, on)
	})
	return on, err
}

// Reset begins a new log, empty and with another name, if the log is on: readers of the
// old log get an error and must read everything again. It is for databases that were
// restored.
func (l *Log) Reset(ctx context.Context) error { return Reset(ctx, l.st) }

// Reset is [Log.Reset] for a store without an API.
func Reset(ctx context.Context, st store.Store) error {
	if err := migrate(ctx, st); err != nil {
		return err
	}
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		h, err := readHead(tx)
		if err != nil || !h.On {
			return err
		}
		return begin(tx, h, true)
	})
}

// migrate creates the tables of the log.
func migrate(ctx context.Context, st store.Store) error {
	schemas, err := SchemasIn(st)
	if err != nil {
		return err
	}
	return st.Migrate(ctx, schemas...)
}

func readHead(tx store.Tx) (head, error) {
	h, err := heads.Get(tx, headID)
	if errors.Is(err, store.ErrNotFound) {
		return head{}, nil
	}
	return h, err
}

// begin switches a log on with a new name, or off. The rows of the old one go.
func begin(tx store.Tx, h head, on bool) error {
	isNew := h.ID == 0
	h = head{ID: headID, On: on, Name: strings.ToLower(rand.Text()[:10]), Start: h.Start}
	for _, by := range []string{"id", "seq"} {
		newest, err := rows.Select(tx, store.Query{Order: []store.Order{store.Desc(by)}, Limit: 1})
		if err != nil {
			return err
		}
		for _, r := range newest {
			h.Start = max(h.Start, r.ID, r.Seq)
		}
	}
	if _, err := rows.Delete(tx); err != nil {
		return err
	}
	if isNew {
		return heads.Insert(tx, &h)
	}
	return heads.Update(tx, &h)
}

// written wakes waiting readers once the rows are committed, and prunes old rows now and
// then.
func (l *Log) written(ctx context.Context, tx store.Tx, n int) error {
	if n == 0 {
		return nil
	}
	store.AfterCommit(ctx, l.feed.kick)
	if l.writes.Add(int64(n)) < pruneEvery {
		return nil
	}
	l.writes.Add(-pruneEvery) // what remains of many rows is pruned by the next writes
	if l.concurrent {
		store.AfterCommit(ctx, func() { go l.pruneBeside(context.Background()) })
		return nil
	}
	return l.prune(ctx, tx)
}
