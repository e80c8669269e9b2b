package users

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Groups are the groups of users; [Users.Groups] returns them. The methods check the
// rights of the user of ctx, as the methods of [Users] do.
//
// Create needs a type and a status. Update changes the type only while the group has no
// members; a group of customers has no privileges. Delete also deletes the memberships.
// All three may return a 403.
//
// Lists leave out the reserved groups.
type Groups struct {
	resource.Objects[Group]            // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[GroupFilter, Group] // Find, All

	rows resource.Collection[Group, Group]
}

func (u *Users) registerGroups(ctx context.Context) (_ *Groups, err error) {
	g := &Groups{}
	g.rows, err = resource.Register(ctx, u.api, u.st, groupDefinition(u))
	g.Objects = g.rows
	g.Lists = resource.ListsOf[GroupFilter](g.rows)
	return g, err
}

// SetPrivileges replaces the privileges of a group of administrators. It returns a
// 404, 400 or 403 [*shopapi.Error].
func (g *Groups) SetPrivileges(ctx context.Context, id int64, names ...string) error {
	privileges, err := NewPrivileges(names...)
	if err != nil {
		return shopapi.Invalid("privileges", "%s", err)
	}
	_, err = g.Update(ctx, id, func(group *Group) error {
		group.Privileges = privileges
		return nil
	})
	return err
}

func groupDefinition(u *Users) resource.Definition[Group, Group] {
	return resource.Definition[Group, Group]{
		Name:       "usergroups",
		Object:     "user group",
		Summary:    "Groups of users; those of administrators give privileges.",
		Privileges: groupPrivileges,
		Table:      groups,
		Filter:     func() resource.Filter { return new(GroupFilter) },
		Sorts:      groupSorts,
		Rows:       resource.Rows[Group, Group]{Write: u.writeGroup, Remove: u.removeGroup},
		List:       resource.List[Group, Group]{Shape: resource.Keyed},
		Wire: resource.Wire[Group, Group]{
			EncodeOne:  func(_ context.Context, g *Group) any { return answerOf(g) },
			EncodeList: answersOf,
		},
		Scope: resource.Scope[Group]{AuthorizeRequest: mayManageGroups, Authorize: authorizeGroup},
		Rules: resource.Rules[Group]{Check: checkGroup},
	}
}

// groupPrivileges are needed for groups and for memberships.
var groupPrivileges = shopapi.Privileges{View: "view_usergroups", Manage: "manage_usergroups"}

// authorizeGroup returns a 400 for a reserved group, and a 403 unless the user of ctx
// has all privileges of the group.
func authorizeGroup(ctx context.Context, _ store.Tx, _ shopapi.Operation, g *Group) error {
	if isReserved(g.UsergroupID) {
		return shopapi.Errorf(http.StatusBadRequest, "The user group %d is reserved, and can be neither changed nor removed.", g.UsergroupID)
	}
	return mayManageGroup(ctx, g)
}

// checkGroup adds the problems of a group, and returns a 403 if the user of ctx may not
// make the change.
func checkGroup(ctx context.Context, tx store.Tx, before, after *Group, problems *shopapi.Problems) error {
	after.validate(problems)
	if before.UsergroupID != 0 && after.Type != before.Type {
		if err := checkRetype(tx, after.UsergroupID, problems); err != nil {
			return err
		}
	}
	if err := problems.Err(); err != nil {
		return err
	}
	if !unbounded(ctx) && after.Privileges != before.Privileges {
		return forbidden("Only a root administrator may change the privileges of a user group.")
	}
	return mayManageGroup(ctx, before)
}

// checkRetype adds a problem if a group that changes its type has members.
func checkRetype(tx store.Tx, id int64, problems *shopapi.Problems) error {
	n, err := memberships.Count(tx, store.Equal("usergroup_id", store.Int(id)))
	if n > 0 {
		problems.Add("type", "cannot change while the group has members")
	}
	return err
}

// writeGroup stores a group. One-time links of its members end when they get other
// privileges by the change.
func (u *Users) writeGroup(ctx context.Context, tx store.Tx, before, after *Group) error {
	granted := func(g *Group) Privileges {
		if g.Status != Active {
			return ""
		}
		return g.Privileges
	}
	if before.UsergroupID != 0 && granted(before) != granted(after) {
		if err := endLinksOfMembers(tx, after.UsergroupID); err != nil {
			return err
		}
	}
	return u.groups.rows.WriteRow(ctx, tx, before, after)
}

func (u *Users) removeGroup(ctx context.Context, tx store.Tx, g *Group) error {
	n, err := memberships.Count(tx, store.Equal("usergroup_id", store.Int(g.UsergroupID)))
	if err == nil {
		err = resource.CheckDependents(ctx, n, resource.MaxDependents, "users")
	}
	if err != nil {
		return err
	}
	if err := u.recordMemberships(ctx, tx, store.Equal("usergroup_id", store.Int(g.UsergroupID))); err != nil {
		return err
	}
	if err := endLinksOfMembers(tx, g.UsergroupID); err != nil {
		return err
	}
	if _, err := memberships.Delete(tx, store.Equal("usergroup_id", store.Int(g.UsergroupID))); err != nil {
		return err
	}
	return groups.DeleteKey(tx, g.UsergroupID)
}

// An answer is the wire form of a group: only groups of administrators have privileges.
type answer struct {
	Group
	Privileges *Privileges `json:"privileges,omitempty" types:"array"`
}

func answerOf(g *Group) answer {
	a := answer{Group: *g}
	if g.Type == shopapi.Administrator {
		a.Privileges = &g.Privileges
	}
	return a
}

func answersOf(_ context.Context, list []Group) any {
	answers := make([]answer, len(list))
	for i := range list {
		answers[i] = answerOf(&list[i])
	}
	return answers
}
