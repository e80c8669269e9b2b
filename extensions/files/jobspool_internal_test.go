package files

import (
	"bytes"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi"
)

// A slowWriter takes a time for each write.
type slowWriter time.Duration

func (w slowWriter) Write(b []byte) (int, error) {
	time.Sleep(time.Duration(w))
	return len(b), nil
}

// TestPausingWriter_LeavesTheProcessor: a file that arrives pauses for three times as long as it
// worked, and for 30 ms at most, since a client may be slow.
func TestPausingWriter_LeavesTheProcessor(t *testing.T) {
	for name, c := range map[string]struct{ write, pause time.Duration }{
		"three times as long": {3 * time.Millisecond, 9 * time.Millisecond},
		"30 ms at most":       {time.Second, 30 * time.Millisecond},
		"short writes":        {time.Millisecond / 4, 3 * time.Millisecond / 4}, // after four of them
		"no work, no pause":   {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := &pausingWriter{w: slowWriter(c.write), began: start}
				for range 8 {
					if _, err := w.Write([]byte("a row")); err != nil {
						t.Fatal(err)
					}
				}
				if took, want := time.Since(start), 8*(c.write+c.pause); took != want {
					t.Errorf("8 writes took %v, want %v", took, want)
				}
			})
		})
	}
}

// A countedDisk counts its syncs.
type countedDisk struct {
	bytes.Buffer
	syncs int
}

func (d *countedDisk) Sync() error {
	d.syncs++
	return nil
}

// TestSyncingWriter_SyncsEachMiB: never more than a MiB waits for a commit's sync.
func TestSyncingWriter_SyncsEachMiB(t *testing.T) {
	var disk countedDisk
	w := &syncingWriter{f: &disk}
	for written := 0; written < 5<<20; written += 32 << 10 {
		if _, err := w.Write(make([]byte, 32<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if disk.syncs != 5 || disk.Len() != 5<<20 {
		t.Errorf("%d syncs of %d bytes, want 5 of 5 MiB", disk.syncs, disk.Len())
	}
}

// E7: a file that does not fit on the disk is a 503: it may be sent again later.
func TestUnstored(t *testing.T) {
	write := func(err error) error { return &os.PathError{Op: "write", Path: "jobs", Err: err} }
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if got := shopapi.AsError(unstored(write(full))); got.Status != http.StatusServiceUnavailable {
			t.Errorf("%v: %d", full, got.Status)
		}
	}
	if got := shopapi.AsError(unstored(write(syscall.EIO))); got.Status != http.StatusInternalServerError {
		t.Errorf("another error: %d", got.Status)
	}
	if err := unstored(nil); err != nil {
		t.Error(err)
	}
}
