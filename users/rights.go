package users

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// unbounded reports whether ctx may make any change: it has no user, as in the host's
// own code, or a root administrator.
func unbounded(ctx context.Context) bool {
	actor := shopapi.UserFrom(ctx)
	return actor == nil || actor.Root
}

func forbidden(format string, args ...any) error {
	return shopapi.Errorf(http.StatusForbidden, format, args...)
}

// mayChange returns a 403 unless the user of ctx may change or remove the target. Who
// may change the target can act as the target, so that this takes every right of the
// target.
func mayChange(ctx context.Context, tx store.Tx, target *User) error {
	switch {
	case unbounded(ctx):
		return nil
	case bool(target.IsRoot):
		return forbidden("Only a root administrator may change a root administrator.")
	case shopapi.UserFrom(ctx).IsVendor() && target.UserType == shopapi.Administrator:
		return forbidden("A vendor may not change an administrator.")
	}
	has, err := privilegesOf(tx, target.UserID)
	if err != nil {
		return err
	}
	return mustHave(ctx, has)
}

// mayBecome returns a 403 unless the user of ctx may change a user from before to after.
// before is the zero value for a new user.
func mayBecome(ctx context.Context, before, after *User) error {
	switch {
	case unbounded(ctx):
		return nil
	case bool(after.IsRoot) && !bool(before.IsRoot):
		return forbidden("Only a root administrator may make a root administrator.")
	case after.hasAllStorefronts() && !before.hasAllStorefronts():
		return forbidden("Only a root administrator may make an administrator of all storefronts.")
	case shopapi.UserFrom(ctx).IsVendor() && after.UserType == shopapi.Administrator:
		return forbidden("A vendor may not make an administrator.")
	}
	return nil
}

// hasAllStorefronts reports whether an administrator without root belongs to no company,
// which happens only in the edition with several storefronts.
func (u *User) hasAllStorefronts() bool {
	return u.UserType == shopapi.Administrator && !bool(u.IsRoot) && u.CompanyID == 0
}

// mayManageGroup returns a 403 unless the user of ctx may change, remove or create a
// group with the privileges of g.
func mayManageGroup(ctx context.Context, g *Group) error {
	if unbounded(ctx) {
		return nil
	}
	if err := mayManageGroups(shopapi.UserFrom(ctx), shopapi.OpUpdate, nil); err != nil {
		return err
	}
	return mustHave(ctx, g.Privileges)
}

// mayJoin returns a 403 unless the user of ctx may change memberships in groups of a type:
// a vendor may only in groups of customers (decisions §11).
func mayJoin(ctx context.Context, groupType shopapi.UserType) error {
	if unbounded(ctx) || !shopapi.UserFrom(ctx).IsVendor() || groupType == shopapi.Customer {
		return nil
	}
	return forbidden("A vendor may change memberships only in groups of customers, of type C. This group has type %s.", groupType)
}

// mayManageGroups returns a 403 where an operation changes groups, and the user is confined
// to one company.
func mayManageGroups(user *shopapi.User, op shopapi.Operation, _ []string) error {
	switch {
	case op == shopapi.OpList, op == shopapi.OpGet, !user.IsConfined():
		return nil
	case user.IsVendor():
		return forbidden("A vendor may not change user groups, which are the whole shop's.")
	}
	return forbidden("An administrator of one storefront may not change user groups, which are the whole shop's.")
}

// mustHave returns a 403 that names a missing privilege, unless the user of ctx has them
// all.
func mustHave(ctx context.Context, privileges Privileges) error {
	for name := range privileges.All() {
		if !shopapi.UserFrom(ctx).Can(name) {
			return forbidden("This needs the privilege %s, which you do not have yourself.", name)
		}
	}
	return nil
}

// keepRoot returns a 400 if a change leaves the shop without an active root
// administrator. If the changed user has an API key, the remaining one must have one
// too. after is nil for a removal.
func keepRoot(tx store.Tx, before, after *row) error {
	if !before.isActiveRoot() || after != nil && after.isActiveRoot() {
		return nil
	}
	needsKey, err := hasKey(tx, before)
	if err != nil {
		return err
	}
	others, err := table.Select(tx, store.Query{Where: append(activeRoots(), store.NotEqual("user_id", store.Int(before.UserID)))})
	if err != nil {
		return err
	}
	for i := range others {
		has, err := hasKey(tx, &others[i])
		if err != nil || has || !needsKey {
			return err
		}
	}
	return shopapi.Errorf(http.StatusBadRequest,
		"The last active root administrator can be neither removed nor disabled nor made anything else: nobody could administer the shop.")
}

func (r *row) isActiveRoot() bool { return bool(r.IsRoot) && r.Status == Active }

// activeRoots matches the active root administrators.
func activeRoots() []store.Cond {
	return []store.Cond{
		store.Equal("is_root", store.Bool(true)),
		store.Equal("status", store.String(Active)),
	}
}
