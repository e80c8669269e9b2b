package ordermodel_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop/shopcheck"
	"github.com/shopapi/shopapi/store"
)

// Orders show the amounts that the model computes, after random POSTs and PUTs in random
// shops (decisions §18, §20, §26). SHOPAPI_ORDERS=long has 100,000 orders, from another
// seed each time; SHOPAPI_ORDERS_SEED repeats a seed:
//
//	SHOPAPI_ORDERS=long go test ./orders/internal/ordermodel -run Model -timeout 3h -v
func TestOrders_26_Model(t *testing.T) {
	for name, c := range map[string]struct {
		open        func(testing.TB) store.Store
		short, long int // orders
	}{
		"memory":   {shoptest.Memory, 300, 40_000},
		"sqlite":   {shoptest.SQLite, 80, 30_000},
		"postgres": {shoptest.PostgreSQL, 40, 30_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.open(t) // skips the test where there is no server: skipped shops place no orders, and the loop would not end
			seed, orders, done := campaignSeed(t), c.short, &tally{}
			if isLong() {
				orders = c.long
			}
			for shop := uint64(0); done.placed < orders && !t.Failed(); shop++ {
				t.Run(strconv.FormatUint(shop, 10), func(t *testing.T) {
					runShop(t, c.open(t), shop, rand.New(rand.NewPCG(seed, shop)), done)
				})
			}
			t.Logf("%d orders were placed and %d changed, %d requests were refused, and %d numbers compared", done.placed, done.changed, done.refused, done.numbers)
		})
	}
}

func isLong() bool { return os.Getenv("SHOPAPI_ORDERS") == "long" }

// campaignSeed is the seed of the random shops, which it logs.
func campaignSeed(t *testing.T) uint64 {
	seed := uint64(26)
	if isLong() {
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv("SHOPAPI_ORDERS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("SHOPAPI_ORDERS_SEED=%d", seed)
	return seed
}

// editionAndDialect goes round through the editions and dialects.
func editionAndDialect(shop uint64) (shopapi.Edition, shopapi.Dialect) {
	return []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor}[shop%3],
		[]shopapi.Dialect{shopapi.DialectDocumented, shopapi.DialectLive}[shop/3%2]
}

// runShop fills a random shop with orders, changes them, and edits its rules meanwhile.
func runShop(t *testing.T, st store.Store, number uint64, r *rand.Rand, done *tally) {
	edition, dialect := editionAndDialect(number)
	s := newRandomShop(t, st, edition, dialect, r, done)
	setup := len(s.sent)
	for range 40 {
		s.sent = s.sent[:setup]
		placed := s.place()
		for _, o := range placed {
			for range r.IntN(5) {
				if r.IntN(3) == 0 {
					s.edit()
				}
				s.change(o)
			}
			if r.IntN(8) == 0 {
				s.putBack(o)
			}
		}
		if len(placed) > 1 {
			s.compareParent(placed)
		}
	}
	err := shopcheck.Check(t.Context(), st, func(v shopcheck.Violation) { t.Errorf("shopcheck: %v", v) })
	if err != nil {
		t.Error(err)
	}
}
