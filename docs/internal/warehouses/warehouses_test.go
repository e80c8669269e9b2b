package warehouses_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest/entitytest"
	"github.com/shopapi/shopapi/docs/internal/warehouses"
	"github.com/shopapi/shopapi/store"
)

func TestWarehouses(t *testing.T) {
	entitytest.Run(t, entitytest.Config{
		Entity: "warehouses",
		New: func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
			api := shopapi.New(o)
			_, err := warehouses.Register(ctx, api, st)
			return api, err
		},
		Sample: entitytest.Payloads(`{"warehouse": "North", "status": "D"}`, func(n int) string {
			return fmt.Sprintf(`{"warehouse": "Warehouse %d", "position": %d}`, n, 10*n)
		}),
		Required:   []string{"warehouse"},
		SortFields: map[string]string{"id": "warehouse_id"},
		Except:     map[string]string{"Fields/Covered/company_id": "there is one company"},
	})
}
