package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
)

func testReplacePrefixes(t *testing.T, st store.Store) {
	migrate(t, st, files.Schema())
	for _, c := range []struct {
		rule     string
		prefixes []store.Prefix
		want     []string // paths and orders after it
		n        int64
	}{
		{"one column", []store.Prefix{{Column: "path", Old: "a/", New: "x/y/"}},
			[]string{"x/y/1 b1", "x/y/2 b2", "ä/a/ a", "b b1a/", "a "}, 2},
		{"two columns that must both begin so", []store.Prefix{{Column: "path", Old: "a/", New: ""}, {Column: "sorts", Old: "b1", New: "c"}},
			[]string{"1 c", "a/2 b2", "ä/a/ a", "b b1a/", "a "}, 1},
		{"characters of several bytes", []store.Prefix{{Column: "path", Old: "ä/", New: "ö😀/"}},
			[]string{"a/1 b1", "a/2 b2", "ö😀/a/ a", "b b1a/", "a "}, 1},
		{"a prefix that begins the new one", []store.Prefix{{Column: "sorts", Old: "b", New: "bb"}},
			[]string{"a/1 bb1", "a/2 bb2", "ä/a/ a", "b bb1a/", "a "}, 3},
		{"of all texts", []store.Prefix{{Column: "sorts", Old: "", New: "z"}},
			[]string{"a/1 zb1", "a/2 zb2", "ä/a/ za", "b zb1a/", "a z"}, 5},
		{"of none", []store.Prefix{{Column: "path", Old: "A/", New: "z"}},
			[]string{"a/1 b1", "a/2 b2", "ä/a/ a", "b b1a/", "a "}, 0},
		{"none given", nil, []string{"a/1 b1", "a/2 b2", "ä/a/ a", "b b1a/", "a "}, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			update(t, st, func(_ context.Context, tx store.Tx) error {
				_, err := files.Delete(tx)
				return err
			})
			insert(t, st, files, file{Path: "a/1", Sorts: "b1"}, file{Path: "a/2", Sorts: "b2"},
				file{Path: "ä/a/", Sorts: "a"}, file{Path: "b", Sorts: "b1a/"}, file{Path: "a"})
			var n int64
			update(t, st, func(_ context.Context, tx store.Tx) (err error) {
				n, err = files.ReplacePrefixes(tx, c.prefixes...)
				return err
			})
			var got []string
			for _, f := range list(t, st, files, store.Query{}) {
				got = append(got, f.Path+" "+f.Sorts)
			}
			same(t, "ReplacePrefixes writes another beginning and leaves the rest", c.want, got)
			same(t, "ReplacePrefixes says how many", c.n, n)
			same(t, "what begins otherwise now is found so", int64(len(c.want)), count(t, st, files, store.AtLeast("path", store.String(""))))
		})
	}
	for _, p := range []store.Prefix{{Column: "nothing"}, {Column: "note"}, {Column: "title"}, {Column: "code"}, {Column: "file_id"}, {Column: "path", New: "\x00"}} {
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			_, err := files.ReplacePrefixes(tx, p)
			return err
		})
		if err == nil || errors.Is(err, store.ErrBadText) != (p.Column == "path") {
			t.Errorf("prefixes of %q replaced by %q: %v", p.Column, p.New, err)
		}
	}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		_, err := files.ReplacePrefixes(tx, store.Prefix{Column: "path", Old: "a", New: "b"})
		return err
	})
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("in a View: %v, want ErrReadOnly", err)
	}
}
