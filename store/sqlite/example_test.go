package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

type page struct {
	PageID int64  `json:"page_id,string" store:"key"`
	Title  string `json:"title" store:"fold"`
}

var pages = store.MustTable[page]("pages")

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(dir, "shop.db"), nil)
	if err != nil {
		panic(err)
	}
	defer st.Close()
	if err := st.Migrate(ctx, pages.Schema()); err != nil {
		panic(err)
	}

	err = st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return pages.Insert(tx, &page{Title: "Über uns"})
	})
	if err != nil {
		panic(err)
	}
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err := pages.Select(tx, store.Query{Where: []store.Cond{store.Contains("title", "ÜBER")}})
		fmt.Println(list)
		return err
	})
	if err != nil {
		panic(err)
	}
	// Output: [{1 Über uns}]
}
