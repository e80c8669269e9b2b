package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

func listUsers(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	kind := flags.String("type", "", typeUsage)
	status := flags.String("status", "", "only users with the status: A active, D disabled, H hidden")
	asJSON := jsonFlag(flags)
	return func(ctx context.Context, t terminal, _ []string) error {
		if !slices.Contains([]string{"", "A", "V", "C"}, *kind) {
			return usagef("-type must be A, V or C, not %q", *kind)
		}
		if !slices.Contains([]string{"", "A", "D", "H"}, *status) {
			return usagef("-status must be A, D or H, not %q", *status)
		}
		return of.with(ctx, t, func(sh *shop.Shop) error {
			if *asJSON {
				for u, err := range sh.Users.All(ctx, users.Filter{UserType: *kind, Status: *status}) {
					if err != nil {
						return err
					}
					printJSON(t.out, listedUser{Summary: u})
				}
				return nil
			}
			columns := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(columns, "ID\tTYPE\tROOT\tSTATUS\tCOMPANY\tEMAIL\tNAME")
			for u, err := range sh.Users.All(ctx, users.Filter{UserType: *kind, Status: *status}) {
				if err != nil {
					return err
				}
				root, _ := u.IsRoot.MarshalText()
				fmt.Fprintf(columns, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", u.UserID, u.UserType, root, u.Status,
					u.CompanyID, printable(u.Email), printable(u.FirstName+" "+u.LastName))
			}
			return columns.Flush()
		})
	}
}

// A listedUser is the JSON form of a user that users list prints: the fields of a list,
// without the address.
type listedUser struct {
	users.Summary
	Billing *struct{} `json:"billing,omitempty"` // in place of the address, which is one column
}

// printable returns a customer's text without terminal control sequences.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s))
}

func addUser(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	root := flags.Bool("root", false, "an administrator who may do everything")
	kind := flags.String("type", "A", typeUsage)
	company := flags.Int64("company", 0, "id of the user's vendor or storefront")
	first := flags.String("firstname", "", "first name")
	last := flags.String("lastname", "", "last name")
	var groups []int64
	flags.Func("usergroups", "ids of groups that the user is to be in, joined by commas", func(text string) error {
		for item := range strings.SplitSeq(text, ",") {
			id, err := strconv.ParseInt(item, 10, 64)
			if err != nil {
				return errors.New("it must be ids joined by commas, such as 3,5")
			}
			groups = append(groups, id)
		}
		return nil
	})
	return func(ctx context.Context, t terminal, args []string) error {
		if !slices.Contains([]string{"A", "V", "C"}, *kind) {
			return usagef("-type must be A, V or C, not %q", *kind)
		}
		if *root && shopapi.UserType(*kind) != shopapi.Administrator {
			return usagef("-root is for administrators, of -type A")
		}
		user := users.User{Summary: users.Summary{
			Email: args[0], UserType: shopapi.UserType(*kind), IsRoot: shopapi.Flag(*root),
			CompanyID: *company, FirstName: *first, LastName: *last,
		}}
		return of.with(ctx, t, func(sh *shop.Shop) error {
			var created users.User
			err := sh.Store.Update(ctx, func(ctx context.Context, _ store.Tx) (err error) {
				if created, err = sh.Users.Create(ctx, user, ""); err != nil {
					return err
				}
				for _, id := range groups {
					if err := sh.Users.SetMembership(ctx, created.UserID, id, users.Member); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil {
				fmt.Fprintln(t.out, created.UserID)
			}
			return err
		})
	}
}

func setStatus(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	return func(ctx context.Context, t terminal, args []string) error {
		if !slices.Contains([]string{"A", "D", "H"}, args[1]) {
			return usagef("STATUS must be A, D or H, not %q", args[1])
		}
		return of.withUser(ctx, t, args[0], func(sh *shop.Shop, user users.User) error {
			_, err := sh.Users.Update(ctx, user.UserID, func(u *users.User) error {
				u.Status = args[1]
				return nil
			})
			return err
		})
	}
}

func setPassword(flags *flag.FlagSet) action {
	of := shopFlags(flags)
	return func(ctx context.Context, t terminal, args []string) error {
		return of.withUser(ctx, t, args[0], func(sh *shop.Shop, user users.User) error {
			password, err := t.password(ctx)
			if err != nil {
				return err
			}
			return sh.Users.SetPassword(ctx, user.UserID, password)
		})
	}
}
