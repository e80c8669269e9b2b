package exceptions_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// of is the filter for the exceptions of a product.
func of(product int64) exceptions.Filter { return exceptions.Filter{ProductID: &product} }

func TestExceptions_InGo(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		ctx := context.Background()
		x, err := exceptions.Register(ctx, shopapi.New(nil), st)
		if err != nil {
			t.Fatal(err)
		}
		given := exceptions.Exception{ExceptionID: 99, ProductID: 41, Combination: exceptions.Combination{14: exceptions.AnyVariant, 12: 33}}
		created, err := x.Create(ctx, given)
		if err != nil {
			t.Fatal(err)
		}
		want := exceptions.Exception{ExceptionID: 1, ProductID: 41, Combination: exceptions.Combination{12: 33, 14: -1}}
		if diff := cmp.Diff(want, created); diff != "" {
			t.Errorf("Create (-want +got):\n%s", diff)
		}
		stored, err := x.Get(ctx, 1)
		if diff := cmp.Diff(want, stored); err != nil || diff != "" {
			t.Errorf("Get: %v (-want +got):\n%s", err, diff)
		}

		// A map changed in place counts as a change.
		updated, err := x.Update(ctx, 1, func(e *exceptions.Exception) error {
			e.ExceptionID = 5
			e.Combination[12] = 34
			return nil
		})
		want.Combination = exceptions.Combination{12: 34, 14: -1}
		if diff := cmp.Diff(want, updated); diff != "" {
			t.Errorf("Update (-want +got):\n%s", diff)
		}
		list, total, findErr := x.Find(ctx, of(41))
		if diff := cmp.Diff([]exceptions.Exception{want}, list); err != nil || findErr != nil || total != 1 || diff != "" {
			t.Errorf("Update: %v, Find: %v, total %d (-want +got):\n%s", err, findErr, total, diff)
		}

		refusal := errors.New("the host objects")
		_, err = x.Update(ctx, 1, func(e *exceptions.Exception) error {
			e.Combination = exceptions.Combination{12: 1}
			return refusal
		})
		if !errors.Is(err, refusal) {
			t.Errorf("Update with a function that fails: %v, want its error", err)
		}
		stored, err = x.Get(ctx, 1)
		if diff := cmp.Diff(want, stored); err != nil || diff != "" {
			t.Errorf("after a refused Update: %v (-want +got):\n%s", err, diff)
		}

		if err := x.Delete(ctx, 1); err != nil {
			t.Error(err)
		}
		for name, err := range map[string]error{
			"Get": func() error { _, err := x.Get(ctx, 1); return err }(),
			"Update": func() error {
				_, err := x.Update(ctx, 1, func(*exceptions.Exception) error { return nil })
				return err
			}(),
			"Delete": x.Delete(ctx, 1),
		} {
			if !errors.Is(err, shopapi.ErrNotFound) {
				t.Errorf("%s of a removed exception: %v, want a 404", name, err)
			}
		}
		list, total, err = x.Find(ctx, of(41))
		if err != nil || list == nil || len(list) != 0 || total != 0 {
			t.Errorf("Find of a product without exceptions: %v, %d, %v; want an empty list", list, total, err)
		}
	})
}

func TestExceptions_CombinationIsCheckedInGo(t *testing.T) {
	x, err := exceptions.Register(context.Background(), shopapi.New(nil), shoptest.Memory(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []exceptions.Combination{nil, {}, {0: 1}, {-1: 1}, {12: 0}, {12: -3}} {
		_, err := x.Create(context.Background(), exceptions.Exception{ProductID: 1, Combination: c})
		var e *shopapi.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Fields["combination"] == "" {
			t.Errorf("Create with %v: %v, want a 400 about combination", c, err)
		}
	}
}

func TestExceptions_RemovedWithTheirProducts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		ctx := context.Background()
		api := shopapi.New(nil)
		x, err := exceptions.Register(ctx, api, st)
		if err != nil {
			t.Fatal(err)
		}
		for product := range int64(4) {
			for variant := range int64(2) {
				e := exceptions.Exception{ProductID: product + 1, Combination: exceptions.Combination{12: variant + 1}}
				if _, err := x.Create(ctx, e); err != nil {
					t.Fatal(err)
				}
			}
		}
		removed := func(after error, ids ...int64) error {
			return st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
				if err := api.RunDeleteHooks(ctx, "products", ids...); err != nil {
					return err
				}
				return after
			})
		}
		if err := removed(nil, 1, 3); err != nil {
			t.Fatal(err)
		}
		inUse := errors.New("the product stays") // the exceptions stay too
		if err := removed(inUse, 2); !errors.Is(err, inUse) {
			t.Fatalf("the removal that fails returned %v", err)
		}
		var left []string
		for product := range int64(4) {
			list, _, err := x.Find(ctx, of(product+1))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				left = append(left, fmt.Sprintf("%d of %d", e.ExceptionID, e.ProductID))
			}
		}
		if diff := cmp.Diff([]string{"3 of 2", "4 of 2", "7 of 4", "8 of 4"}, left); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	})
}

// TestExceptions_SameCombinationAtOnce: many clients send one combination, and one of
// them succeeds.
func TestExceptions_SameCombinationAtOnce(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		ctx := context.Background()
		x, err := exceptions.Register(ctx, shopapi.New(nil), st)
		if err != nil {
			t.Fatal(err)
		}
		const clients = 8
		errs := make([]error, clients)
		var wg sync.WaitGroup
		for i := range clients {
			wg.Go(func() {
				_, errs[i] = x.Create(ctx, exceptions.Exception{ProductID: 41, Combination: exceptions.Combination{12: 33, 14: -2}})
			})
		}
		wg.Wait()
		var made int
		for _, err := range errs {
			var e *shopapi.Error
			switch {
			case err == nil:
				made++
			case !errors.As(err, &e) || e.Fields["combination"] == "":
				t.Errorf("Create: %v, want a 400 about combination", err)
			}
		}
		list, _, err := x.Find(ctx, of(41))
		if made != 1 || err != nil || len(list) != 1 {
			t.Errorf("%d clients made the exception, the list is %v, %v; want one", made, list, err)
		}
	})
}

// Find lists the exceptions of one product from Go too, and All iterates over them by
// id.
func TestExceptions_ListsInGo(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		ctx := context.Background()
		x, err := exceptions.Register(ctx, shopapi.New(nil), st)
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.CreateAll(ctx, []exceptions.Exception{
			{ProductID: 41, Combination: exceptions.Combination{12: 33}},
			{ProductID: 42, Combination: exceptions.Combination{12: 33}},
			{ProductID: 41, Combination: exceptions.Combination{12: 34}},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.CreateAll(ctx, []exceptions.Exception{
			{ProductID: 41, Combination: exceptions.Combination{12: 35}},
			{ProductID: 41, Combination: exceptions.Combination{12: 34}},
		})
		if want := "Object 2: combination is an exception of the product already."; err == nil || err.Error() != want {
			t.Errorf("CreateAll with one twice: %v, want %s", err, want)
		}
		_, _, err = x.Find(ctx, exceptions.Filter{})
		shoptest.WantStatus(t, "Find without a product", err, 400)
		for _, err := range x.All(ctx, exceptions.Filter{}) {
			shoptest.WantStatus(t, "All without a product", err, 400)
		}
		var ids []int64
		for e, err := range x.All(ctx, of(41)) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, e.ExceptionID)
		}
		if diff := cmp.Diff([]int64{1, 3}, ids); diff != "" {
			t.Errorf("All (-want +got):\n%s", diff)
		}
	})
}
