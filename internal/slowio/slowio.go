// Package slowio reads and writes bodies that may take long while no piece of them may: it
// moves the deadlines of the connection on with each piece.
package slowio

import (
	"io"
	"net/http"
	"time"
)

// A Reader is the body of a request. Each piece has the time.
type Reader struct {
	io.ReadCloser
	Control *http.ResponseController
	Time    time.Duration // of a piece
}

// Read reads a piece of the body.
func (r *Reader) Read(b []byte) (int, error) {
	_ = r.Control.SetReadDeadline(time.Now().Add(r.Time)) // not every server can
	return r.ReadCloser.Read(b)
}

// A Writer writes the body of a response. Each piece has the time.
type Writer struct {
	Bytes int64 // that were written

	w       http.ResponseWriter
	control *http.ResponseController
	time    time.Duration // 0 without a limit
}

// NewWriter returns a Writer over w. A time of 0 means no limit.
func NewWriter(w http.ResponseWriter, time time.Duration) *Writer {
	return &Writer{w: w, control: http.NewResponseController(w), time: time}
}

// Write writes a piece of the body.
func (w *Writer) Write(b []byte) (int, error) {
	w.limit()
	n, err := w.w.Write(b)
	w.Bytes += int64(n)
	return n, err
}

// Flush sends the buffered data.
func (w *Writer) Flush() {
	w.limit()
	_ = w.control.Flush() // the next Write returns the error
}

// End flushes and removes the deadline: later writes of a host have none of ours.
func (w *Writer) End() {
	if w.time > 0 {
		_ = w.control.Flush()
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}

// Break has the connection refuse all that is written from now on: a response that is cut short must
// not end as a whole one, also where a middleware of the host recovers from [http.ErrAbortHandler].
func (w *Writer) Break() { _ = w.control.SetWriteDeadline(time.Unix(1, 0)) }

func (w *Writer) limit() {
	if w.time > 0 {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.time))
	}
}
