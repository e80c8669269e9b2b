package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

func createKey(flags *flag.FlagSet) action {
	return makeKey(flags, false, "the user has a key already: keys rotate replaces it")
}

func rotateKey(flags *flag.FlagSet) action {
	return makeKey(flags, true, "the user has no key yet: keys create makes one")
}

// makeKey generates an API key. replaces says whether the user must already have one;
// otherwise is the error if that does not hold.
func makeKey(flags *flag.FlagSet, replaces bool, otherwise string) action {
	of := shopFlags(flags)
	return func(ctx context.Context, t terminal, args []string) error {
		return of.withUser(ctx, t, args[0], func(sh *shop.Shop, user users.User) error {
			key, shown := rand.Text(), false
			err := sh.Store.Update(ctx, func(ctx context.Context, _ store.Tx) error {
				has, err := sh.Users.HasProgramKey(ctx, user.UserID)
				if err != nil {
					return err
				}
				if has != replaces {
					return errors.New(otherwise)
				}
				if err := sh.Users.SetKey(ctx, user.UserID, key); err != nil || shown {
					return err
				}
				// Nobody can read a stored key: if this one cannot be shown, the user keeps the old one.
				fmt.Fprintf(t.err, "The API key of %s, which is shown this once:\n", printable(user.Email))
				_, err = fmt.Fprintln(t.out, key)
				shown = err == nil
				return err
			})
			if err != nil && shown {
				err = fmt.Errorf("the key above is not valid, and the keys of the user are as before: %w", err)
			}
			return err
		})
	}
}

func revokeKey(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	return func(ctx context.Context, t terminal, args []string) error {
		return of.withUser(ctx, t, args[0], func(sh *shop.Shop, user users.User) error {
			return sh.Users.RevokeKey(ctx, user.UserID)
		})
	}
}
