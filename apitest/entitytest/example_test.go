package entitytest_test

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest/entitytest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A Supplier is an object of the host, in its own table.
type Supplier struct {
	SupplierID int64  `json:"supplier_id,string" store:"key" bind:"-"`
	CompanyID  int64  `json:"company_id,string" store:"index"`
	Name       string `json:"supplier" store:"fold,index" rule:"required" hint:"the name of the supplier"`
	City       string `json:"city"`
	Days       int64  `json:"days,string" rule:"min=0,max=365"` // to deliver

	Least decimal.Decimal `json:"least_order" store:"scale=2"`
}

// suppliers are the host's entity.
func suppliers() resource.Definition[Supplier, Supplier] {
	return resource.Definition[Supplier, Supplier]{
		Name:       "suppliers",
		Object:     "supplier",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      store.MustTable[Supplier]("suppliers"),
		Sorts:      []resource.Sort{{Key: "name", Column: "supplier"}, {Key: "id", Column: "supplier_id"}, {Key: "days", Column: "days"}},
		Scope: resource.Scope[Supplier]{
			Company: func(s *Supplier) *int64 { return &s.CompanyID },
			Parents: resource.Companies[Supplier](),
		},
	}
}

// suppliersConfig describes the suppliers.
var suppliersConfig = entitytest.Config{
	Entity: "suppliers",
	New: func(ctx context.Context, st store.Store, o *shopapi.Options) (*shopapi.API, error) {
		api := shopapi.New(o)
		_, err := resource.Register(ctx, api, st, suppliers())
		return api, err
	},
	Sample: entitytest.Payloads(`{"city": "Oslo", "days": "14", "least_order": "7.50"}`, func(n int) string {
		return fmt.Sprintf(`{"supplier": "Supplier %d", "city": "Bergen", "days": %d, "least_order": "%d.25"}`, n%3, 1+n%4, n)
	}),
	Required:   []string{"supplier"},
	SortFields: map[string]string{"id": "supplier_id", "name": "supplier"},
	Except:     map[string]string{"Fields/Covered/company_id": "a single store has one company"},
}

// A host checks an entity of its own against the rules of the interface by one call in a
// test,
//
//	func TestSuppliers(t *testing.T) { entitytest.Run(t, suppliersConfig) }
//
// and uses it from Go code.
func Example() {
	ctx := context.Background()
	collection, err := resource.Register(ctx, shopapi.New(nil), memory.New(), suppliers())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = collection.Create(ctx, Supplier{Name: "Ådal clay", Days: 400})
	fmt.Println(err)
	// Output:
	// days must be a whole number from 0 to 365, not 400.
}
