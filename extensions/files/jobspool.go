package files

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A receiving counts the files of each user that are on their way. A user sends no more of
// them at once than may become jobs: the others would be written for nothing.
type receiving struct {
	mu     sync.Mutex
	ofUser map[int64]int
}

// begin reports whether one more file of a user may come. It ends with [receiving.end].
func (r *receiving) begin(user int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ofUser[user] == maxJobsOfUser {
		return false
	}
	if r.ofUser == nil {
		r.ofUser = map[int64]int{}
	}
	r.ofUser[user]++
	return true
}

func (r *receiving) end(user int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ofUser[user]--; r.ofUser[user] == 0 {
		delete(r.ofUser, user)
	}
}

// spool writes a file as it comes, and returns its name and size. The limit counts unpacked
// bytes. If the file is refused, spool removes the written bytes.
func (j *Jobs) spool(ctx context.Context, body io.Reader, packed bool) (_ string, size int64, err error) {
	name := rand.Text() + fileEnding
	f, err := os.OpenFile(j.path(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", 0, fmt.Errorf("files: the directory of jobs: %w", err)
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			j.removeFile(name)
		}
	}()
	limit := j.api.Limits().Import
	counted := &boundedWriter{most: limit}
	disk := &syncingWriter{f: f}
	to := io.MultiWriter(disk, counted)
	finish := func() {}
	if packed {
		unpacking := unpackInto(counted)
		finish = unpacking.finish
		to = io.MultiWriter(disk, &boundedWriter{most: limit}, unpacking)
	}
	in := &bodyReader{r: contextReader{ctx, body}}
	size, err = io.Copy(&pausingWriter{w: to, began: time.Now()}, in)
	finish()
	switch {
	case errors.Is(err, errTooLarge) || counted.n > limit:
		return "", 0, shopapi.Errorf(http.StatusRequestEntityTooLarge, "The file may have at most %d bytes, unpacked.", limit)
	case in.err != nil:
		return "", 0, unread(in.err)
	case err == nil:
		err = f.Sync()
	}
	return name, size, unstored(err)
}

// unstored is the error of a file that could not be stored: a full disk is a 503 response.
func unstored(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("files: the directory of jobs: %w: %w", store.ErrUnavailable, err)
	}
	return err
}

// unread is the response to a body that does not come to its end.
func unread(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return err
	}
	return shopapi.Errorf(http.StatusBadRequest, "The body could not be read to its end.")
}

// A bodyReader notes the error of a body.
type bodyReader struct {
	r   io.Reader
	err error
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

var errTooLarge = errors.New("files: the file is too large")

// A boundedWriter counts bytes, and fails beyond the limit.
type boundedWriter struct{ n, most int64 }

func (w *boundedWriter) Write(b []byte) (int, error) {
	if w.n += int64(len(b)); w.n > w.most {
		return 0, errTooLarge
	}
	return len(b), nil
}

// An unpacker unpacks the bytes that are written to it into a writer, in a goroutine. It ignores
// data that cannot be unpacked: the job reports them.
type unpacker struct {
	*io.PipeWriter
	done chan struct{}
}

func unpackInto(w io.Writer) *unpacker {
	r, in := io.Pipe()
	u := &unpacker{in, make(chan struct{})}
	go func() {
		defer close(u.done)
		unpacked, err := gzip.NewReader(r)
		if err == nil {
			_, err = io.Copy(&pausingWriter{w: w, began: time.Now()}, unpacked)
		}
		if errors.Is(err, errTooLarge) {
			_ = r.CloseWithError(err)
			return
		}
		_, _ = io.Copy(io.Discard, r)
	}()
	return u
}

// finish ends the data, and waits for the goroutine.
func (u *unpacker) finish() {
	_ = u.Close() // always nil
	<-u.done
}

// A syncingWriter syncs a file after each MiB: commits of the database may wait for the disk until all
// that was written to other files is there.
type syncingWriter struct {
	f interface {
		io.Writer
		Sync() error
	}
	dirty int
}

func (w *syncingWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	if w.dirty += n; err == nil && w.dirty >= 1<<20 {
		w.dirty = 0
		err = w.f.Sync()
	}
	return n, err
}

// A pausingWriter sleeps for three times as long as it worked, and for at most 30 ms at once: the two
// files that a user may send at the same time leave half of a processor to other requests.
type pausingWriter struct {
	w     io.Writer
	began time.Time // when the last wait ended
}

func (p *pausingWriter) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	if worked := time.Since(p.began); worked >= time.Millisecond {
		time.Sleep(min(3*worked, 30*time.Millisecond))
		p.began = time.Now()
	}
	return n, err
}
