package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/shopapi/shopapi/store"
)

func testInsertAll(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), counters.Schema(), accounts.Schema())
	insert(t, st, items, item{Name: "first"})
	same(t, "the rows before", int64(1), count(t, st, items))
	want := make([]item, 37)
	for i := range want {
		want[i] = item{Name: fmt.Sprintf("Tea %02d", 36-i), Code: "T", Rank: new(int64(i)), Price: amount("1.50"), Options: jsonText("[]")}
	}
	added := make([]item, len(want))
	update(t, st, func(_ context.Context, tx store.Tx) error {
		copy(added, want)
		return items.InsertAll(tx, added)
	})
	for i := range want {
		want[i].ItemID = int64(i) + 2
	}
	same(t, "InsertAll sets the keys in the order of the rows", want, added)
	same(t, "InsertAll adds the rows", want, list(t, st, items, store.Query{Where: []store.Cond{store.Equal("code", store.String("T"))}}))
	same(t, "InsertAll adds folded texts", int64(1), count(t, st, items, store.Contains("name", "TEA 07")))
	same(t, "the rows after", int64(38), count(t, st, items))

	given := []counter{{CounterID: 50}, {N: 1}, {N: 2}}
	update(t, st, func(_ context.Context, tx store.Tx) error {
		copy(given, []counter{{CounterID: 50}, {N: 1}, {N: 2}})
		return counters.InsertAll(tx, given)
	})
	same(t, "InsertAll uses given keys", []counter{{50, 0}, {51, 1}, {52, 2}}, given)

	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return accounts.InsertAll(tx, []account{{Email: "a@shop.test"}, {Email: "b@shop.test"}, {Email: "a@shop.test"}})
	})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("InsertAll of a value twice that is unique: %v, want ErrConflict", err)
	}
	same(t, "an Update that fails adds nothing", int64(0), count(t, st, accounts))
}

func testAppend(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), accounts.Schema())
	insert(t, st, items, item{Name: "first"})
	want := make([]item, 37)
	for i := range want {
		want[i] = item{Name: fmt.Sprintf("Tea %02d", 36-i), Code: "T", Rank: new(int64(i)), Price: amount("1.50"), Options: jsonText("[]")}
	}
	update(t, st, func(_ context.Context, tx store.Tx) error {
		if _, err := items.Get(tx, 1); err != nil {
			return err
		}
		for part := range slices.Chunk(want, 5) {
			if err := items.Append(tx, part...); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range want {
		want[i].ItemID = int64(i) + 2
	}
	same(t, "Append adds the rows", want, list(t, st, items, store.Query{Where: []store.Cond{store.Equal("code", store.String("T"))}}))
	same(t, "Append adds folded texts", int64(1), count(t, st, items, store.Contains("name", "TEA 07")))

	update(t, st, func(_ context.Context, tx store.Tx) error {
		if err := items.Insert(tx, &item{ItemID: 60, Name: "sixty"}); err != nil {
			return err
		}
		if err := items.Append(tx, item{Name: "next"}); err != nil {
			return err
		}
		found, err := items.Get(tx, 61)
		same(t, "the transaction sees the row, whose key follows a given one", "next", found.Name)
		return err
	})

	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		if _, err := accounts.Select(tx, store.Query{}); err != nil {
			return err
		}
		return accounts.Append(tx, account{Email: "a@shop.test"}, account{Email: "b@shop.test"}, account{Email: "a@shop.test"})
	})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("Append of a value twice that is unique: %v, want ErrConflict", err)
	}
	same(t, "an Update that fails adds nothing", int64(0), count(t, st, accounts))
}
