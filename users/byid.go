package users

import (
	"context"
	"net/http"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// ByID returns the users with the ids in one read, for packages whose objects belong to
// users. It leaves out ids that do not exist or that the user of ctx may not see.
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

// ByEmail returns the user with the e-mail address, in either case. It returns a 404
// [*shopapi.Error] if there is no such user or the user of ctx may not see it.
func (u *Users) ByEmail(ctx context.Context, email string) (User, error) {
	var user User
	err := u.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		found, err := byEmail(table, tx, email)
		switch {
		case err != nil:
			return err
		case found.UserID == 0:
			return shopapi.Errorf(http.StatusNotFound, "There is no user with the e-mail address %s.", plain.Quoted(email))
		}
		user, err = u.Get(ctx, found.UserID)
		return err
	})
	return user, err
}

// findEmails returns the ids of users by their e-mail addresses, in either case.
func findEmails(ctx context.Context, tx store.Tx, emails []string) (map[string][]int64, error) {
	found := map[string][]int64{}
	for _, email := range emails {
		list, err := emailsOnly.Select(tx, store.Query{
			Where: append(resource.VisibleConds(ctx), store.EqualFold("email", strings.TrimSpace(email))),
			Order: []store.Order{store.Asc("user_id")}, Limit: shopapi.MaxSameCode + 1,
		})
		if err != nil {
			return nil, err
		}
		for i := range list {
			found[email] = append(found[email], list[i].UserID)
		}
	}
	return found, nil
}

var emailsOnly = table.Subset("user_id")
