package callrequests_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

func TestCallRequests_InGo(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		ctx := context.Background()
		s := suite.Open(t, st, shopapi.Options{}, products(), orders())
		given := callrequests.CallRequest{RequestID: 99, Phone: "1", OrderID: 502, ProductID: 41}
		created, err := s.CallRequests.Create(ctx, given)
		if err != nil {
			t.Fatal(err)
		}
		mug, status := "Clay mug", "C"
		want := callrequests.CallRequest{
			RequestID: 1, CompanyID: 1, OrderID: 502, ProductID: 41, Timestamp: shoptest.Now,
			Status: callrequests.StatusNew, Phone: "1", Product: &mug, OrderStatus: &status,
		}
		if diff := cmp.Diff(want, created); diff != "" {
			t.Errorf("Create (-want +got):\n%s", diff)
		}

		notes := "Rang, nobody there"
		_, err = s.CallRequests.Update(ctx, 1, func(c *callrequests.CallRequest) error {
			if diff := cmp.Diff(want, *c); diff != "" {
				t.Errorf("Update is shown (-want +got):\n%s", diff)
			}
			c.RequestID, c.Status, c.Notes = 7, callrequests.StatusNoAnswer, &notes
			return nil
		})
		want.Status, want.Notes = callrequests.StatusNoAnswer, &notes
		stored, getErr := s.CallRequests.Get(ctx, 1)
		if diff := cmp.Diff(want, stored); err != nil || getErr != nil || diff != "" {
			t.Errorf("Update: %v, Get: %v (-want +got):\n%s", err, getErr, diff)
		}

		refusal := errors.New("the host objects")
		_, err = s.CallRequests.Update(ctx, 1, func(c *callrequests.CallRequest) error {
			c.Status = callrequests.StatusCompleted
			return refusal
		})
		list, total, findErr := s.CallRequests.Find(ctx, callrequests.Filter{})
		if diff := cmp.Diff([]callrequests.CallRequest{want}, list); !errors.Is(err, refusal) || findErr != nil || total != 1 || diff != "" {
			t.Errorf("refused Update: %v, Find: %v, total %d (-want +got):\n%s", err, findErr, total, diff)
		}

		if err := s.CallRequests.Delete(ctx, 1); err != nil {
			t.Error(err)
		}
		for name, err := range map[string]error{
			"Get": func() error { _, err := s.CallRequests.Get(ctx, 1); return err }(),
			"Update": func() error {
				_, err := s.CallRequests.Update(ctx, 1, func(*callrequests.CallRequest) error { return nil })
				return err
			}(),
			"Delete": s.CallRequests.Delete(ctx, 1),
		} {
			if !errors.Is(err, shopapi.ErrNotFound) {
				t.Errorf("%s of a removed request: %v, want a 404", name, err)
			}
		}
	})
}

func TestCallRequests_RulesHoldInGo(t *testing.T) {
	ctx := context.Background()
	c, err := callrequests.Register(ctx, shopapi.New(nil), shoptest.Memory(t))
	if err != nil {
		t.Fatal(err)
	}
	fields := func(err error) (names []string) {
		var e *shopapi.Error
		if !errors.As(err, &e) || e.Status != 400 {
			return nil
		}
		for name := range e.Fields {
			names = append(names, name)
		}
		return names
	}
	for field, bad := range map[string]callrequests.CallRequest{
		"status":        {Phone: "1", Status: "done"},
		"order_id":      {Phone: "1", OrderID: -1},
		"timestamp":     {Phone: "1", Timestamp: -1},
		"time_from":     {Phone: "1", TimeFrom: "half past ten o'clock"},
		"cart_products": {Phone: "1", CartProducts: "two mugs"}, // not JSON: use CartText
	} {
		_, err := c.Create(ctx, bad)
		if diff := cmp.Diff([]string{field}, fields(err)); diff != "" {
			t.Errorf("Create: %v; fields at fault (-want +got):\n%s", err, diff)
		}
	}
	for field, f := range map[string]callrequests.Filter{"sort_by": {ListOptions: resource.ListOptions{SortBy: "message"}}, "status": {Status: "done"}} {
		_, _, err := c.Find(ctx, f)
		if diff := cmp.Diff([]string{field}, fields(err)); diff != "" {
			t.Errorf("Find: %v; fields at fault (-want +got):\n%s", err, diff)
		}
	}
	list, total, err := c.Find(ctx, callrequests.Filter{ListOptions: resource.ListOptions{SortBy: "user"}})
	if list == nil || len(list) != 0 || total != 0 || err != nil {
		t.Errorf("Find in an empty shop: %v, %d, %v", list, total, err)
	}
}

func TestCartProducts_InGo(t *testing.T) {
	mugs := callrequests.CartProduct{ProductID: 41, Amount: 2, Price: decimal.MustParse("9.50"), Product: "Mug <b>"}
	for _, c := range []struct {
		cart     callrequests.CartProducts
		json     string
		text     string
		products []callrequests.CartProduct
	}{
		{"", `""`, "", nil},
		{callrequests.CartText(""), `""`, "", nil},
		{callrequests.CartOf(), `""`, "", nil},
		{callrequests.CartText(`2 "mugs"`), `"2 \"mugs\""`, `2 "mugs"`, nil},
		{callrequests.CartOf(mugs), `[{"product_id":"41","amount":"2","price":"9.50","product":"Mug <b>"}]`, "", []callrequests.CartProduct{mugs}},
	} {
		got, err := c.cart.MarshalJSON()
		if err != nil || string(got) != c.json {
			t.Errorf("%q is written as %s, %v; want %s", string(c.cart), got, err, c.json)
		}
		if c.cart.Text() != c.text {
			t.Errorf("the text of %s is %q, want %q", c.json, c.cart.Text(), c.text)
		}
		if diff := cmp.Diff(c.products, c.cart.Products()); diff != "" {
			t.Errorf("the products of %s (-want +got):\n%s", c.json, diff)
		}
		var read callrequests.CartProducts
		if err := read.UnmarshalJSON(got); err != nil || read != callrequests.CartProducts(cartThatWrites(c.json)) {
			t.Errorf("%s is read as %q, %v", got, string(read), err)
		}
	}
}

// cartThatWrites returns the cart whose wire form is the JSON; the empty text has none.
func cartThatWrites(json string) string {
	if json == `""` {
		return ""
	}
	return json
}
