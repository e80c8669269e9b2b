package driver_test

import (
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// TestReadForms_Row: the read set of a row, made from a RowRead, is as long valid as the read
// set before.
func TestReadForms_Row(t *testing.T) {
	getBook := func(key int64) func(tx store.Tx) error {
		return func(tx store.Tx) error { _, err := books.Get(tx, key); return err }
	}
	st := newRowStore(t)
	settings := readBooks(t, st, func(tx store.Tx) error { _, err := authors.Select(tx, store.Query{}); return err })
	read := func(key int64) *driver.ReadSet {
		reads := readBooks(t, st, getBook(key))
		reads.Merge(settings)
		reads.Merge(settings) // a request may read them twice
		return reads
	}
	var forms driver.ReadForms
	first, firstSize := forms.Row(read(1))
	second, secondSize := forms.Row(read(2))
	if first == nil || second == nil || secondSize != 24 || firstSize <= secondSize {
		t.Fatalf("the first row takes %d bytes, and the second one, of the same form, %d, want 24", firstSize, secondSize)
	}
	if got, want := second.ReadSet().Size(), read(2).Size(); got > want {
		t.Errorf("the read set takes %d bytes, and %d before", got, want)
	}
	valid := func(first1, second2 bool) {
		t.Helper()
		if got := first.ReadSet().Valid(t.Context()); got != first1 {
			t.Errorf("the read of the first row is valid: %v, want %v", got, first1)
		}
		if got := second.ReadSet().Valid(t.Context()); got != second2 {
			t.Errorf("the read of the second row is valid: %v, want %v", got, second2)
		}
	}
	valid(true, true)
	st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), bookRow(3, 1, "Other", 300, ""))
	valid(true, true)
	st.change(books.Schema(), bookRow(1, 1, "Title 1", 100, ""), bookRow(1, 1, "Other", 100, ""))
	valid(false, true)

	renewed := second.ReadSet()
	if !renewed.Valid(t.Context()) {
		t.Fatal("the read of the second row is not valid")
	}
	second.Renew(renewed)
	st.asked = nil
	if !second.ReadSet().Valid(t.Context()) || len(st.asked) > 0 && st.asked[0] != st.version {
		t.Errorf("after Renew the store was asked about the versions %v, want %d at most", st.asked, st.version)
	}
	st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Other"))
	valid(false, false)
}

// TestReadForms_RowOfOtherForms: read sets that are more than a row and what others read too have no
// RowRead.
func TestReadForms_RowOfOtherForms(t *testing.T) {
	st := newRowStore(t)
	row := func(tx store.Tx) error { _, err := books.Get(tx, 1); return err }
	withCondition := readBooks(t, st, row)
	withCondition.While(func() bool { return true })
	untracked := readBooks(t, st, row)
	untracked.MarkUntracked()
	for name, reads := range map[string]*driver.ReadSet{
		"nothing":     new(driver.ReadSet),
		"a condition": withCondition,
		"untracked":   untracked,
		"a list":      readBooks(t, st, func(tx store.Tx) error { _, err := books.Select(tx, store.Query{}); return err }),
		"two rows": readBooks(t, st, func(tx store.Tx) error {
			if _, err := books.Get(tx, 1); err != nil {
				return err
			}
			_, err := books.Get(tx, 2)
			return err
		}),
		"a row and a list": readBooks(t, st, func(tx store.Tx) error {
			if _, err := books.Get(tx, 1); err != nil {
				return err
			}
			_, err := authors.Select(tx, store.Query{})
			return err
		}),
	} {
		var forms driver.ReadForms
		if row, size := forms.Row(reads); row != nil || size != 0 {
			t.Errorf("%s: a RowRead of %d bytes, want none", name, size)
		}
	}

	// Rows that are read with other columns, or with other settings, have forms of their own.
	var forms driver.ReadForms
	a := readBooks(t, st, row)
	b := readBooks(t, st, row)
	b.Merge(readBooks(t, st, func(tx store.Tx) error { _, err := authors.Select(tx, store.Query{}); return err }))
	for i, reads := range []*driver.ReadSet{a, b, a} {
		if row, size := forms.Row(reads); row == nil || size <= 24 || row.ReadSet().Size() > reads.Size() {
			t.Errorf("form %d takes %d bytes, and its read set is not as it was", i, size)
		}
	}
}
