package pages_test

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/store/memory"
)

// A storefront shows its menu.
func Example() {
	ctx, st := context.Background(), memory.New()
	defer st.Close()
	all, err := pages.Register(ctx, shopapi.New(nil), st)
	if err != nil {
		panic(err)
	}
	about, err := all.Create(ctx, pages.Page{Name: "About us", Type: pages.Text})
	if err != nil {
		panic(err)
	}
	if _, err := all.Create(ctx, pages.Page{Name: "Our kiln", Type: pages.Text, ParentID: about.PageID}); err != nil {
		panic(err)
	}
	menu, _, err := all.Find(ctx, pages.Filter{Tree: pages.Nested, Status: pages.Active})
	if err != nil {
		panic(err)
	}
	for _, top := range menu {
		fmt.Println(top.Name)
		for _, below := range top.Subpages {
			fmt.Println("-", below.Name)
		}
	}
	// Output:
	// About us
	// - Our kiln
}
