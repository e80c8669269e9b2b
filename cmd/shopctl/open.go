package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// dbVariable is the environment variable with the database, if no flag names one.
const dbVariable = "SHOPAPI_DB"

// dbFlag adds the flag that names a database.
func dbFlag(flags *flag.FlagSet) *string {
	return flags.String("db", "", "the database: an SQLite file or a PostgreSQL URL; without it $"+dbVariable)
}

// openDB opens the database of the flag or the environment. It must exist.
func openDB(ctx context.Context, name string) (store.Store, error) {
	if name == "" {
		name = os.Getenv(dbVariable)
	}
	if name == "" {
		return nil, errors.New("name the database by -db or $" + dbVariable)
	}
	if !isURL(name) {
		if _, err := os.Stat(name); err != nil {
			return nil, err
		}
	}
	return openStore(ctx, name)
}

// openStore opens a store. A new SQLite file can be read only by its owner.
func openStore(ctx context.Context, name string) (store.Store, error) {
	if isURL(name) {
		return postgres.Open(ctx, name)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	} else if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, name, nil)
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

var editions = map[string]shopapi.Edition{
	"single": shopapi.SingleStore, "multi-storefront": shopapi.MultiStorefront, "multi-vendor": shopapi.MultiVendor,
}

// A shopFlag is the flags that name a shop.
type shopFlag struct{ db, edition *string }

func shopFlags(flags *flag.FlagSet) shopFlag {
	return shopFlag{dbFlag(flags), flags.String("edition", "single", "single, multi-storefront or multi-vendor: that of the shop")}
}

// with opens the shop for a function.
func (f shopFlag) with(ctx context.Context, t terminal, do func(*shop.Shop) error) (err error) {
	edition, ok := editions[*f.edition]
	if !ok {
		return fmt.Errorf("-edition must be single, multi-storefront or multi-vendor, not %q", *f.edition)
	}
	st, err := openDB(ctx, *f.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	fields, ofCustomers, err := resource.DeclaredFields(ctx, st)
	if err != nil {
		return err
	}
	sh, err := shop.New(ctx, st, &shop.Options{Options: shopapi.Options{
		CustomFields: fields, CustomerFields: ofCustomers, Edition: edition, Logger: slog.New(slog.NewTextHandler(t.err, nil)),
	}})
	if err != nil {
		return err
	}
	return do(sh)
}

// withUser opens the shop for a function on the user with the e-mail address.
func (f shopFlag) withUser(ctx context.Context, t terminal, email string, do func(*shop.Shop, users.User) error) error {
	return f.with(ctx, t, func(sh *shop.Shop) error {
		user, err := sh.Users.ByEmail(ctx, email)
		if err != nil {
			return err
		}
		return do(sh, user)
	})
}
