package storecopy_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
)

// A thing has a column of every kind.
type thing struct {
	ThingID  int64            `json:"thing_id" store:"key"`
	Name     string           `json:"name" store:"fold,index"`
	Nick     *string          `json:"nick" store:"fold"`
	Rank     *int64           `json:"rank"`
	Active   bool             `json:"active"`
	Price    decimal.Decimal  `json:"price" store:"scale=2"`
	Discount *decimal.Decimal `json:"discount" store:"scale=4"`
	Options  []byte           `json:"options"`
}

type tag struct {
	TagID int64  `json:"tag_id" store:"key"`
	Name  string `json:"name"`
}

var (
	things  = store.MustTable[thing]("things", store.Index{Columns: []string{"name"}, Unique: true})
	tags    = store.MustTable[tag]("tags")
	schemas = []*store.Schema{things.Schema(), tags.Schema()}
)

const rows = 250

var openers = map[string]func(t testing.TB) store.Store{
	"memory": func(testing.TB) store.Store { return memory.New() },
	"sqlite": func(t testing.TB) store.Store {
		st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return st
	},
	"postgres": func(t testing.TB) store.Store {
		st, err := postgres.Open(t.Context(), pgtest.DSN(t))
		if err != nil {
			t.Fatal(err)
		}
		return st
	},
}

func open(t testing.TB, name string) store.Store {
	t.Helper()
	st := openers[name](t)
	t.Cleanup(func() { st.Close() })
	return st
}

// fill adds rows with gaps between their keys, the last of which is removed.
func fill(t testing.TB, st store.Store) {
	t.Helper()
	if err := st.Migrate(t.Context(), schemas...); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range int64(rows) {
			text := fmt.Sprintf("Größe %d \"\\'%%\n{}", i)
			row := thing{Name: text, Active: i%2 == 0, Price: decimal.MustParse("12.30"), Options: fmt.Appendf(nil, ` {"b": %d, "a":[]}`, i)}
			if i%3 == 0 {
				discount := decimal.MustParse("-0.0001")
				row.Nick, row.Rank, row.Discount = &text, &i, &discount
			}
			if i%50 == 49 {
				row.ThingID = i * 10
			}
			if err := things.Insert(tx, &row); err != nil {
				return err
			}
		}
		if err := things.Insert(tx, &thing{ThingID: -5, Name: "below zero"}); err != nil {
			return err
		}
		if err := tags.Insert(tx, &tag{Name: "a"}); err != nil {
			return err
		}
		last := tag{Name: "removed"}
		if err := tags.Insert(tx, &last); err != nil {
			return err
		}
		return tags.DeleteKey(tx, last.TagID)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func list(t testing.TB, st store.Store) (all []thing) {
	t.Helper()
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
		all, err = things.Select(tx, store.Query{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func nextKeys(t testing.TB, st store.Store) (keys [2]int64) {
	t.Helper()
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		th, ta := thing{Name: "next"}, tag{Name: "next"}
		if err := things.Insert(tx, &th); err != nil {
			return err
		}
		keys[0] = th.ThingID
		err := tags.Insert(tx, &ta)
		keys[1] = ta.TagID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var equal = cmp.Options{cmp.Comparer(func(a, b decimal.Decimal) bool { return a.String() == b.String() })}

func TestCopy(t *testing.T) {
	for _, c := range [][2]string{
		{"memory", "sqlite"}, {"sqlite", "memory"}, {"sqlite", "postgres"}, {"postgres", "sqlite"}, {"postgres", "postgres"},
	} {
		t.Run(c[0]+" to "+c[1], func(t *testing.T) {
			from, to := open(t, c[0]), open(t, c[1])
			fill(t, from)
			var last storecopy.Progress
			sums, err := storecopy.Copy(t.Context(), to, from, schemas, &storecopy.Options{
				Batch:    100,
				Progress: func(p storecopy.Progress) { last = p },
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(sums) != 2 || sums[0].Table != "things" || sums[0].Rows != rows+1 || sums[1].Rows != 1 {
				t.Errorf("the sums are %+v", sums)
			}
			if want := (storecopy.Progress{Table: "tags", Phase: storecopy.Comparing, Done: 1, Total: 1}); last != want {
				t.Errorf("the last progress is %+v, want %+v", last, want)
			}
			if diff := cmp.Diff(list(t, from), list(t, to), equal); diff != "" {
				t.Errorf("the rows differ (-want +got):\n%s", diff)
			}
			keys := nextKeys(t, to)
			if tag := keys[1]; tag != 3 {
				t.Errorf("the next key of a table whose last row, 2, was removed is %d, want 3", tag)
			}
			if keys[0] <= 249*10 {
				t.Errorf("the next key is %d, want one above the greatest", keys[0])
			}
		})
	}
}

// A copy that is stopped anywhere goes on where it was.
func TestCopyGoesOn(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			from, to := open(t, "memory"), open(t, name)
			fill(t, from)
			// Stopped after each batch of the 251 rows, and in the comparison.
			for stopped, want := range []int{60, 120, 180, 240, 251, 251} {
				ctx, cancel := context.WithCancel(t.Context())
				steps := 0
				_, err := storecopy.Copy(ctx, to, from, schemas, &storecopy.Options{Batch: 60, Progress: func(storecopy.Progress) {
					if steps++; steps == 2 {
						cancel()
					}
				}})
				cancel()
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("a copy that is stopped returns %v", err)
				}
				if got := len(list(t, to)); got != want {
					t.Errorf("stopped the %d. time, %d rows are there, want %d", stopped+1, got, want)
				}
			}
			if _, err := storecopy.Copy(t.Context(), to, from, schemas, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(list(t, from), list(t, to), equal); diff != "" {
				t.Errorf("the rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCopyNoticesADifference(t *testing.T) {
	for what, spoil := range map[string]func(tx store.Tx) error{
		"a row of its own before": func(tx store.Tx) error {
			return things.Insert(tx, &thing{ThingID: 3, Name: "other"})
		},
		"the same rows with another text": func(tx store.Tx) error {
			row, err := things.First(tx, store.Query{})
			if err != nil {
				return things.Insert(tx, &thing{ThingID: -5, Name: "spoilt"})
			}
			return things.Update(tx, &row)
		},
	} {
		t.Run(what, func(t *testing.T) {
			from, to := open(t, "memory"), open(t, "memory")
			fill(t, from)
			if err := to.Migrate(t.Context(), schemas...); err != nil {
				t.Fatal(err)
			}
			if err := to.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return spoil(tx) }); err != nil {
				t.Fatal(err)
			}
			if _, err := storecopy.Copy(t.Context(), to, from, schemas, nil); !errors.Is(err, storecopy.ErrDiffers) {
				t.Errorf("Copy returns %v, want ErrDiffers", err)
			}
		})
	}
}

// A store that has other rows in any table stays as it is: copying to another shop by mistake
// changes nothing in it.
func TestCopyLeavesAnotherShopAsItIs(t *testing.T) {
	for what, own := range map[string][]tag{
		"other rows":                          {{TagID: 1, Name: "other"}},
		"a row that the other does not have":  {{TagID: 1, Name: "a"}, {TagID: 9, Name: "own"}},
		"a row less than the other before it": {{TagID: 2, Name: "b"}},
	} {
		t.Run(what, func(t *testing.T) {
			from, to := open(t, "memory"), open(t, "memory")
			fill(t, from)
			if err := to.Migrate(t.Context(), schemas...); err != nil {
				t.Fatal(err)
			}
			err := to.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				for _, row := range own {
					if err := tags.Insert(tx, &row); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := storecopy.Copy(t.Context(), to, from, schemas, nil); !errors.Is(err, storecopy.ErrDiffers) {
				t.Errorf("Copy returns %v, want ErrDiffers", err)
			}
			if got := list(t, to); len(got) != 0 {
				t.Errorf("%d rows were copied into another table before", len(got))
			}
		})
	}
}
