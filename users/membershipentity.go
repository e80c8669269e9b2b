package users

import (
	"context"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A membershipEntity serves users/5/usergroups. In addresses, the id of a membership is
// the id of the group.
type membershipEntity struct{ users *Users }

var (
	_ shopapi.Lister  = (*membershipEntity)(nil)
	_ shopapi.Updater = (*membershipEntity)(nil)
	_ shopapi.Deleter = (*membershipEntity)(nil)
)

// Store is the store of the memberships.
func (e *membershipEntity) Store() store.Store { return e.users.st }

func (e *membershipEntity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:          "usergroups",
		IDField:       "usergroup_id",
		Privileges:    groupPrivileges,
		Cacheable:     true,
		Transactional: true,
		Summary:       "What a user is to groups.",
		Object:        reflect.TypeFor[Membership](),
		Item:          reflect.TypeFor[Membership](),
		Sorts:         []string{"id"},
		Shape:         shopapi.KeyedList,
		More:          shopapi.Map{{Name: "message", Value: ""}},
	}
}

// List returns an object keyed by group id, as usergroups does. It is paged only on
// request (decisions §14).
func (e *membershipEntity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	userID, err := parentUser(r)
	if err != nil {
		return nil, err
	}
	page, err := r.Page(false, "id")
	if err != nil {
		return nil, err
	}
	list, err := e.users.Memberships(ctx, userID)
	if err != nil {
		return nil, err
	}
	result := shopapi.List{Name: "usergroups", Bare: true}
	if r.Filter.Has("page") || r.Filter.Has("items_per_page") {
		result.Params = page.Params(int64(len(list)))
		list = list[min(page.Offset(), len(list)):]
		list = list[:min(page.Limit(), len(list))]
	}
	members := make(shopapi.Map, len(list))
	for i, m := range list {
		members[i] = shopapi.Member{Name: shopapi.FormatID(m.UsergroupID), Value: m}
	}
	result.Items = members
	return result, nil
}

// Update sets the status of the membership, which the payload must contain. The message of
// the reply is empty (decisions §27).
func (e *membershipEntity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	userID, err := parentUser(r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	groupID, err := shopapi.ParseID("user group", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	var m Membership
	if err := r.Bind(&m); err != nil {
		return shopapi.Reply{}, err
	}
	if err := e.users.SetMembership(ctx, userID, groupID, m.Status); err != nil {
		return shopapi.Reply{}, err
	}
	return shopapi.Reply{ID: id, More: shopapi.Map{{Name: "message", Value: ""}}}, nil
}

func (e *membershipEntity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	userID, err := parentUser(r)
	if err != nil {
		return err
	}
	groupID, err := shopapi.ParseID("user group", id)
	if err != nil {
		return err
	}
	return e.users.RemoveMembership(ctx, userID, groupID)
}

// parentUser is the id of the user in the address.
func parentUser(r *shopapi.Request) (int64, error) {
	parent, _ := r.Parent()
	return shopapi.ParseID("user", parent.ID)
}
