package users

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Membership is the relation of a user to a group. The two ids identify it.
type Membership struct {
	LinkID      int64  `json:"link_id,string" store:"key" bind:"-"`
	UserID      int64  `json:"-" store:"name=user_id"`
	UsergroupID int64  `json:"usergroup_id,string" store:"index" bind:"-"`
	Status      string `json:"status"` // A member, P requested, D declined; F, which ends the membership, in requests alone
}

var memberships = store.MustTable[Membership]("usergroup_links",
	store.Index{Columns: []string{"user_id", "usergroup_id"}, Unique: true})

// The statuses of a membership.
const (
	Member    = "A"
	Requested = "P"
	Declined  = "D"
	Available = "F" // no membership: setting it removes the row, and no row has it
)

// Memberships returns the memberships of a user, sorted by group id, without the groups
// to which the user has no relation. It returns a 404 [*shopapi.Error] if the user does
// not exist.
func (u *Users) Memberships(ctx context.Context, userID int64) (list []Membership, err error) {
	err = u.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := u.rows.GetIn(ctx, tx, userID); err != nil {
			return err
		}
		list, err = memberships.Select(tx, store.Query{
			Where: []store.Cond{store.Equal("user_id", store.Int(userID))},
			Order: []store.Order{store.Asc("usergroup_id")},
		})
		return err
	})
	return list, err
}

// SetMembership sets the status of a user in a group; Available removes the membership.
// It returns a 404 [*shopapi.Error] if the user does not exist, a 400 if the group does
// not exist or does not take users of this type, and a 403.
func (u *Users) SetMembership(ctx context.Context, userID, groupID int64, status string) error {
	var problems shopapi.Problems
	problems.OneOf("status", status, Member, Available, Requested, Declined)
	if err := problems.Err(); err != nil {
		return err
	}
	return u.changeMembership(ctx, userID, groupID, func(tx store.Tx, user *User) (changed bool, err error) {
		group, err := joinable(tx, groupID, user)
		if err != nil {
			return false, err
		}
		if err := mayJoin(ctx, group.Type); err != nil {
			return false, err
		}
		if status == Available {
			n, err := memberships.Delete(tx, linkOf(userID, groupID)...)
			return n > 0, err
		}
		if status == Member && !unbounded(ctx) {
			if err := mustHave(ctx, group.Privileges); err != nil {
				return false, err
			}
		}
		return putMembership(tx, Membership{UserID: userID, UsergroupID: groupID, Status: status})
	})
}

// RemoveMembership removes a membership. It returns a 404 [*shopapi.Error] if the user
// or the membership does not exist, and a 403.
func (u *Users) RemoveMembership(ctx context.Context, userID, groupID int64) error {
	return u.changeMembership(ctx, userID, groupID, func(tx store.Tx, _ *User) (changed bool, err error) {
		group, err := groups.Get(tx, groupID)
		if err == nil {
			err = mayJoin(ctx, group.Type)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		n, err := memberships.Delete(tx, linkOf(userID, groupID)...)
		if err == nil && n == 0 {
			err = shopapi.NotFound("membership of the user in a group", shopapi.FormatID(groupID))
		}
		return true, err
	})
}

// changeMembership runs change for a user that the user of ctx may change. The event
// reports an update of the user; the change log keeps the membership.
func (u *Users) changeMembership(ctx context.Context, userID, groupID int64, change func(store.Tx, *User) (bool, error)) error {
	return u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		r, err := u.rows.GetIn(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := mayChange(ctx, tx, &r.User); err != nil {
			return err
		}
		return shopapi.CheckPreconditions(ctx, func() error {
			had, err := memberships.Count(tx, linkOf(userID, groupID)...)
			if err != nil {
				return err
			}
			changed, err := change(tx, &r.User)
			if err != nil || !changed {
				return err
			}
			if err := endLinks(tx, userID); err != nil {
				return err
			}
			has, err := memberships.Count(tx, linkOf(userID, groupID)...)
			op := shopapi.OpUpdate
			switch {
			case had == 0:
				op = shopapi.OpCreate
			case has == 0:
				op = shopapi.OpDelete
			}
			u.api.RecordBelow(ctx, "users", userID, "usergroups", op, groupID, "status")
			u.api.ReportAs(ctx, shopapi.Event{Entity: "users", ID: shopapi.FormatID(userID), Operation: shopapi.OpUpdate})
			return err
		})
	})
}

// joinable returns a group of which the user may be a member. It returns a 400 for other
// groups.
func joinable(tx store.Tx, id int64, user *User) (Group, error) {
	group, err := groups.Get(tx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Group{}, shopapi.Invalid("usergroup_id", "must be the id of a user group that exists, not %d", id)
	case err != nil:
		return Group{}, err
	case isReserved(id):
		return Group{}, shopapi.Invalid("usergroup_id", "must not be a reserved group: every visitor is in one of them")
	case group.Type == shopapi.Administrator && user.UserType == shopapi.Customer:
		return Group{}, shopapi.Invalid("usergroup_id", "must be a group of customers: the user is a customer, and %d is a group of administrators", id)
	}
	return group, nil
}

// putMembership adds or replaces a membership.
func putMembership(tx store.Tx, m Membership) (changed bool, err error) {
	had, err := memberships.First(tx, store.Query{Where: linkOf(m.UserID, m.UsergroupID)})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return true, memberships.Insert(tx, &m)
	case err != nil || had.Status == m.Status:
		return false, err
	}
	m.LinkID = had.LinkID
	return true, memberships.Update(tx, &m)
}

func linkOf(userID, groupID int64) []store.Cond {
	return []store.Cond{
		store.Equal("user_id", store.Int(userID)),
		store.Equal("usergroup_id", store.Int(groupID)),
	}
}

// recordMemberships has the change log keep the end of memberships.
func (u *Users) recordMemberships(ctx context.Context, tx store.Tx, where ...store.Cond) error {
	if !u.api.Records() {
		return nil
	}
	list, err := memberships.Select(tx, store.Query{Where: where, Limit: shopapi.MaxRecorded + 1})
	if len(list) > shopapi.MaxRecorded {
		u.api.RecordAll(ctx, "usergroups")
		return err
	}
	for _, m := range list {
		u.api.RecordBelow(ctx, "users", m.UserID, "usergroups", shopapi.OpDelete, m.UsergroupID)
	}
	return err
}

// leaveAdministration removes the memberships of a user in groups of administrators.
func (u *Users) leaveAdministration(ctx context.Context, tx store.Tx, userID int64) error {
	administrators := store.InQuery("usergroup_id", groups.Schema(), "usergroup_id",
		store.Equal("type", store.String(string(shopapi.Administrator))))
	of := store.Equal("user_id", store.Int(userID))
	if err := u.recordMemberships(ctx, tx, of, administrators); err != nil {
		return err
	}
	_, err := memberships.Delete(tx, of, administrators)
	return err
}

// inGroup matches the members of a group.
func inGroup(id int64) store.Cond {
	return store.InQuery("user_id", memberships.Schema(), "user_id",
		store.Equal("usergroup_id", store.Int(id)), store.Equal("status", store.String(Member)))
}
