package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type Page struct {
	PageID   int64  `json:"page_id,string" store:"key"`
	ParentID int64  `json:"parent_id,string" store:"index"`
	Name     string `json:"page" store:"fold"`
}

var pages = store.MustTable[Page]("pages", store.Index{Columns: []string{"parent_id", "page"}, Unique: true})

func Example() {
	ctx := context.Background()
	st := memory.New()
	defer st.Close()
	if err := st.Migrate(ctx, pages.Schema()); err != nil {
		fmt.Println(err)
	}

	err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		for _, name := range []string{"Home", "About us", "Imprint"} {
			if err := pages.Insert(tx, &Page{Name: name}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}

	err = st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		list, total, err := pages.Page(tx, store.Query{
			Where: []store.Cond{store.Contains("page", "M")},
			Order: []store.Order{store.Desc("page")},
			Limit: 1,
		})
		fmt.Println(list, total)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [{3 0 Imprint}] 2
}

func ExampleProject() {
	type name struct {
		Name string `json:"page"`
	}
	names := store.Project[name](pages)

	ctx := context.Background()
	st := memory.New()
	st.Migrate(ctx, pages.Schema())
	st.Update(ctx, func(_ context.Context, tx store.Tx) error { return pages.Insert(tx, &Page{Name: "Home"}) })
	st.View(ctx, func(_ context.Context, tx store.Tx) error {
		page, err := names.Get(tx, 1)
		fmt.Println(page.Name)
		return err
	})
	// Output: Home
}

func ExampleConflictError() {
	ctx := context.Background()
	st := memory.New()
	st.Migrate(ctx, pages.Schema())
	err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return errors.Join(pages.Insert(tx, &Page{Name: "Home"}), pages.Insert(tx, &Page{Name: "HOME"}))
	})
	var conflict *store.ConflictError
	if errors.As(err, &conflict) {
		fmt.Println(conflict.Table, conflict.Columns)
	}
	// Output: pages [parent_id page]
}

func ExampleAfterCommit() {
	ctx := context.Background()
	st := memory.New()
	st.Migrate(ctx, pages.Schema())
	st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		store.AfterCommit(ctx, func() { fmt.Println("committed") })
		fmt.Println("inserting")
		return pages.Insert(tx, &Page{Name: "Home"})
	})
	// Output:
	// inserting
	// committed
}

// An older version of the program wrote the names of pages with a prefix.
func ExampleUpgrade() {
	withoutPrefix := store.Conversion{
		Name:   "pages: names without prefix",
		Tables: []*store.Schema{pages.Schema()},
		Convert: func(_ context.Context, tx store.Tx) error {
			return pages.Batches(tx, 500, nil, func(rows []Page) error {
				for _, page := range rows {
					page.Name = strings.TrimPrefix(page.Name, "Page: ")
					if err := pages.Update(tx, &page); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}

	ctx := context.Background()
	st := memory.New()
	st.Migrate(ctx, pages.Schema())
	st.Update(ctx, func(_ context.Context, tx store.Tx) error { return pages.Insert(tx, &Page{Name: "Page: Home"}) })
	for range 2 { // the second does nothing
		if err := store.Upgrade(ctx, st, withoutPrefix); err != nil {
			fmt.Println(err)
		}
	}
	st.View(ctx, func(_ context.Context, tx store.Tx) error {
		page, err := pages.Get(tx, 1)
		fmt.Println(page.Name)
		return err
	})
	// Output: Home
}
