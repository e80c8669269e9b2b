package shop_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// A slowDisk is a store whose commits wait.
type slowDisk struct {
	store.Store
	begin  func(ctx context.Context)       // before a transaction; nil for nothing
	commit func(ctx context.Context) error // nil: they do not
}

type slowDiskKey struct{}

// Update implements [store.Store].
func (s *slowDisk) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if ctx.Value(slowDiskKey{}) != nil || s.commit == nil {
		return s.Store.Update(ctx, fn)
	}
	if s.begin != nil {
		s.begin(ctx)
	}
	return s.Store.Update(context.WithValue(ctx, slowDiskKey{}, true), func(ctx context.Context, tx store.Tx) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return s.commit(ctx)
	})
}

// Unwrap returns the store below, for driver.AtEnd.
func (s *slowDisk) Unwrap() store.Store { return s.Store }

// E6: an atomic batch, or array, whose commit does not end in time is undone, and the writer is
// free for others then.
func TestE6_BatchTimeOnASlowDisk(t *testing.T) {
	t.Parallel()
	disk := &slowDisk{Store: shoptest.Memory(t)}
	s := openBatch(t, disk, shopapi.Options{Limits: shopapi.Limits{BatchTime: 20 * time.Millisecond}}, "A")
	disk.commit = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Second):
			return nil
		}
	}
	want(t, s.Post(batchAddress, `{"requests": [{"method": "PUT", "url": "products/1", "body": {"amount": 7}}]}`), 413, "20ms")
	want(t, s.Put(matchAddress+"&atomic=Y", `[{"product_code": "A", "amount": 7}]`), 413, "20ms")
	disk.commit = nil
	if got := s.Get("/api/2.0/products/1").Field("amount"); got != "1" {
		t.Errorf("the amount is %s", got)
	}
	want(t, s.Put("/api/2.0/products/1", `{"amount": 3}`), 200, "")
}

// E6: an array lets the change of another user pass between two of its transactions, however
// long a commit takes.
func TestE6_OthersPassOnASlowDisk(t *testing.T) {
	t.Parallel()
	disk := &slowDisk{Store: shoptest.Memory(t)}
	s := openBatch(t, disk, shopapi.Options{}, "A", "B", "C", "D")
	other := s.User("manage_catalog", "view_catalog")
	s.Products.BeforeSave(func(context.Context, store.Tx, *products.Product, *products.Product) error {
		time.Sleep(60 * time.Millisecond) // ends the transaction of an array after each row
		return nil
	})
	var commits []string // by user
	var answer *apitest.Answer
	var done sync.WaitGroup
	waiting := make(chan struct{})
	disk.begin = func(ctx context.Context) {
		if shopapi.UserFrom(ctx).Email == other.Email {
			close(waiting)
		}
	}
	disk.commit = func(ctx context.Context) error {
		if len(commits) == 0 {
			done.Go(func() { answer = other.Put("/api/2.0/categories/1", `{"category": "Plates"}`) })
			<-waiting
		}
		commits = append(commits, shopapi.UserFrom(ctx).Email)
		return nil
	}
	want(t, s.Put(matchAddress, `[{"product_code": "A", "amount": 7}, {"product_code": "B", "amount": 7}, {"product_code": "C", "amount": 7}, {"product_code": "D", "amount": 7}]`), 200, `"updated":4`)
	done.Wait()
	want(t, answer, 200, "")
	if at := slices.Index(commits, other.Email); len(commits) != 5 || at < 1 || at > 3 {
		t.Errorf("the commits are of %s", commits)
	}
}
