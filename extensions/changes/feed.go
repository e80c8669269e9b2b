package changes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
)

const (
	// pollEvery is how often the log is looked at for changes of other processes, while
	// somebody waits.
	pollEvery = 500 * time.Millisecond

	// recentRows is how many rows the feed keeps at least for readers that are not done
	// with the rows before. Slower readers read from the database.
	recentRows = 4096
)

// A feed reads each new row once, for all readers of the process that wait. A waiting
// reader holds nothing of the database.
type feed struct {
	wake chan struct{} // has an element where there may be new rows
	keep int           // rows of recent at least

	mu      sync.Mutex
	changed chan struct{} // closed by the next change of the fields below
	readers int
	users   map[*userWatch]struct{} // of streams that wait
	running bool

	known  bool // the fields below were read
	head   head
	from   int64 // position after which recent has all rows
	to     int64 // position of the last row
	recent []row // never changed in place
}

func (f *feed) init() {
	f.wake, f.changed, f.keep = make(chan struct{}, 1), make(chan struct{}), recentRows
}

// kick has the feed look for new rows, if somebody waits.
func (f *feed) kick() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// enter counts a waiting reader, until leave is called. The first reader starts the feed,
// which ends after the last one has left.
func (l *Log) enter() (leave func()) {
	f := &l.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers++; !f.running {
		f.running = true
		go l.feedReaders()
	}
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.readers--
	})
}

// feedReaders reads new rows until nobody waits.
func (l *Log) feedReaders() {
	f := &l.feed
	timer := time.NewTimer(0)
	defer timer.Stop()
	var checked time.Time // the users
	for {
		f.mu.Lock()
		if f.readers == 0 {
			f.running, f.known, f.recent = false, false, nil
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		var err error
		for more := true; more && err == nil; {
			more, err = l.feedOnce(context.Background())
		}
		// Where the database is away, the readers wait, and the next look may succeed.
		if now := time.Now(); err == nil && now.Sub(checked) >= pollEvery {
			checked = now
			f.checkUsers()
		}
		timer.Reset(pollEvery)
		select {
		case <-f.wake:
		case <-timer.C:
		}
	}
}

// feedOnce reads the rows after the last one, and reports whether there may be more.
func (l *Log) feedOnce(ctx context.Context) (more bool, err error) {
	if err := l.number(ctx); err != nil {
		return false, err
	}
	f := &l.feed // only feedReaders changes known, head, from, to and recent
	var h head
	var b bounds
	var list []row
	err = l.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		if h, err = readHead(tx); err != nil {
			return err
		}
		if !f.known || h != f.head {
			b, err = l.bounds(tx)
			return err
		}
		list, err = rows.Select(tx, l.after(f.to, maxPage))
		return err
	})
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !f.known || h != f.head:
		f.known, f.head, f.from, f.to, f.recent = true, b.head, b.newest, b.newest, nil
	case len(list) == 0:
		return false, nil
	default:
		f.recent = append(f.recent, list...)
		f.to = l.position(&list[len(list)-1])
		if n := len(f.recent) - f.keep; n > f.keep {
			f.from = l.position(&f.recent[n-1])
			f.recent = slices.Clone(f.recent[n:])
		}
	}
	close(f.changed)
	f.changed = make(chan struct{})
	return len(list) == maxPage, nil
}

// A wakeup is what ended a wait.
type wakeup int

const (
	news        wakeup = iota // there may be something new
	timerFired                // the timer
	userChanged               // the user of the stream may have changed
	contextEnded
)

// wait waits until there may be something after a cursor, a timer fires, an element comes
// from user or ctx ends.
func (l *Log) wait(ctx context.Context, cursor string, timer <-chan time.Time, user <-chan struct{}) wakeup {
	f := &l.feed
	for {
		f.mu.Lock()
		changed := f.changed
		n, same := f.head.numberOf(cursor)
		isNew := f.known && (!same || f.to > n)
		f.mu.Unlock()
		if isNew {
			return news
		}
		select {
		case <-changed:
		case <-timer:
			return timerFired
		case <-user:
			return userChanged
		case <-ctx.Done():
			return contextEnded
		}
	}
}

// recentPage is [Log.Page] from the rows of the feed; ok is false where they do not reach
// back to the cursor.
func (l *Log) recentPage(ctx context.Context, cursor string, f Filter, limit int) (p Page, ok bool) {
	l.feed.mu.Lock()
	h, from, to, list := l.feed.head, l.feed.from, l.feed.to, l.feed.recent
	last, same := h.numberOf(cursor)
	ok = l.feed.known && same && h.On && last >= from && last <= to
	l.feed.mu.Unlock()
	if !ok {
		return p, false
	}
	i, _ := slices.BinarySearchFunc(list, last+1, func(r row, n int64) int { return int(l.position(&r) - n) })
	v := l.viewer(l.api.Confine(ctx))
	for ; i < len(list) && len(p.Changes) < limit; i++ {
		last = l.position(&list[i])
		p.add(v, &list[i], &f, formatPosition(h, last))
	}
	if i == len(list) {
		last = to
	}
	p.LastSeq, p.Pending = formatPosition(h, last), to-last
	return p, true
}

// next is [Log.Page] for a reader that waited: it takes recent rows from the feed.
func (l *Log) next(ctx context.Context, cursor string, f Filter, limit int) (Page, error) {
	if p, ok := l.recentPage(ctx, cursor, f, limit); ok {
		return p, nil
	}
	return l.Page(ctx, cursor, f, limit)
}
