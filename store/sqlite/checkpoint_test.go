package sqlite_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
)

// The WAL is checkpointed and restarts, though at any moment some View is reading.
func TestCheckpointsWhileOthersRead(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 160 MB")
	}
	path := file(t)
	st := openPages(t, path, nil)
	stop := make(chan struct{})
	ended := make(chan error)
	go func() { ended <- readOn(st, stop) }()

	large := strings.Repeat("x", 1<<20) // in the WAL twice, for its folded form
	const rows = 80
	var longest int64
	for range rows {
		if err := add(t.Context(), st, large); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path + "-wal"); err == nil {
			longest = max(longest, info.Size())
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if longest > 110<<20 {
		t.Errorf("the WAL grew to %d MB", longest>>20)
	}
}

// readOn begins a View, the next one inside it, ends the first, and so on: at
// any moment one is open.
func readOn(st store.Store, stop chan struct{}) error {
	ctx := context.Background()
	open := func() (end func() error) {
		begun, leave, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- st.View(ctx, func(_ context.Context, tx store.Tx) error {
				_, err := pages.Count(tx)
				close(begun)
				time.Sleep(30 * time.Millisecond) // longer than a commit and its checkpoint
				<-leave
				return err
			})
		}()
		<-begun
		return func() error { close(leave); return <-ended }
	}
	end := open()
	for {
		next := open()
		if err := end(); err != nil {
			return err
		}
		end = next
		select {
		case <-stop:
			return end()
		default:
		}
	}
}
