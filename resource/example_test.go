package resource_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A Supplier is an object of the host's own.
type Supplier struct {
	SupplierID int64  `json:"supplier_id,string" store:"key" bind:"-"`
	Name       string `json:"supplier" store:"fold,index"`
	City       string `json:"city"`
}

// A SupplierFilter has the parameters of lists.
type SupplierFilter struct {
	resource.ListOptions
	Name string `json:"supplier" match:"contains"` // part of it
	City string `json:"city" match:"equal"`
}

// A host declares an entity over a table of its own. It works like the library's
// entities: filters, sorting, pages, privileges, events, ETag and caching.
func Example() {
	ctx, st := context.Background(), memory.New()
	api := shopapi.New(&shopapi.Options{
		Identify: func(*http.Request) (*shopapi.User, error) {
			return &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}, nil
		},
	})
	suppliers, err := resource.Register(ctx, api, st, resource.Definition[Supplier, Supplier]{
		Name:       "suppliers",
		Object:     "supplier",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      store.MustTable[Supplier]("suppliers"),
		Filter:     func() resource.Filter { return new(SupplierFilter) },
		Sorts:      []resource.Sort{{Key: "name", Column: "supplier"}, {Key: "id", Column: "supplier_id"}},
		Rules: resource.Rules[Supplier]{
			Check: func(_ context.Context, _ store.Tx, _, s *Supplier, problems *shopapi.Problems) error {
				problems.Required("supplier", s.Name, "the name of the supplier")
				return nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := suppliers.Create(ctx, Supplier{Name: "Ådal clay", City: "Oslo"}); err != nil {
		log.Fatal(err)
	}
	for _, request := range []*http.Request{
		httptest.NewRequest("POST", "/api/2.0/suppliers", strings.NewReader("supplier=Glaze+%26+Co&city=Bergen")),
		httptest.NewRequest("GET", "/api/2.0/suppliers?supplier=GLAZE", nil),
		httptest.NewRequest("PUT", "/api/2.0/suppliers/1", strings.NewReader("supplier=")),
	} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, request)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 201 {"supplier_id":"2"}
	// 200 {"suppliers":[{"supplier_id":"2","supplier":"Glaze & Co","city":"Bergen"}],"params":{"items_per_page":"10","page":1,"sort_order":"asc","sort_by":"name","sort_order_rev":"desc","total_items":"1"}}
	// 400 {"message":"supplier is required: the name of the supplier.","status":400,"errors":{"supplier":"is required: the name of the supplier"}}
}
