package main

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"log/slog"
	"os"
	"slices"
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

// Flags of several commands have the same words.
const (
	dryRunUsage      = "report what would be done, and change nothing"
	spreadsheetUsage = "apostrophes before texts that a spreadsheet would run as formulas: export -csv writes them, import takes them off"
	typeUsage        = "the type of users: A administrators, V vendors' users, C customers"
)

// dbFlag adds the flag that names a database.
func dbFlag(flags *flag.FlagSet) *string {
	return flags.String("db", "", "the database: an SQLite file or a PostgreSQL URL; without it $"+dbVariable)
}

// errNoDB is the error where no flag and no environment names the database.
var errNoDB = usagef("name the database by -db or $%s", dbVariable)

// nameOf returns the database that the flag or the environment names.
func nameOf(name string) (string, error) {
	if name == "" {
		name = os.Getenv(dbVariable)
	}
	if name == "" {
		return "", errNoDB
	}
	return name, checkName(name)
}

// checkName returns an error for a URL of another kind, which would be taken for a file. The error does not
// repeat it: it may have a password.
func checkName(name string) error {
	if strings.Contains(name, "://") && !isURL(name) {
		return usagef("the database must be an SQLite file, or a URL that begins with postgres:// or postgresql://")
	}
	return nil
}

// openDB opens the database of the flag or the environment. It must exist.
func openDB(ctx context.Context, name string) (store.Store, error) {
	name, err := nameOf(name)
	if err != nil {
		return nil, err
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
	if err := checkName(name); err != nil {
		return nil, err
	}
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
	return sqlite.Open(ctx, name, &sqlite.Options{Readers: readers, PageCacheBytes: pageCache})
}

// readers is how many connections read an SQLite file: each has a cache, and commands read one
// thing after another.
const readers = 2

// pageCache is how many bytes of pages each of them keeps. A command may run beside the shop, and
// takes no longer than with the 16 MiB of a server.
const pageCache = 8 << 20

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
	if _, err := f.editionOf(); err != nil {
		return err
	}
	st, err := openDB(ctx, *f.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	sh, err := f.open(ctx, t, st)
	if err != nil {
		return err
	}
	return do(sh)
}

// editionOf returns the edition that the flag names.
func (f shopFlag) editionOf() (shopapi.Edition, error) {
	edition, ok := editions[*f.edition]
	if !ok {
		return edition, usagef("-edition must be single, multi-storefront or multi-vendor, not %q", *f.edition)
	}
	return edition, nil
}

// open opens the shop in a store, with the fields that its host declared.
func (f shopFlag) open(ctx context.Context, t terminal, st store.Store) (*shop.Shop, error) {
	edition, err := f.editionOf()
	if err != nil {
		return nil, err
	}
	fields, ofCustomers, err := resource.DeclaredFields(ctx, st)
	if err != nil {
		return nil, err
	}
	return shop.New(ctx, st, &shop.Options{Options: shopapi.Options{
		CustomFields: fieldsIn(edition, fields), CustomerFields: ofCustomers, Edition: edition, Logger: slog.New(slog.NewTextHandler(t.err, nil)),
	}})
}

// fieldsIn returns the fields of the entities of an edition. The fields of companies are of stores or
// of vendors; where neither is an entity, these fields are left alone.
func fieldsIn(edition shopapi.Edition, fields map[string][]shopapi.CustomField) map[string][]shopapi.CustomField {
	ofCompanies := slices.Concat(fields["stores"], fields["vendors"])
	delete(fields, "stores")
	delete(fields, "vendors")
	entity := map[shopapi.Edition]string{shopapi.MultiStorefront: "stores", shopapi.MultiVendor: "vendors"}[edition]
	if entity != "" && ofCompanies != nil {
		fields[entity] = ofCompanies
	}
	return fields
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
