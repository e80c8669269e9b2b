package webhooks_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest/entitytest"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// TestWebhooks runs the conformance suite of entities on webhooks.
func TestWebhooks(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
		Entity: "webhooks",
		Stores: map[string]func(testing.TB) store.Store{"memory": func(testing.TB) store.Store { return memory.New() }},
		New: func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
			options := *o
			options.UserByID = func(context.Context, int64) (*shopapi.User, error) { return nil, shopapi.ErrNotFound }
			s, err := shop.New(ctx, st, &shop.Options{Options: options, Webhooks: webhooks.Options{On: true}})
			if err != nil {
				return nil, err
			}
			// This process sends nothing: a transaction of the sender would take the failures
			// that the suite means for its requests.
			return s.API, s.Webhooks.Hold(ctx, "another process", time.Now().Add(time.Hour))
		},
		Sample: entitytest.Payloads(`{"url": "https://b.example.com/", "events": ["users.created"], "status": "D", "description": "Changed"}`,
			func(n int) string {
				return fmt.Sprintf(`{"url": "https://a.example.com/%d", "events": ["orders.*"], "description": "Webhook %d"}`, n, n)
			}),
		Required:   []string{"url", "events"},
		SortFields: map[string]string{"id": "webhook_id"},
		Except: map[string]string{
			"Payloads/IdempotencyKey":   "the answer to a repeated POST has no secret (E5)",
			"Fields/Covered/company_id": "a single store has one company",
			"Events/NoneForRefusals":    "who may view webhooks may manage them",
		},
	})
}
