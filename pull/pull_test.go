package pull_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/pulltest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/store/storecopy"
)

// The administrator of the old shop.
const (
	email = "admin@example.com"
	key   = "fixture-of-a-shop-not-a-secret"
)

// oldShop returns the store of a shop with objects of every entity.
func oldShop(t *testing.T) store.Store {
	t.Helper()
	from, err := upgraded()
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	if _, err := storecopy.Copy(t.Context(), st, from, shop.Schemas(), nil); err != nil {
		t.Fatal(err)
	}
	return st
}

// upgraded returns the rows that an earlier version wrote, as the shop upgrades them.
var upgraded = sync.OnceValues(func() (st store.Store, err error) {
	packed, err := os.Open(filepath.Join("..", "shop", "testdata", "first.db.gz"))
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pull")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name, ctx := filepath.Join(dir, "old.db"), context.Background()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return nil, err
	}
	file, err := sqlite.Open(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := shop.New(ctx, file, options(shopapi.DialectDocumented)); err != nil {
		return nil, err
	}
	st = memory.New()
	_, err = storecopy.Copy(ctx, st, file, shop.Schemas(), nil)
	return st, err
})

func options(dialect shopapi.Dialect) *shop.Options {
	return &shop.Options{Options: shopapi.Options{
		Edition: shopapi.MultiVendor, Dialect: dialect, Clock: func() time.Time { return time.Unix(1_800_000_000, 0) },
	}}
}

// serve serves a store as an old shop does.
func serve(t *testing.T, st store.Store, dialect shopapi.Dialect, around ...func(http.Handler) http.Handler) (url string) {
	t.Helper()
	s, err := shop.New(t.Context(), st, options(dialect))
	if err != nil {
		t.Fatal(err)
	}
	var handler http.Handler = s
	for _, wrap := range around {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/api"
}

// newShop is a shop to pull into.
func newShop(t *testing.T, st store.Store) *shop.Shop {
	t.Helper()
	s, err := shop.New(t.Context(), st, options(shopapi.DialectDocumented))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// from are options of a run that reads an old shop at an address.
func from(url string) pull.Options {
	return pull.Options{From: url, Email: email, Key: key, Insecure: true, Pause: time.Millisecond}
}

// run pulls, and fails the test when the run does not end.
func run(t *testing.T, sh *shop.Shop, o pull.Options) *pull.Report {
	t.Helper()
	report, err := pull.Run(t.Context(), sh, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// everyStore runs a test with a store of each kind that has no rows.
func everyStore(t *testing.T, test func(t *testing.T, st store.Store)) {
	for name, open := range map[string]func(testing.TB) store.Store{
		"memory": shoptest.Memory, "sqlite": shoptest.SQLite, "postgres": shoptest.PostgreSQL,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// tables are the rows of a store as texts, by table, in a fixed order.
func tables(t *testing.T, st store.Store) map[string][]string {
	t.Helper()
	return pulltest.Tables(t, st)
}

// Every table of the new shop equals the old one's, in both dialects and on each store.
func TestE8_EveryTableIsTaken(t *testing.T) {
	t.Parallel()
	for name, dialect := range map[string]shopapi.Dialect{"documented": shopapi.DialectDocumented, "live": shopapi.DialectLive} {
		t.Run(name, func(t *testing.T) {
			old := oldShop(t)
			url := serve(t, old, dialect)
			everyStore(t, func(t *testing.T, st store.Store) {
				report := run(t, newShop(t, st), from(url))
				for _, p := range report.Problems {
					t.Errorf("problem: %+v", p)
				}
				if len(report.NotCarried) > 0 {
					t.Errorf("not carried: %v", report.NotCarried)
				}
				if diff := pulltest.Diff(tables(t, old), tables(t, st)); diff != "" {
					t.Errorf("tables (-old +new):\n%s", diff)
				}
			})
		})
	}
}

// moveSource has a shop take another address for that of the old shop.
func moveSource(t *testing.T, st store.Store, url string) {
	t.Helper()
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		facts := pull.Schemas()[1]
		var row []store.Value
		err := tx.Select(facts.All(), &store.Query{Where: []store.Cond{store.Equal("name", store.String("source"))}}, func(r []store.Value) error {
			row = slices.Clone(r)
			return nil
		})
		if err != nil {
			return err
		}
		row[facts.Index("value")] = store.String(url)
		return tx.Update(facts, row)
	})
	if err != nil {
		t.Fatal(err)
	}
}
