package main

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/users"
)

const (
	reviewsPerPart      = 125
	callRequestsPerPart = 10
)

// addPeople creates an administrator with few privileges, a vendor and customers.
func (f *filler) addPeople(ctx context.Context) error {
	clerks, err := f.shop.Users.Groups().Create(ctx, users.Group{Type: shopapi.Administrator, Status: users.Active, Name: "Order desk"})
	if err != nil {
		return err
	}
	privileges := []string{"view_catalog", "view_call_requests", "manage_call_requests", "view_discussions"}
	if err := f.shop.Users.Groups().SetPrivileges(ctx, clerks.UsergroupID, privileges...); err != nil {
		return err
	}
	for _, p := range []users.Summary{
		{Email: "desk@example.com", UserType: shopapi.Administrator, FirstName: "Order", LastName: "Desk"},
		{Email: "vendor@example.com", UserType: shopapi.Vendor, FirstName: "Kiln", LastName: "Vendor", CompanyID: 2},
		{Email: "customer@example.com", UserType: shopapi.Customer, FirstName: "Regular", LastName: "Customer"},
	} {
		if p.UserType == shopapi.Vendor && f.shop.Edition() != shopapi.SingleStore { // addTenants creates them
			continue
		}
		created, err := f.shop.Users.Create(ctx, users.User{Summary: p}, "")
		if err != nil {
			return err
		}
		if p.UserType != shopapi.Customer {
			if err := f.shop.Users.SetMembership(ctx, created.UserID, clerks.UsergroupID, users.Member); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *filler) addReviews(ctx context.Context) error {
	for n := range reviewsPerPart {
		i := f.part*reviewsPerPart + n
		post := discussions.Post{
			ObjectType:  discussions.Product,
			ObjectID:    f.offer[f.random.IntN(len(f.offer))].ProductID,
			Name:        f.pick(people),
			Message:     f.pick(praises),
			RatingValue: discussions.Rating(1 + f.random.IntN(5)),
			Timestamp:   f.ago(),
		}
		switch {
		case i%50 == 0:
			post.ObjectType, post.ObjectID = discussions.HomePage, 0
		case i%25 == 0:
			post.ObjectType, post.ObjectID = discussions.Category, f.leaves[f.random.IntN(len(f.leaves))].id
		}
		if i%2 == 1 {
			post.Status = discussions.Disapproved
		}
		if _, err := f.shop.Discussions.Create(ctx, post); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) addCallRequests(ctx context.Context) error {
	statuses := []string{callrequests.StatusNew, callrequests.StatusInProgress, callrequests.StatusCompleted, callrequests.StatusNoAnswer}
	for n := range callRequestsPerPart {
		i := f.part*callRequestsPerPart + n
		notes := f.pick(wishes)
		request := callrequests.CallRequest{
			Name:      f.pick(people),
			Phone:     fmt.Sprintf("+1000000%04d", f.random.IntN(10_000)),
			Status:    statuses[i%len(statuses)],
			TimeFrom:  fmt.Sprintf("%02d:00", 9+i%6),
			TimeTo:    fmt.Sprintf("%02d:00", 12+i%6),
			Timestamp: f.ago(),
			CompanyID: f.company,
		}
		if notes != "" {
			request.Notes = &notes
		}
		if i%2 == 0 {
			request.ProductID = f.offer[f.random.IntN(len(f.offer))].ProductID
		}
		if _, err := f.shop.CallRequests.Create(ctx, request); err != nil {
			return err
		}
	}
	return nil
}
