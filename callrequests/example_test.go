package callrequests_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store/memory"
)

// A shop's contact form files a call request, and its administrators read the new ones,
// without HTTP.
func Example() {
	ctx := context.Background()
	api := shopapi.New(&shopapi.Options{
		Clock: func() time.Time { return time.Unix(1700000000, 0) },
	})
	requests, err := callrequests.Register(ctx, api, memory.New())
	if err != nil {
		log.Fatal(err)
	}

	// Without phone and e-mail address the error names the missing fields.
	_, err = requests.Create(ctx, callrequests.CallRequest{Name: "Ana"})
	var bad *shopapi.Error
	if errors.As(err, &bad) {
		fmt.Println(bad.Fields["phone"])
	}

	filed, err := requests.Create(ctx, callrequests.CallRequest{
		Name: "Ana", Phone: "+10000000001", TimeFrom: "10:00", TimeTo: "12:00",
		CartProducts: callrequests.CartText("2 clay mugs"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filed.RequestID, filed.Status, filed.Timestamp)

	list, total, err := requests.Find(ctx, callrequests.Filter{
		Status: callrequests.StatusNew, ListOptions: resource.ListOptions{Limit: 10},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range list {
		fmt.Printf("%s, %s, %s to %s: %s (%d in all)\n", r.Name, r.Phone, r.TimeFrom, r.TimeTo, r.CartProducts.Text(), total)
	}
	// Output:
	// is required, unless email is given
	// 1 new 1700000000
	// Ana, +10000000001, 10:00 to 12:00: 2 clay mugs (1 in all)
}
