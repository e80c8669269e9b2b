package discussions_test

import (
	"context"
	"fmt"
	"log"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/store/memory"
)

// A shop's own pages file a review and show the approved ones, without HTTP.
func Example() {
	ctx := context.Background()
	reviews, err := discussions.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		log.Fatal(err)
	}
	for _, review := range []discussions.Post{
		{Name: "Ana", Message: "Holds heat well", RatingValue: 5, Timestamp: 1700000000},
		{Name: "Bo", Message: "The lid drips", RatingValue: 4, Timestamp: 1700000100, IPAddress: "192.0.2.10"},
		{Name: "Cem", Message: "Buy my watches", Status: discussions.Disapproved},
	} {
		review.ObjectType, review.ObjectID = discussions.Product, 41
		if _, err := reviews.Create(ctx, review); err != nil {
			log.Fatal(err)
		}
	}

	shown, err := reviews.Approved(ctx, discussions.Product, 41, 10, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d reviews, on average %.1f\n", shown.Total, shown.Average())
	for _, review := range shown.Posts {
		fmt.Printf("%s: %s (%s of 5)\n", review.Name, review.Message, review.RatingValue)
	}
	// Output:
	// 2 reviews, on average 4.5
	// Bo: The lid drips (4 of 5)
	// Ana: Holds heat well (5 of 5)
}
