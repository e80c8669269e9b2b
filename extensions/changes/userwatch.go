package changes

import (
	"context"

	"github.com/shopapi/shopapi/store/driver"
)

// A userWatch is the watch of a stream that waits: an idle stream ends, or obeys, soon after
// its user, their key or their privileges changed.
type userWatch struct {
	changed func(context.Context) bool
	wake    chan struct{}
}

// watchUser has the feed call changed from time to time until stop is called, and send an
// element where it reports true.
func (f *feed) watchUser(changed func(context.Context) bool) (wake <-chan struct{}, stop func()) {
	w := &userWatch{changed, make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users == nil {
		f.users = map[*userWatch]struct{}{}
	}
	f.users[w] = struct{}{}
	return w.wake, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.users, w)
	}
}

// checkUsers wakes the streams whose users may have changed. However many streams there are,
// it asks the database once, and most stores not at all.
func (f *feed) checkUsers() {
	f.mu.Lock()
	list := make([]*userWatch, 0, len(f.users))
	for w := range f.users {
		list = append(list, w)
	}
	f.mu.Unlock()
	ctx := driver.AskOnce(context.Background())
	for _, w := range list {
		if w.changed(ctx) {
			select {
			case w.wake <- struct{}{}:
			default: // it was woken, and did not get to it yet
			}
		}
	}
}
