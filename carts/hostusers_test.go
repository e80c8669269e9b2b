package carts_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A member is a user of the host's own.
type member struct {
	UserID    int64  `json:"user_id,string" store:"key" bind:"-"`
	FirstName string `json:"firstname"`
	BCity     string `json:"b_city"`
	Score     int64  `json:"credit_score"`
	KeyHash   string `json:"api_key_hash"`
}

// §5: a cart shows the present name of its owner, also where the host has users of its own.
func TestCarts_NamesOfTheHostsUsers(t *testing.T) {
	t.Parallel()
	ctx, st, api := t.Context(), memory.New(), shopapi.New(nil)
	must := func(err error) {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
	}
	members, err := resource.Register(ctx, api, st, resource.Definition[member, member]{
		Name: "users", Object: "member", Table: store.MustTable[member]("members"),
		Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		Sorts:      []resource.Sort{{Key: "id", Column: "user_id"}},
	})
	must(err)
	tree, err := categories.Register(ctx, api, st)
	must(err)
	goods, err := products.Register(ctx, api, st, tree)
	must(err)
	all, err := carts.Register(ctx, api, st, nil, goods, nil)
	must(err)
	shelf, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	must(err)
	mug := goods.Defaults(ctx)
	mug.Name, mug.CategoryIDs = "Mug", []int64{shelf.CategoryID}
	mug, err = goods.Create(ctx, mug)
	must(err)
	ana, err := members.Create(ctx, member{FirstName: "Ana", BCity: "Oslo", Score: 7, KeyHash: "secret"})
	must(err)
	_, err = all.Put(ctx, carts.Owner{ID: ana.UserID}, carts.Item{ProductID: mug.ProductID, Amount: 1})
	must(err)
	_, err = members.Update(ctx, ana.UserID, func(m *member) error { m.FirstName = "Anna"; return nil })
	must(err)

	cart, err := all.Get(ctx, ana.UserID)
	must(err)
	list, _, err := all.Find(ctx, carts.Filter{})
	must(err)
	if len(list) != 1 {
		t.Fatalf("the carts are %v", list)
	}
	for _, name := range []*string{cart.FirstName, list[0].FirstName} {
		if name == nil || *name != "Anna" {
			t.Errorf("a cart does not have the name Anna: %v", name)
		}
	}

	// user_data has the fields of the interface alone, not the host's own.
	shown, err := json.Marshal(cart.UserData)
	must(err)
	shoptest.SameJSON(t, string(shown), fmt.Sprintf(`{"user_id": "%d", "firstname": "Anna", "b_city": "Oslo"}`, ana.UserID))
	for _, other := range []any{map[string]any{"api_key_hash": "secret"}, "secret", []string{"secret"}, struct{}{}} {
		shown, err := json.Marshal(carts.UserData{User: other})
		must(err)
		shoptest.SameJSON(t, string(shown), `[]`)
	}
}
