package pull_test

import (
	"slices"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// Each run writes rows of the change log: the first one for whole entities, later ones for
// each object that is created, changed or deleted.
func TestE8_RunsAreInTheChangeLog(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	source := newShop(t, old)
	o := *options(shopapi.DialectDocumented)
	o.Changes = changes.Options{Mode: changes.On}
	sh, err := shop.New(t.Context(), memory.New(), &o)
	if err != nil {
		t.Fatal(err)
	}
	logged := func(since string) (list []string, next string) {
		t.Helper()
		for c, err := range sh.Changes.Since(t.Context(), since, changes.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, c.Entity+" "+c.ID+" "+c.Op)
			next = c.Seq
		}
		slices.Sort(list)
		return list, next
	}
	begin, err := sh.Changes.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, sh, from(url))
	first, position := logged(begin)
	for _, want := range []string{"products *", "orders *", "users *", "settings *"} {
		if !slices.ContainsFunc(first, func(row string) bool { return len(row) > len(want) && row[:len(want)] == want }) {
			t.Errorf("the first run logged %v, want %s", first, want)
		}
	}
	rename(t, source.Products, 1, "Large mug")
	if err := source.CallRequests.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	later := from(url)
	later.Delete = true
	run(t, sh, later)
	if got, _ := logged(position); !slices.Equal(got, []string{"call_requests 1 deleted", "products 1 updated"}) {
		t.Errorf("the later run logged %v", got)
	}
}
