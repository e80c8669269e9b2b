package users

import (
	"context"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Groups keeps the groups of users. [Users.Groups] returns them. Its methods act
// for the user of their context as those of [Users] do.
type Groups struct {
	st  store.Store
	api *shopapi.API
}

// Find returns the groups that match, by id, without the reserved ones. It returns
// a 400 [*shopapi.Error] for a value that a filter does not know.
func (g *Groups) Find(ctx context.Context, f GroupFilter) (list []Group, err error) {
	where, err := f.conds()
	if err != nil {
		return nil, err
	}
	err = g.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err = groups.Select(tx, store.Query{Where: where})
		return err
	})
	return list, err
}

// Get returns one group, also a reserved one. It returns a 404 [*shopapi.Error].
func (g *Groups) Get(ctx context.Context, id int64) (group Group, err error) {
	err = g.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		group, err = getGroup(tx, id)
		return err
	})
	return group, err
}

func getGroup(tx store.Tx, id int64) (Group, error) {
	group, err := groups.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Group{}, shopapi.NotFound("user group", shopapi.FormatID(id))
	}
	return group, err
}

// Create adds a group and returns it as stored. Type and status are required. It
// returns a 400 [*shopapi.Error] that names the fields at fault, or a 403.
func (g *Groups) Create(ctx context.Context, group Group) (Group, error) {
	return g.create(ctx, group, &shopapi.Problems{})
}

// create adds a group unless it has problems, those noted already among them.
func (g *Groups) create(ctx context.Context, group Group, problems *shopapi.Problems) (created Group, err error) {
	group.validate(problems)
	if err := problems.Err(); err != nil {
		return Group{}, err
	}
	if err := mayManageGroup(ctx, &Group{}, &group); err != nil {
		return Group{}, err
	}
	err = g.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = group
		created.UsergroupID = 0
		if err := groups.Insert(tx, &created); err != nil {
			return err
		}
		g.changed(ctx, shopapi.OpCreate, created.UsergroupID)
		return nil
	})
	return created, err
}

// Update has change alter the group with the id, and stores it. Its type changes
// only while it has no members; a group of customers has no privileges. Update
// returns a 404, 400 or 403 [*shopapi.Error], or the error of change; then nothing
// is changed.
func (g *Groups) Update(ctx context.Context, id int64, change func(*Group) error) error {
	return g.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := changeable(tx, id)
		if err != nil {
			return err
		}
		after := before
		var problems shopapi.Problems
		problems.Merge(change(&after))
		after.UsergroupID = id
		after.validate(&problems)
		if after.Type != before.Type {
			if err := checkRetype(tx, id, &problems); err != nil {
				return err
			}
		}
		if err := problems.Err(); err != nil {
			return err
		}
		if err := mayManageGroup(ctx, &before, &after); err != nil {
			return err
		}
		g.changed(ctx, shopapi.OpUpdate, id)
		return groups.Update(tx, &after)
	})
}

// SetPrivileges replaces the privileges of a group of administrators. It returns a
// 404, 400 or 403 [*shopapi.Error].
func (g *Groups) SetPrivileges(ctx context.Context, id int64, names ...string) error {
	privileges, err := NewPrivileges(names...)
	if err != nil {
		return shopapi.Invalid("privileges", "%s", err)
	}
	return g.Update(ctx, id, func(group *Group) error {
		group.Privileges = privileges
		return nil
	})
}

// Delete removes a group and the memberships in it. It returns a 404, 400 or 403
// [*shopapi.Error].
func (g *Groups) Delete(ctx context.Context, id int64) error {
	return g.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := changeable(tx, id)
		if err != nil {
			return err
		}
		if err := mayManageGroup(ctx, &before, &before); err != nil {
			return err
		}
		if _, err := memberships.Delete(tx, store.Equal("usergroup_id", store.Int(id))); err != nil {
			return err
		}
		g.changed(ctx, shopapi.OpDelete, id)
		return groups.DeleteKey(tx, id)
	})
}

func (g *Groups) changed(ctx context.Context, op shopapi.Operation, id int64) {
	g.api.Changed(ctx, "usergroups", op, shopapi.FormatID(id))
}

// changeable reads a group that is not reserved, which is a 400.
func changeable(tx store.Tx, id int64) (Group, error) {
	group, err := getGroup(tx, id)
	if err == nil && isReserved(id) {
		return Group{}, shopapi.Errorf(http.StatusBadRequest, "The user group %d is reserved, and can be neither changed nor removed.", id)
	}
	return group, err
}

// checkRetype notes that a group has members, who would become something else.
func checkRetype(tx store.Tx, id int64, problems *shopapi.Problems) error {
	n, err := memberships.Count(tx, store.Equal("usergroup_id", store.Int(id)))
	if n > 0 {
		problems.Add("type", "cannot change while the group has members")
	}
	return err
}

// mayManageGroup returns a 403 unless the user of ctx may make a group what it is
// after a change; before is zero for a new one, and after is the same as before
// for one that goes.
func mayManageGroup(ctx context.Context, before, after *Group) error {
	switch {
	case unbounded(ctx):
		return nil
	case shopapi.UserFrom(ctx).IsVendor():
		return forbidden("A seller may not change user groups, which are the whole shop's.")
	case after.Privileges != before.Privileges:
		return forbidden("Only a root administrator may change the privileges of a user group.")
	}
	return mustHave(ctx, before.Privileges)
}
