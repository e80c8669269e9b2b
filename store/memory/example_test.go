package memory_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

type Review struct {
	ReviewID int64  `json:"review_id,string" store:"key"`
	Message  string `json:"message" store:"fold"`
}

var reviews = store.MustTable[Review]("reviews")

func Example() {
	ctx := context.Background()
	st := memory.New()
	if err := st.Migrate(ctx, reviews.Schema()); err != nil {
		fmt.Println(err)
		return
	}

	err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return reviews.Insert(tx, &Review{Message: "Good TEA"})
	})
	fmt.Println("inserted:", err)

	err = st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if _, err := reviews.Delete(tx); err != nil {
			return err
		}
		return errors.New("changed my mind")
	})
	fmt.Println("not deleted:", err)

	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err := reviews.Select(tx, store.Query{Where: []store.Cond{store.Contains("message", "tea")}})
		fmt.Println(list)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// inserted: <nil>
	// not deleted: changed my mind
	// [{1 Good TEA}]
}
