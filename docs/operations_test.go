package docs_test

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
)

// backUp writes a copy of the shop's file as it is at one moment, while requests are
// served. The file must not exist.
func backUp(ctx context.Context, st *sqlite.Store, path string) error {
	_, err := st.DB().ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}

// limited are options for a shop behind a proxy, with smaller limits.
func limited() *shopapi.Options {
	return &shopapi.Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Limits: shopapi.Limits{
			Body:     256 << 10,
			Response: 4 << 20,
			Time:     10 * time.Second,
		},
	}
}

// openPostgres opens the database of a shop that runs in several processes.
func openPostgres(ctx context.Context) (*postgres.Store, error) {
	const dsn = "postgres://shop@db1,db2/shop?target_session_attrs=read-write&pool_max_conns=20"
	return postgres.Open(ctx, dsn)
}

// openReplicated opens it with standbys.
func openReplicated(ctx context.Context, dsn string) (*postgres.Store, error) {
	return postgres.OpenWith(ctx, dsn, postgres.Options{Replicas: []string{
		"postgres://shop@db2/shop", "postgres://shop@db3/shop",
	}})
}

// move copies a shop from a file to PostgreSQL.
func move(ctx context.Context, to *postgres.Store, from *sqlite.Store) error {
	_, err := storecopy.Copy(ctx, to, from, shop.Schemas(), nil)
	return err
}

var (
	_ = openPostgres
	_ = openReplicated
	_ = move
)

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	open := func(name string) *shop.Shop {
		st, err := sqlite.Open(t.Context(), filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		s, err := shop.New(t.Context(), st, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open("shop.db")
	if _, err := s.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Tableware"}}); err != nil {
		t.Fatal(err)
	}
	if err := backUp(t.Context(), s.Store.(*sqlite.Store), filepath.Join(dir, "backup.db")); err != nil {
		t.Fatal(err)
	}
	if err := backUp(t.Context(), s.Store.(*sqlite.Store), filepath.Join(dir, "backup.db")); err == nil {
		t.Error("a backup overwrites a file")
	}
	category, err := open("backup.db").Categories.Get(t.Context(), 1)
	if err != nil || category.Name != "Tableware" {
		t.Errorf("the backup has %q, %v; want the category", category.Name, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "backup.db")); err != nil {
		t.Error(err)
	} else {
		t.Logf("the backup has the mode %v", info.Mode())
	}
}

func TestLimits(t *testing.T) {
	if err := limited().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := shop.New(t.Context(), memory.New(), &shop.Options{Options: *limited()}); err != nil {
		t.Error(err)
	}
}
