// Package data creates the rows that every peer serves: always the same ones, for any
// number.
package data

import (
	"fmt"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/resource"
)

// Credentials that every peer except PocketBase, which has tokens, checks.
const (
	Email = "bench@example.com"
	Key   = "bench-key-0123456789abcdef"
)

// Company is the company of all objects.
const Company = 1

// The numbers of customers and of pages, which only the library has.
const (
	Users = 1000
	Pages = 1000
)

// epoch is the time of the oldest review, in seconds since 1970.
const epoch = 1735689600

// perProduct is the mean number of reviews of a product.
const perProduct = 2000

// MaxRows is the maximum number of reviews with unique times, so that every peer lists
// them in the same order.
const MaxRows = 1_000_002

// roots is the number of top categories.
const roots = 100

// Products returns the number of products of the reviews.
func Products(rows int) int { return max(5, rows/perProduct) }

// mix returns a number that depends only on i and salt and looks random.
func mix(i, salt int) uint64 {
	z := uint64(i)*0x9e3779b97f4a7c15 + uint64(salt)*0xd1b54a32d192ed03
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func pick[T any](i, salt int, from []T) T { return from[mix(i, salt)%uint64(len(from))] }

// Review returns review i, from 1, of a shop with rows reviews.
func Review(i, rows int) discussions.Post {
	product := int64(1 + mix(i, 1)%uint64(Products(rows)))
	return discussions.Post{
		PostID:      int64(i),
		ThreadID:    product,
		Name:        pick(i, 2, names),
		Timestamp:   epoch + int64(i)*611_953%(MaxRows+1)*30, // MaxRows+1 is prime
		UserID:      int64(mix(i, 3) % 5000),
		IPAddress:   fmt.Sprintf("198.51.100.%d", mix(i, 4)%256),
		Status:      pick(i, 5, []string{discussions.Approved, discussions.Disapproved}),
		Message:     Message(i),
		RatingValue: discussions.Rating(1 + mix(i, 6)%5),
		ObjectID:    product,
		ObjectType:  discussions.Product,
		Type:        discussions.CommentsAndRatings,
		CompanyID:   Company,
		Stamp:       resource.Stamp{UpdatedAt: epoch + int64(i)},
	}
}

// Message returns a text of one or two sentences.
func Message(i int) string {
	text := pick(i, 7, praises)
	if mix(i, 8)%2 == 0 {
		text += " " + pick(i, 9, praises)
	}
	return text
}

// Thread returns the thread of a product.
func Thread(product int64) discussions.Thread {
	return discussions.Thread{
		ThreadID: product, ObjectType: discussions.Product, ObjectID: product,
		Type: discussions.CommentsAndRatings, CompanyID: Company,
	}
}

// Category returns category i, from 1: the first are at the top, the others below one of
// them.
func Category(i int) categories.Category {
	noun := pick(i, 10, nouns)
	c := categories.Category{
		Summary: categories.Summary{
			CategoryID: int64(i),
			IDPath:     fmt.Sprint(i),
			Name:       fmt.Sprintf("%s %d", noun, i),
			Position:   int64(10 * i),
			Status:     pick(i, 11, []string{"A", "A", "A", "D", "H"}),
			CompanyID:  Company,
			Stamp:      resource.Stamp{UpdatedAt: epoch + int64(i)},
		},
		UsergroupIDs:       "0",
		Timestamp:          epoch + int64(i)*60,
		AgeVerification:    shopapi.Flag(i%7 == 0),
		AgeLimit:           int64(i % 7),
		SelectedViews:      shopapi.JSON("[]"),
		DefaultView:        "default",
		ProductDetailsView: "default",
		ProductColumns:     int64(1 + i%4),
		LangCode:           "en",
		Description:        "<p>" + noun + " from our kilns, " + strings.ToLower(pick(i, 12, praises)) + "</p>",
		MetaKeywords:       strings.ToLower(noun) + ", pottery",
		MetaDescription:    noun + " to use every day",
		PageTitle:          noun,
		TreeOrder:          fmt.Sprintf("%020d", i),
	}
	if i > roots {
		c.ParentID = int64(1 + i%roots)
		c.IDPath = fmt.Sprintf("%d/%d", c.ParentID, i)
	}
	return c
}

var (
	names = []string{
		"Ana", "Bruno", "Chen", "Dilara", "Emil", "Fatou", "Greta", "Hugo", "Ines", "Jonas", "Katya", "Luis",
		"Mei", "Nils", "Olga", "Pedro", "Quentin", "Rosa", "Samir", "Tuva", "Uma", "Viktor", "Wanda", "Yusuf",
	}
	nouns   = []string{"Mugs", "Tea bowls", "Plates", "Platters", "Salad bowls", "Carafes", "Teapots", "Jars", "Trays", "Vases"}
	praises = []string{
		"Holds heat well.", "Arrived safely packed.", "The glaze is deeper than in the picture.",
		"Smaller than I thought, but lovely.", "A little heavy for every day.", "We use it each morning.",
		"The handle fits two fingers.", "One of four had a hairline crack and was replaced.",
		"Looks good beside the old ones.", "Would buy it again.", "The rim is thin and pleasant.",
		"Took three weeks to arrive.", "Dishwasher did it no harm.",
	}
)
