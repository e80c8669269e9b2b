package users

import (
	"context"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// ByID reads users in one read, for packages that show the users whom their objects
// belong to. Ids of none, and those of users that the user of ctx may not see, are
// left out.
func (u *Users) ByID(ctx context.Context, ids ...int64) (map[int64]User, error) {
	found := make(map[int64]User, len(ids))
	err := u.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		list, err := people.Select(tx, store.Query{
			Where: append(resource.VisibleConds(ctx), store.InInts("user_id", ids...)),
		})
		if err != nil {
			return err
		}
		items := make([]*Summary, len(list))
		for i := range list {
			items[i] = &list[i].Summary
			list[i].namePlaces(ctx, u.api)
		}
		if err := u.nameCompanies(ctx, tx, items...); err != nil {
			return err
		}
		for i := range list {
			found[list[i].UserID] = list[i]
		}
		return nil
	})
	return found, err
}
