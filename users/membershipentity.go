package users

import (
	"context"
	"reflect"

	"github.com/shopapi/shopapi"
)

// A membershipEntity answers for users/5/usergroups. The id of a membership in
// addresses is that of the group.
type membershipEntity struct{ users *Users }

var (
	_ shopapi.Lister  = (*membershipEntity)(nil)
	_ shopapi.Updater = (*membershipEntity)(nil)
	_ shopapi.Deleter = (*membershipEntity)(nil)
)

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
	}
}

// List answers an object keyed by the groups' ids, as usergroups does.
func (e *membershipEntity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	userID, err := parentUser(r)
	if err != nil {
		return nil, err
	}
	list, err := e.users.Memberships(ctx, userID)
	answers := make(shopapi.Map, len(list))
	for i, m := range list {
		answers[i] = shopapi.Member{Name: shopapi.FormatID(m.UsergroupID), Value: m}
	}
	return answers, err
}

// Update sets the status of the membership, which the payload must have.
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
	return shopapi.Reply{ID: id, More: shopapi.Map{{Name: "message", Value: messages[m.Status]}}}, nil
}

// messages tell what a membership was set to.
var messages = map[string]string{
	Member:    "The user is a member of the group.",
	Requested: "The membership of the user is requested.",
	Declined:  "The membership of the user is declined.",
	Available: "The user is not a member of the group.",
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
