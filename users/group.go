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
	Type        shopapi.UserType `json:"type"`   // A administrators, C customers
	Status      string           `json:"status"` // A active, H hidden, D disabled
	Name        string           `json:"usergroup"`
	Privileges  Privileges       `json:"privileges"` // only groups of administrators have any
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

	Type   string `json:"type" bind:"codes"`
	Status string `json:"status" bind:"codes"`
}

var groupSorts = []resource.Sort{{Key: "id", Column: "usergroup_id"}, {Key: "name", Column: "usergroup"}}

// Where implements [resource.Filter].
func (f *GroupFilter) Where(w *resource.Where) {
	w.Add(store.Not(store.InInts("usergroup_id", Guests, Registered)))
	w.Code("type", f.Type, groupTypes...)
	w.Code("status", f.Status, groupStatuses...)
}

var (
	groupTypes    = []string{string(shopapi.Administrator), string(shopapi.Customer)}
	groupStatuses = []string{Active, Hidden, Disabled}
)

const maxPrivileges = 16 << 10 // bytes of the privileges of a group

// validate checks the fields of a group by themselves.
func (g *Group) validate(problems *shopapi.Problems) {
	problems.Required("type", string(g.Type), "A administrators or C customers")
	problems.OneOf("type", string(g.Type), groupTypes...)
	problems.Required("status", g.Status, "A active, H hidden or D disabled")
	problems.OneOf("status", g.Status, groupStatuses...)
	problems.Length("usergroup", g.Name, maxText)
	problems.Bytes("privileges", string(g.Privileges), maxPrivileges)
	unchanged := problems.Skips("privileges") && problems.Skips("type")
	if !unchanged && g.Privileges != "" && g.Type == shopapi.Customer {
		problems.Add("privileges", "must be empty: only groups of type A have privileges")
	}
}
