package users

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// EnsureRoot creates the first root administrator of a shop and returns the
// administrator's API key, which cannot be read again. If the shop has a root
// administrator, it changes nothing and created is false. It creates missing tables, and
// may run in several processes at once: one of them gets the key.
//
// It returns a 400 [*shopapi.Error] for an invalid e-mail address, or the address of an
// existing user.
func EnsureRoot(ctx context.Context, st store.Store, email string) (key string, created bool, err error) {
	ctx = store.Starting(ctx)
	if err := migrate(ctx, st); err != nil {
		return "", false, err
	}
	key = rand.Text()
	err = updateTwice(ctx, st, func(tx store.Tx) error {
		n, err := table.Count(tx, activeRoots()...)
		if created = err == nil && n == 0; !created {
			return err
		}
		return addRoot(tx, email, key)
	})
	if errors.Is(err, store.ErrConflict) {
		err = shopapi.Errorf(http.StatusBadRequest, "There is a user with the e-mail address already, who is no active root administrator.")
	}
	if err != nil || !created {
		return "", false, err
	}
	return key, true, nil
}

// EnsureRootKey makes sure that an active root administrator with the e-mail address and
// API key exists: it adds one, or changes the user with the address. It is for a host
// whose operator names the administrator, for instance on the command line. It creates
// missing tables, and may run in several processes at once.
//
// It returns a 400 [*shopapi.Error] for an invalid e-mail address, and for a key that
// [Users.SetKey] refuses.
func EnsureRootKey(ctx context.Context, st store.Store, email, key string) error {
	ctx = store.Starting(ctx)
	if err := checkKey(key); err != nil {
		return err
	}
	if err := migrate(ctx, st); err != nil {
		return err
	}
	return updateTwice(ctx, st, func(tx store.Tx) error {
		found, err := byEmail(table, tx, email)
		switch {
		case err != nil:
			return err
		case found.UserID == 0:
			return addRoot(tx, email, key)
		}
		before := found
		found.UserType, found.IsRoot, found.Status = shopapi.Administrator, true, Active
		if err := found.setKey(tx, key, time.Now()); err != nil {
			return err
		}
		found.normalize()
		if changed, err := table.Changed(&before, &found); err != nil || len(changed) == 0 {
			return err
		}
		return table.Update(tx, &found)
	})
}

func addRoot(tx store.Tx, email, key string) error {
	r := row{
		User: User{Summary: Summary{
			Email: email, UserType: shopapi.Administrator, IsRoot: true, Status: Active,
			Timestamp: time.Now().Unix(), Stamp: resource.Stamp{UpdatedAt: time.Now().Unix()},
		}},
		KeyHash:    hashKey(key),
		KeyCreated: time.Now().Unix(),
	}
	r.normalize()
	var problems shopapi.Problems
	problems.Required("email", r.Email, "the e-mail address that the user signs in with")
	r.validate(&problems)
	if err := problems.Err(); err != nil {
		return err
	}
	return table.Insert(tx, &r)
}
