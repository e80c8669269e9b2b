package users

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Hooks and parents of a host get users without the hashes.

// BeforeSave adds a hook to every create and update: see [resource.SaveHook]. If only a
// password or an API key changes, old and after are equal.
func (u *Users) BeforeSave(hook resource.SaveHook[User]) { u.rows.BeforeSave(ofUser(hook)) }

// AfterSave adds a hook that runs after every create and update, with the id: see
// [resource.SaveHook].
func (u *Users) AfterSave(hook resource.SaveHook[User]) { u.rows.AfterSave(ofUser(hook)) }

func ofUser(hook resource.SaveHook[User]) resource.SaveHook[row] {
	return func(ctx context.Context, tx store.Tx, old, after *row) error {
		if old == nil {
			return hook(ctx, tx, nil, &after.User)
		}
		return hook(ctx, tx, &old.User, &after.User)
	}
}

// BeforeDelete adds a hook to every deletion: see [resource.DeleteHook].
func (u *Users) BeforeDelete(hook resource.DeleteHook[User]) {
	u.rows.BeforeDelete(func(ctx context.Context, tx store.Tx, old *row) error { return hook(ctx, tx, &old.User) })
}

// Under also serves users under the objects of another entity.
func (u *Users) Under(p resource.Parent[User]) error {
	of := resource.Parent[row]{Entity: p.Entity, Where: p.Where, AnyCompany: p.AnyCompany}
	if p.Contains != nil {
		of.Contains = func(ctx context.Context, tx store.Tx, above resource.ParentRef, r *row) (bool, error) {
			return p.Contains(ctx, tx, above, &r.User)
		}
	}
	if p.SetParent != nil {
		of.SetParent = func(above resource.ParentRef, r *row, problems *shopapi.Problems) {
			p.SetParent(above, &r.User, problems)
		}
	}
	return u.rows.Under(of)
}
