package driver

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shopapi/shopapi/store"
)

// A RowRead is the [ReadSet] of the response to a GET of one row, in an eighth of the memory.
// Responses of the same form share the rest: the columns of the row, and the reads that all of them
// have, such as the settings. Several goroutines may use it at once.
type RowRead struct {
	form  *readForm
	since atomic.Uint64
	key   int64
}

// A readForm is what read sets of rows of a table have in common.
type readForm struct {
	store  Versioned
	reads  []*Read // with nil for the read of the row
	row    Read    // without the number
	merged int32
}

// ReadForms have the forms that read sets had last, one for each table. The zero ReadForms has none.
// Several goroutines may use it at once.
type ReadForms struct {
	mu     sync.Mutex
	latest map[*store.Schema]*readForm
}

// Row returns r as a RowRead, and its size in bytes. It returns nil where r has conditions, is of an
// [Asked] store, or is more than the read of one row and reads that it was merged with.
func (f *ReadForms) Row(r *ReadSet) (row *RowRead, size int64) {
	at := r.row()
	if at < 0 {
		return nil, 0
	}
	const perRow, perForm, perRead = 24, 160, 8
	f.mu.Lock()
	defer f.mu.Unlock()
	schema := r.reads[at].Schema
	form := f.latest[schema]
	size = perRow
	if form == nil || !form.matches(r, at) {
		if form = newReadForm(r, at); f.latest == nil {
			f.latest = map[*store.Schema]*readForm{}
		}
		f.latest[schema] = form
		size += perForm + perRead*int64(len(form.reads))
	}
	row = &RowRead{form: form, key: r.reads[at].number}
	row.Renew(r)
	return row, size
}

// row returns the place of the only read that other read sets do not have too, if it is the read of a
// row by its number; else -1.
func (r *ReadSet) row() int {
	if r.store == nil || r.untracked || len(r.while) > 0 {
		return -1
	}
	at, own := -1, -int(r.merged)
	for i, read := range r.reads {
		own += read.size()
		if read.equal {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	if at < 0 || own != r.reads[at].size() {
		return -1
	}
	return at
}

func newReadForm(r *ReadSet, at int) *readForm {
	f := &readForm{store: r.store, reads: slices.Clone(r.reads), row: *r.reads[at], merged: r.merged}
	f.reads[at], f.row.number = nil, 0
	return f
}

// matches reports whether a read set, with the read of a row at a place, has the form.
func (f *readForm) matches(r *ReadSet, at int) bool {
	row := r.reads[at]
	if f.store != r.store || f.merged != r.merged || len(f.reads) != len(r.reads) || f.row.column != row.column || !slices.Equal(f.row.shown, row.shown) {
		return false
	}
	for i, read := range f.reads {
		if i == at && read != nil || i != at && read != r.reads[i] {
			return false
		}
	}
	return true
}

// ReadSet returns the read set.
func (w *RowRead) ReadSet() *ReadSet {
	row := w.form.row
	row.number = w.key
	r := &ReadSet{store: w.form.store, reads: slices.Clone(w.form.reads), merged: w.form.merged}
	r.reads[slices.Index(r.reads, nil)] = &row
	r.since.Store(w.since.Load())
	return r
}

// Renew notes up to which version nothing that r read has changed, so that earlier changes need not be
// checked again. R is the read set of w.
func (w *RowRead) Renew(r *ReadSet) { w.since.Store(r.since.Load()) }
