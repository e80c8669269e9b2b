package users

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Group is a group of administrators and sellers, which gives its members
// privileges, or of customers.
type Group struct {
	UsergroupID int64            `json:"usergroup_id,string" store:"key" bind:"-"`
	Type        shopapi.UserType `json:"type"`   // A administrators, C customers
	Status      string           `json:"status"` // A active, H hidden, D disabled
	Name        string           `json:"usergroup"`
	Privileges  Privileges       `json:"privileges"` // none but in groups of administrators
}

var groups = store.MustTable[Group]("usergroups")

// The groups that every shop has. Their members are not stored: each visitor is a
// guest or a registered user. They are not listed and do not change.
const (
	Guests     int64 = 1
	Registered int64 = 2
)

func isReserved(id int64) bool { return id == Guests || id == Registered }

// addReservedGroups adds those that are missing.
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

// A GroupFilter says which groups a list holds. Its zero value is all of them but
// the reserved ones.
type GroupFilter struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

func (f *GroupFilter) conds() ([]store.Cond, error) {
	var problems shopapi.Problems
	conds := []store.Cond{store.Not(store.InInts("usergroup_id", Guests, Registered))}
	if f.Type != "" {
		problems.OneOf("type", f.Type, groupTypes...)
		conds = append(conds, store.Equal("type", store.String(f.Type)))
	}
	if f.Status != "" {
		problems.OneOf("status", f.Status, groupStatuses...)
		conds = append(conds, store.Equal("status", store.String(f.Status)))
	}
	return conds, problems.Err()
}

var (
	groupTypes    = []string{string(shopapi.Administrator), string(shopapi.Customer)}
	groupStatuses = []string{Active, Hidden, Disabled}
)

// validate finds what is wrong with the fields by themselves.
func (g *Group) validate(problems *shopapi.Problems) {
	if g.Type == "" {
		problems.Add("type", "is required: A administrators or C customers")
	}
	problems.OneOf("type", string(g.Type), groupTypes...)
	if g.Status == "" {
		problems.Add("status", "is required: A active, H hidden or D disabled")
	}
	problems.OneOf("status", g.Status, groupStatuses...)
	problems.Length("usergroup", g.Name, maxText)
	if g.Privileges != "" && g.Type == shopapi.Customer {
		problems.Add("privileges", "must be empty: only groups of type A have privileges")
	}
}
