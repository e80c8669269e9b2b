package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// offerOf finds an offer by its code: its id and shop, "none" where there is none.
func offerOf(tx store.Tx, code string) (string, error) {
	o, err := offers.First(tx, store.Query{Where: []store.Cond{store.Equal("code", store.String(code))}})
	if errors.Is(err, store.ErrNotFound) {
		return "none", nil
	}
	return fmt.Sprintf("%d of %d", o.OfferID, o.Shop), err
}

// Members of a batch find rows by unique columns as the members before have left them, although Updates before
// have found other rows, and a member that fails leaves nothing to find.
func TestMembersFindByUniqueColumnsWhatIsThere(t *testing.T) {
	failed := errors.New("on purpose")
	eachWay(t, func(t *testing.T, careful int) {
		st := openRandom(t, file(t), false)
		codes := []string{"code 0", "code 1", "code 2", "new"}
		find := func(tx store.Tx) (string, error) {
			var found []string
			for _, code := range codes {
				text, err := offerOf(tx, code)
				if err != nil {
					return "", err
				}
				found = append(found, text)
			}
			return strings.Join(found, ", "), nil
		}
		rename := func(tx store.Tx, id int64, code string) error {
			return offers.Alter(tx, func(row []store.Value) { row[offers.Field("code")] = store.String(code) }, store.InInts("offer_id", id))
		}
		var got []string
		finding := func(change func(tx store.Tx) error) member {
			at := -1
			return member{fn: func(_ context.Context, tx store.Tx) error {
				if err := change(tx); err != nil {
					return err
				}
				text, err := find(tx)
				if at < 0 {
					at = len(got)
					got = append(got, "")
				}
				got[at] = text
				return err
			}}
		}
		nothing := func(store.Tx) error { return nil }
		for range 3 {
			if err := st.Update(t.Context(), finding(nothing).fn); err != nil {
				t.Fatal(err)
			}
		}
		got = nil
		st.SetCareful(careful)
		errs := batch(t, st,
			finding(nothing),
			finding(func(tx store.Tx) error { // exchanges two codes
				return errors.Join(rename(tx, 1, "new"), rename(tx, 2, "code 0"), rename(tx, 1, "code 1"))
			}),
			finding(func(tx store.Tx) error {
				return errors.Join(rename(tx, 1, "new"), offers.Insert(tx, &offer{Code: "code 1", Shop: 9}))
			}),
			finding(func(tx store.Tx) error { return offers.DeleteKey(tx, 3) }),
			finding(func(tx store.Tx) error { // waits
				return offers.Alter(tx, func(row []store.Value) { row[offers.Field("shop")] = store.Int(8) }, store.InInts("offer_id", 2))
			}),
			finding(func(tx store.Tx) error { return offers.Set(tx, "shop", 7, store.Equal("shop", store.Int(9))) }),
		)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"1 of 0, 2 of 1, 3 of 2, none",
			"2 of 1, 1 of 0, 3 of 2, none",
			"2 of 1, 13 of 9, 3 of 2, 1 of 0",
			"2 of 1, 13 of 9, none, 1 of 0",
			"2 of 8, 13 of 9, none, 1 of 0",
			"2 of 8, 13 of 7, none, 1 of 0",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("found by the members (-want +got):\n%s", diff)
		}
		got = nil
		errs = batch(t, st,
			member{fn: func(_ context.Context, tx store.Tx) error {
				if err := errors.Join(rename(tx, 13, "code 2"), rename(tx, 1, "code 1")); err != nil {
					return err
				}
				if _, err := find(tx); err != nil {
					return err
				}
				return failed
			}},
			finding(nothing),
		)
		if errs[0] != failed || errs[1] != nil {
			t.Errorf("the members return %v", errs)
		}
		if diff := cmp.Diff(want[len(want)-1:], got); diff != "" {
			t.Errorf("found after a member that failed (-want +got):\n%s", diff)
		}
	})
}

// Updates find rows by unique columns as these are, whoever has changed them.
func TestUpdate_FindsRowsByUniqueColumnsAsTheyAre(t *testing.T) {
	path := file(t)
	st := openRandom(t, path, false)
	other := host(t, path)
	undone := errors.New("undone")
	const codes = 8
	change := func(ctx context.Context, tx store.Tx, random *rand.Rand) error {
		id, code := 1+random.Int64N(randomOffers), fmt.Sprint("code ", random.IntN(codes))
		switch random.IntN(8) {
		case 0, 1, 2: // the code goes from one offer to another
			free := fmt.Sprint("free ", random.Int())
			if err := offers.Alter(tx, func(row []store.Value) { row[offers.Field("code")] = store.String(free) }, store.Equal("code", store.String(code))); err != nil {
				return err
			}
			return offers.Alter(tx, func(row []store.Value) { row[offers.Field("code")] = store.String(code) }, store.InInts("offer_id", id))
		case 3:
			return offers.Alter(tx, func(row []store.Value) { row[offers.Field("shop")] = store.Int(random.Int64N(9)) }, store.InInts("offer_id", id))
		case 4:
			_, err := offers.Delete(tx, store.Equal("code", store.String(code)))
			return err
		case 5:
			if text, err := offerOf(tx, code); text != "none" || err != nil {
				return err
			}
			return offers.Insert(tx, &offer{Code: code})
		case 6:
			conn, err := sqlite.ConnOf(tx)
			if err != nil || random.IntN(4) > 0 {
				return err
			}
			_, err = conn.ExecContext(ctx, "UPDATE offers SET code = 'of sql ' || offer_id, code_fold = 'of sql ' || offer_id, shop = 5 WHERE code = ?", code)
			return err
		}
		return nil
	}
	check := func(tx store.Tx) error {
		want, got := map[string]string{}, map[string]string{}
		err := offers.Each(tx, store.Query{}, func(o *offer) error {
			want[o.Code] = fmt.Sprintf("%d of %d", o.OfferID, o.Shop)
			return nil
		})
		for n := range codes {
			code := fmt.Sprint("code ", n)
			if want[code] == "" {
				want[code] = "none"
			}
		}
		for code := range want {
			text, failed := offerOf(tx, code)
			got[code], err = text, errors.Join(err, failed)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("offers by code (-scanned +found):\n%s", diff)
		}
		return err
	}
	var clients sync.WaitGroup
	for client := range uint64(6) {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(client, 2))
			for range 60 {
				err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
					for range random.IntN(4) {
						if err := change(ctx, tx, random); err != nil {
							return err
						}
					}
					if err := check(tx); err != nil {
						return err
					}
					if random.IntN(10) == 0 {
						return undone
					}
					return nil
				})
				if err != nil && err != undone {
					t.Error(err)
				}
				if random.IntN(10) == 0 {
					if _, err := other.Exec("UPDATE offers SET code = ?1, code_fold = ?1 WHERE code = ?2", fmt.Sprint("of another program ", random.Int()), fmt.Sprint("code ", random.IntN(codes))); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	clients.Wait()
}

// Conditions on unique columns that no row, or a row of another table, meets find none, also after
// another query has found a row.
func TestUpdate_FindsNoOtherRowByUniqueColumns(t *testing.T) {
	st := openRandom(t, file(t), false)
	code := func(v store.Value) []store.Cond { return []store.Cond{store.Equal("code", v)} }
	number := func(v store.Value) []store.Cond { return []store.Cond{store.Equal("number", v)} }
	for _, c := range []struct {
		name string
		q    store.Query
		want int
	}{
		{"the code", store.Query{Where: code(store.String("code 5"))}, 1},
		{"the number", store.Query{Where: number(store.Int(5))}, 1},
		{"a number as a code", store.Query{Where: code(store.Int(5))}, 0},
		{"no number", store.Query{Where: number(store.Null)}, randomOffers - 1},
		{"the code and no number", store.Query{Where: append(code(store.String("code 5")), number(store.Null)...)}, 0},
		{"the code twice", store.Query{Where: append(code(store.String("code 5")), code(store.String("code 5"))...)}, 1},
		{"two codes", store.Query{Where: append(code(store.String("code 5")), code(store.String("code 6"))...)}, 0},
		{"not the code", store.Query{Where: []store.Cond{store.NotEqual("code", store.String("code 5"))}}, randomOffers - 1},
		{"after the row", store.Query{Where: code(store.String("code 5")), Offset: 1}, 0},
		{"a column without the index", store.Query{Where: []store.Cond{store.Equal("shop", store.Int(0))}}, randomOffers / 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				if err := offers.Alter(tx, func(row []store.Value) { row[offers.Field("number")] = store.Int(5) }, store.InInts("offer_id", 6)); err != nil {
					return err
				}
				for run := range 3 {
					found, err := offers.Select(tx, c.q)
					if err != nil {
						return err
					}
					if len(found) != c.want {
						t.Errorf("run %d finds %d rows, want %d", run, len(found), c.want)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
