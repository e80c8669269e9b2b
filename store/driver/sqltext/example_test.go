package sqltext_test

import (
	"fmt"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// The text of a page, and the values bound to it.
func ExampleBuilder() {
	b := sqltext.Builder{Dialect: &sqltext.PostgreSQL}
	err := b.Query(shops, &store.Query{
		Where: []store.Cond{store.EqualFold("name", "Berlin")},
		Order: []store.Order{store.Desc("name")},
		Limit: 10,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(sqltext.PostgreSQL.Select(shops.All()) + string(b.Text))
	fmt.Println(b.Args[0].Value.Text(), b.Args[1].Value.Int())
	// Output:
	// SELECT "shop_id", "name" FROM "shops" WHERE "name_fold" = $1 ORDER BY "name_fold" DESC, "shop_id" DESC LIMIT $2
	// berlin 10
}
