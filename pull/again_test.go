package pull_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/pulltest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/store/memory"
)

// A second run on an unchanged shop writes nothing, and one on a changed shop just that.
func TestE8_Repeatable(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	st := memory.New()
	sh := newShop(t, st)
	run(t, sh, from(url))
	if again := run(t, sh, from(url)); again.Written != 0 || len(again.Problems) > 0 {
		t.Fatalf("the second run wrote %d objects, problems %+v", again.Written, again.Problems)
	}
	source := newShop(t, old)
	rename(t, source.Products, 1, "Large mug")
	if again := run(t, sh, from(url)); again.Written != 1 {
		t.Errorf("the run after a change wrote %d objects, want 1", again.Written)
	}
	if got, err := sh.Products.Get(t.Context(), 1); err != nil || got.Name != "Large mug" {
		t.Errorf("the product is %q, %v", got.Name, err)
	}
}

func rename(t *testing.T, p *products.Products, id int64, name string) {
	t.Helper()
	_, err := p.Update(t.Context(), id, func(v *products.Product) error {
		v.Name = name
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Local changes stay, and are reported if the object also changed in the old shop, unless
// Overwrite is set.
func TestE8_ChangedHereAndThere(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	sh, source := newShop(t, memory.New()), newShop(t, old)
	run(t, sh, from(url))

	rename(t, sh.Products, 1, "Ours")
	if again := run(t, sh, from(url)); again.Written != 0 || len(again.Problems) > 0 {
		t.Errorf("changed here alone: %d written, problems %+v", again.Written, again.Problems)
	}
	rename(t, source.Products, 1, "Theirs")
	again := run(t, sh, from(url))
	if again.Written != 0 || len(again.Problems) != 1 || again.Problems[0].Entity != "products" || again.Problems[0].ID != "1" {
		t.Errorf("changed on both sides: %d written, problems %+v", again.Written, again.Problems)
	}
	o := from(url)
	o.Overwrite = true
	if again := run(t, sh, o); again.Written != 1 || len(again.Problems) > 0 {
		t.Errorf("with Overwrite: %d written, problems %+v", again.Written, again.Problems)
	}
	if got, _ := sh.Products.Get(t.Context(), 1); got.Name != "Theirs" {
		t.Errorf("with Overwrite the product is %q", got.Name)
	}
}

// A local change of the stock is not a change of the product.
func TestE8_StockIsNotAChange(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	sh, source := newShop(t, memory.New()), newShop(t, old)
	run(t, sh, from(url))
	_, err := sh.Products.Update(t.Context(), 1, func(v *products.Product) error {
		v.Amount += 5
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rename(t, source.Products, 1, "Theirs")
	if again := run(t, sh, from(url)); again.Written != 1 || len(again.Problems) > 0 {
		t.Errorf("%d written, problems %+v", again.Written, again.Problems)
	}
}

// A run that ends at any moment goes on when it is started again, and ends with the same.
func TestE8_Resumable(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	st := memory.New()
	sh := newShop(t, st)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		o := from(url)
		left := random.IntN(40)
		o.Progress = func(pull.Progress) {
			if left--; left < 0 {
				cancel()
			}
		}
		_, err := pull.Run(ctx, sh, o)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	run(t, sh, from(url))
	if diff := pulltest.Diff(tables(t, old), tables(t, st)); diff != "" {
		t.Errorf("tables (-old +new):\n%s", diff)
	}
}

// A second concurrent pull is refused, and so is any pull after Finish.
func TestE8_OneAtATimeAndNoneAfterTheEnd(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	first := true
	url := serve(t, oldShop(t), shopapi.DialectDocumented, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if first && strings.HasSuffix(r.URL.Path, "/taxes") {
				first = false
				close(inside)
				<-leave
			}
			next.ServeHTTP(w, r)
		})
	})
	sh := newShop(t, memory.New())
	ended := make(chan error, 1)
	go func() {
		_, err := pull.Run(t.Context(), sh, from(url))
		ended <- err
	}()
	<-inside
	if _, err := pull.Run(t.Context(), sh, from(url)); !errors.Is(err, pull.ErrRunning) {
		t.Errorf("a second run: %v", err)
	}
	close(leave)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := pull.Finish(t.Context(), sh.Store); err != nil {
		t.Fatal(err)
	}
	if _, err := pull.Run(t.Context(), sh, from(url)); !errors.Is(err, pull.ErrFinished) {
		t.Errorf("a run after the end: %v", err)
	}
}

// A dry run reads and reports, and writes nothing.
func TestE8_DryRun(t *testing.T) {
	t.Parallel()
	url := serve(t, oldShop(t), shopapi.DialectDocumented)
	st := memory.New()
	sh := newShop(t, st)
	before := tables(t, st)
	o := from(url)
	o.DryRun = true
	report := run(t, sh, o)
	if report.Counts["orders"].There == 0 || report.Counts["orders"].There != report.Counts["orders"].Here || report.Written != 0 {
		t.Errorf("orders %+v, %d written", report.Counts["orders"], report.Written)
	}
	if diff := gocmp.Diff(before, tables(t, st)); diff != "" {
		t.Errorf("tables (-before +after):\n%s", diff)
	}
}

// Objects deleted in the old shop are only deleted with Delete, and only if unchanged
// locally.
func TestE8_Delete(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	sh, source := newShop(t, memory.New()), newShop(t, old)
	run(t, sh, from(url))
	exists := func() bool {
		_, err := sh.CallRequests.Get(t.Context(), 1)
		return err == nil
	}
	if err := source.CallRequests.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if run(t, sh, from(url)); !exists() {
		t.Error("without Delete the call request was removed")
	}
	o := from(url)
	o.Delete = true
	if report := run(t, sh, o); exists() || report.Written != 1 || len(report.Problems) > 0 {
		t.Errorf("with Delete: it exists %v, %d written, problems %+v", exists(), report.Written, report.Problems)
	}
}

// Every object without local changes can be deleted: it is compared with the pulled rows.
func TestE8_DeleteComparesPulledRows(t *testing.T) {
	t.Parallel()
	old := oldShop(t)
	url := serve(t, old, shopapi.DialectDocumented)
	st := memory.New()
	sh := newShop(t, st)
	run(t, sh, from(url))
	gone := serve(t, old, shopapi.DialectDocumented, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rest := strings.TrimPrefix(r.URL.Path, "/api/2.0/")
			entity, id, one := strings.Cut(rest, "/")
			switch {
			case entity == "languages" || entity == "statuses" || entity == "settings" || entity == "vendors":
			case one && id != "":
				http.Error(w, `{"message":"gone"}`, http.StatusNotFound)
				return
			default:
				w.Write([]byte(`[]`))
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	moveSource(t, st, gone)
	o := from(gone)
	o.Delete, o.DeleteAll = true, true
	report := run(t, sh, o)
	for _, p := range report.Problems {
		t.Errorf("problem %+v", p)
	}
	for table, rows := range tables(t, st) {
		switch table {
		case "products", "orders", "categories", "features", "product_options", "users", "pages", "carts", "discussions", "shippings", "taxes",
			"products_texts", "product_option_variants", "product_feature_variants", "products_categories", "product_variation_groups":
			if len(rows) > 0 {
				t.Errorf("%s has %d rows: %s", table, len(rows), rows)
			}
		}
	}
}
