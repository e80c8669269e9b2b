package categories_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// A shop is an API with categories.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"categories"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = func() any { return s.dump() }
	},
}

// users are the users who can sign in.
var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// as returns the shop, used as another user.
func (s *shop) as(email string) *shop { return &shop{s.As(email)} }

// in returns the shop for a subtest.
func (s *shop) in(t testing.TB) *shop { return &shop{s.In(t)} }

// add creates a category over the wire and returns its id.
func (s *shop) add(body string) int64 {
	s.Helper()
	var reply struct {
		ID json.Number `json:"category_id"`
	}
	decode(s, s.Call(201, "POST", "/api/2.0/categories", body), &reply)
	id, err := reply.ID.Int64()
	if err != nil {
		s.Fatal(err)
	}
	return id
}

// addTo creates a category under a parent.
func (s *shop) addTo(parent int64, name string) int64 {
	s.Helper()
	return s.add(fmt.Sprintf(`{"category": %q, "company_id": 1, "parent_id": %d}`, name, parent))
}

// put changes a category.
func (s *shop) put(status int, id int64, body string) string {
	s.Helper()
	return s.Call(status, "PUT", at(id), body)
}

// dump returns every category in tree order, as the host's own code reads them.
func (s *shop) dump() []categories.Category {
	s.Helper()
	list, _, err := s.Categories.Find(context.Background(), categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	all := make([]categories.Category, len(list))
	for i, c := range list {
		if all[i], err = s.Categories.Get(context.Background(), c.CategoryID); err != nil {
			s.Fatal(err)
		}
	}
	return all
}

func (s *shop) wantDump(want []categories.Category) {
	s.Helper()
	if diff := cmp.Diff(want, s.dump()); diff != "" {
		s.Errorf("the categories changed (-before +after):\n%s", diff)
	}
}

// wholeTree checks that every path, and the order of the list, follow from parents and
// positions.
func (s *shop) wholeTree() {
	s.Helper()
	list, _, err := s.Categories.Find(context.Background(), categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	m := model{}
	for _, c := range list {
		m[c.CategoryID] = &node{parent: c.ParentID, position: c.Position}
	}
	got := make([]place, len(list))
	for i, c := range list {
		got[i] = place{c.CategoryID, c.IDPath}
	}
	if diff := cmp.Diff(m.walk(), got, cmp.AllowUnexported(place{})); diff != "" {
		s.Errorf("the tree is not whole (-by parents +by paths):\n%s", diff)
	}
}

func at(id int64) string { return "/api/2.0/categories/" + strconv.FormatInt(id, 10) }

var (
	decode     = shoptest.Decode
	sameJSON   = shoptest.SameJSON
	wantStatus = shoptest.WantStatus
)
