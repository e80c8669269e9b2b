package main

import (
	"context"
	"errors"
	"flag"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

func erase(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	yes := flags.Bool("yes", false, "do it: it cannot be undone")
	return func(ctx context.Context, t terminal, args []string) error {
		return of.withUser(ctx, t, args[0], func(sh *shop.Shop, user users.User) error {
			if !*yes {
				return errors.New("erased data cannot be restored: confirm with -yes")
			}
			return sh.Users.Erase(ctx, user.UserID)
		})
	}
}
