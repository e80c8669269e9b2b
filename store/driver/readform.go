package driver

import (
	"context"
	"slices"
	"sync"

	"github.com/shopapi/shopapi/store"
)

// A RowForm is what the read sets of responses to GETs of one row have in common: the columns of the row,
// and the reads that all of them have, such as the settings. With a [RowRead] it is such a [ReadSet].
// Several goroutines may use it at once.
type RowForm struct {
	store  Versioned
	reads  []*Read // with nil for the read of the row
	row    Read    // without the number
	merged int32
	sets   sync.Pool // of rowSets, for Valid
}

// A RowRead is what the read set of one row has beside its form.
type RowRead struct {
	Key   int64
	Since uint64 // the version up to which nothing that was read has changed
}

// ReadForms have the forms that read sets had last, up to 8 of each table: rows that show different
// columns, or were read with other settings, have different ones. The zero ReadForms has none. Several goroutines may use it at once.
type ReadForms struct {
	mu     sync.Mutex
	latest map[*store.Schema][]*RowForm // the last one first
}

// maxForms is how many forms of a table are known.
const maxForms = 8

// Row returns r as a row of a form. Ok is false where r has conditions, is of an [Asked] store, or is more
// than the read of one row and reads that it was merged with.
func (f *ReadForms) Row(r *ReadSet) (form *RowForm, row RowRead, ok bool) {
	at := r.row()
	if at < 0 {
		return nil, row, false
	}
	row = RowRead{Key: r.reads[at].number, Since: r.since.Load()}
	schema := r.reads[at].Schema
	f.mu.Lock()
	defer f.mu.Unlock()
	forms := f.latest[schema]
	i := slices.IndexFunc(forms, func(form *RowForm) bool { return form.matches(r, at) })
	if i < 0 {
		if forms = append(forms, newRowForm(r, at)); len(forms) > maxForms {
			forms = slices.Delete(forms, maxForms-1, maxForms)
		}
		if i = len(forms) - 1; f.latest == nil {
			f.latest = map[*store.Schema][]*RowForm{}
		}
		f.latest[schema] = forms
	}
	form = forms[i]
	copy(forms[1:], forms[:i])
	forms[0] = form
	return form, row, true
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

func newRowForm(r *ReadSet, at int) *RowForm {
	f := &RowForm{store: r.store, reads: slices.Clone(r.reads), row: *r.reads[at], merged: r.merged}
	f.reads[at], f.row.number = nil, 0
	return f
}

// matches reports whether a read set, with the read of a row at a place, has the form.
func (f *RowForm) matches(r *ReadSet, at int) bool {
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

// A rowSet is a read set of a form.
type rowSet struct {
	ReadSet
	row Read
}

// setOf returns the read set of a row.
func (f *RowForm) setOf(row RowRead) *rowSet {
	s, ok := f.sets.Get().(*rowSet)
	if !ok {
		s = &rowSet{ReadSet: ReadSet{store: f.store, reads: slices.Clone(f.reads), merged: f.merged}, row: f.row}
		s.reads[slices.Index(s.reads, nil)] = &s.row
	}
	s.row.number = row.Key
	s.since.Store(row.Since)
	return s
}

// ReadSet returns the read set of a row.
func (f *RowForm) ReadSet(row RowRead) *ReadSet { return &f.setOf(row).ReadSet }

// Valid is [ReadSet.Valid] of the read set of a row, and returns the row with the version up to which it is valid.
func (f *RowForm) Valid(ctx context.Context, row RowRead) (until RowRead, ok bool) {
	s := f.setOf(row)
	defer f.sets.Put(s)
	ok = s.ReadSet.Valid(ctx)
	return RowRead{Key: row.Key, Since: s.since.Load()}, ok
}

// Size is how many bytes the form takes.
func (f *RowForm) Size() int64 {
	const perForm, perRead = 512, 24
	return perForm + perRead*int64(len(f.reads))
}
