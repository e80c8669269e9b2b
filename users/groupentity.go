package users

import (
	"context"

	"github.com/shopapi/shopapi"
)

// A groupEntity answers for the groups over the wire.
type groupEntity struct{ groups *Groups }

var (
	_ shopapi.Lister  = (*groupEntity)(nil)
	_ shopapi.Getter  = (*groupEntity)(nil)
	_ shopapi.Creator = (*groupEntity)(nil)
	_ shopapi.Updater = (*groupEntity)(nil)
	_ shopapi.Deleter = (*groupEntity)(nil)
)

func (e *groupEntity) Describe() shopapi.Description {
	return shopapi.Description{Name: "usergroups", IDField: "usergroup_id", Privileges: groupPrivileges, Cacheable: true}
}

// groupPrivileges are needed for groups and for memberships.
var groupPrivileges = shopapi.Privileges{View: "view_usergroups", Manage: "manage_usergroups"}

// An answer is a group as answers show it: only groups of administrators have
// privileges.
type answer struct {
	Group
	Privileges *Privileges `json:"privileges,omitempty"`
}

func answerOf(g Group) answer {
	a := answer{Group: g}
	if g.Type == shopapi.Administrator {
		a.Privileges = &g.Privileges
	}
	return a
}

// List answers an object keyed by id, not paged.
func (e *groupEntity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var f GroupFilter
	if err := r.BindFilter(&f); err != nil {
		return nil, err
	}
	list, err := e.groups.Find(ctx, f)
	answers := make(shopapi.Map, len(list))
	for i, g := range list {
		answers[i] = shopapi.Member{Name: shopapi.FormatID(g.UsergroupID), Value: answerOf(g)}
	}
	return answers, err
}

func (e *groupEntity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("user group", id)
	if err != nil {
		return nil, err
	}
	g, err := e.groups.Get(ctx, n)
	return answerOf(g), err
}

func (e *groupEntity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var g Group
	var problems shopapi.Problems
	problems.Merge(r.Bind(&g))
	created, err := e.groups.create(ctx, g, &problems)
	return shopapi.Reply{ID: shopapi.FormatID(created.UsergroupID)}, err
}

func (e *groupEntity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("user group", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.groups.Update(ctx, n, func(g *Group) error { return r.Bind(g) })
	return shopapi.Reply{ID: id}, err
}

func (e *groupEntity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("user group", id)
	if err != nil {
		return err
	}
	return e.groups.Delete(ctx, n)
}
