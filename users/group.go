package users

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Group is a group of users: of administrators and vendors' users, to whom it grants
// privileges, or of customers.
type Group struct {
	UsergroupID int64            `json:"usergroup_id,string" store:"key" bind:"-"`
	Type        shopapi.UserType `json:"type" rule:"required,oneof=A C" hint:"A administrators or C customers"`      // A administrators, C customers
	Status      string           `json:"status" rule:"required,oneof=A H D" hint:"A active, H hidden or D disabled"` // A active, H hidden, D disabled
	Name        string           `json:"usergroup" rule:"len=255"`
	Privileges  Privileges       `json:"privileges" rule:"bytes=16384"` // only groups of administrators have any

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

var groups = store.MustTable[Group]("usergroups")

// The reserved groups, which every shop has. Their members are not stored: each visitor
// is a guest or a registered user. Lists leave them out, and they cannot be changed.
const (
	Guests     int64 = 1
	Registered int64 = 2
)

func isReserved(id int64) bool { return id == Guests || id == Registered }

// addReservedGroups adds the reserved groups that are missing.
func addReservedGroups(tx store.Tx) error {
	for _, g := range []Group{
		{UsergroupID: Guests, Type: shopapi.Customer, Status: Active, Name: "Guest"},
		{UsergroupID: Registered, Type: shopapi.Customer, Status: Active, Name: "Registered user"},
	} {
		exists, err := groups.Exists(tx, g.UsergroupID)
		if err != nil {
			return err
		}
		if exists {
			continue
		}
		if err := groups.Insert(tx, &g); err != nil {
			return err
		}
	}
	return nil
}

// A GroupFilter selects and sorts the groups of a list. Its zero value selects all
// groups except the reserved ones, by id.
type GroupFilter struct {
	resource.ListOptions

	Type   string `json:"type" bind:"codes" rule:"oneof=A C" match:"equal"`
	Status string `json:"status" bind:"codes" rule:"oneof=A H D" match:"equal"`
}

var groupSorts = []resource.Sort{{Key: "id", Column: "usergroup_id"}, {Key: "name", Column: "usergroup"}}

// Where implements [resource.Filter].
func (f *GroupFilter) Where(w *resource.Where) {
	w.Add(store.Not(store.InInts("usergroup_id", Guests, Registered)))
}

// validate checks that only administrators have privileges.
func (g *Group) validate(problems *shopapi.Problems) {
	unchanged := problems.Skips("privileges") && problems.Skips("type")
	if !unchanged && g.Privileges != "" && g.Type == shopapi.Customer {
		problems.Add("privileges", "must be empty: only groups of type A have privileges")
	}
}
