package driver_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// TestReadForms_Row: the read set of a row of a form is as long valid as the read set before.
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
	form, first, ok1 := forms.Row(read(1))
	same, second, ok2 := forms.Row(read(2))
	if !ok1 || !ok2 || form != same || first.Key != 1 || second.Key != 2 {
		t.Fatalf("the rows are %v and %v, %v and %v, of the same form: %v", first, second, ok1, ok2, form == same)
	}
	if got, want := form.ReadSet(second).Size(), read(2).Size(); got > want {
		t.Errorf("the read set takes %d bytes, and %d before", got, want)
	}
	valid := func(first1, second2 bool) {
		t.Helper()
		for name, c := range map[string]struct {
			row  driver.RowRead
			want bool
		}{"first": {first, first1}, "second": {second, second2}} {
			if got := form.ReadSet(c.row).Valid(t.Context()); got != c.want {
				t.Errorf("the read set of the %s row is valid: %v, want %v", name, got, c.want)
			}
			if until, got := form.Valid(t.Context(), c.row); got != c.want || until.Key != c.row.Key || until.Since < c.row.Since {
				t.Errorf("the read of the %s row is valid: %v until %v, want %v", name, got, until, c.want)
			}
		}
	}
	valid(true, true)
	st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), bookRow(3, 1, "Other", 300, ""))
	valid(true, true)
	st.change(books.Schema(), bookRow(1, 1, "Title 1", 100, ""), bookRow(1, 1, "Other", 100, ""))
	valid(false, true)

	until, ok := form.Valid(t.Context(), second)
	if !ok || until.Since <= second.Since {
		t.Fatalf("the read of the second row is valid: %v, until %d, after %d", ok, until.Since, second.Since)
	}
	st.asked = nil
	if _, ok := form.Valid(t.Context(), until); !ok || len(st.asked) > 0 && st.asked[0] != st.version {
		t.Errorf("the store was asked about the versions %v again, want %d at most", st.asked, st.version)
	}
	st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Other"))
	valid(false, false)
}

// TestRowForm_ValidInUpdate: in an Update that changed the table, no read of a row is valid.
func TestRowForm_ValidInUpdate(t *testing.T) {
	st := memory.New()
	defer st.Close()
	if err := st.Migrate(t.Context(), books.Schema()); err != nil {
		t.Fatal(err)
	}
	if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return books.Insert(tx, &book{BookID: 1}) }); err != nil {
		t.Fatal(err)
	}
	var forms driver.ReadForms
	form, row, ok := forms.Row(readBooks(t, st, func(tx store.Tx) error { _, err := books.Get(tx, 1); return err }))
	if !ok {
		t.Fatal("the read is not of a row")
	}
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if _, ok := form.Valid(ctx, row); !ok {
			t.Error("the read is not valid before the change")
		}
		if err := books.Update(tx, &book{BookID: 1, Title: "Other"}); err != nil {
			return err
		}
		if _, ok := form.Valid(ctx, row); ok {
			t.Error("the read is valid after a change that is not committed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
		if form, row, ok := forms.Row(reads); ok || form != nil {
			t.Errorf("%s: is the row %v, want none", name, row)
		}
	}
}

// TestReadForms_InTurns: rows that are read with other settings have forms of their own. Up to 8 forms of a
// table are known while they are used in turns; a further one takes the place of the form that was used first.
func TestReadForms_InTurns(t *testing.T) {
	st := newRowStore(t)
	var sets []*driver.ReadSet
	for range 9 {
		reads := readBooks(t, st, func(tx store.Tx) error { _, err := books.Get(tx, 1); return err })
		reads.Merge(readBooks(t, st, func(tx store.Tx) error { _, err := authors.Select(tx, store.Query{}); return err }))
		sets = append(sets, reads)
	}
	var forms driver.ReadForms
	formOf := func(i int) *driver.RowForm {
		t.Helper()
		form, row, ok := forms.Row(sets[i])
		if !ok || form.ReadSet(row).Size() > sets[i].Size() {
			t.Errorf("read set %d is not as it was (%v)", i, ok)
		}
		return form
	}
	seen := map[*driver.RowForm]bool{}
	var known []*driver.RowForm
	for i := range 8 {
		form := formOf(i)
		if seen[form] {
			t.Errorf("form %d is not new", i)
		}
		seen[form] = true
		known = append(known, form)
	}
	for range 2 {
		for i := range 8 {
			if formOf(i) != known[i] {
				t.Errorf("form %d is another one in the next turn", i)
			}
		}
	}
	formOf(0)
	if seen[formOf(8)] {
		t.Error("the ninth form is not new")
	}
	for _, i := range []int{0, 2, 3, 4, 5, 6, 7} {
		if formOf(i) != known[i] {
			t.Errorf("form %d is forgotten", i)
		}
	}
	if seen[formOf(1)] {
		t.Error("the form that was used first is there still")
	}
}
