package carts

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// FirstGuest is the least id of a guest. Ids of users are below it.
const FirstGuest = 1 << 31

// lastGuest is the greatest id of a guest: floating-point numbers represent it exactly.
const lastGuest = 1<<53 - 1

// NewGuest returns a random id for a guest.
func NewGuest() int64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return FirstGuest + int64(binary.BigEndian.Uint64(b[:])%(lastGuest-FirstGuest+1))
}

// IsGuest reports whether a cart with the id is a guest's.
func IsGuest(id int64) bool { return id >= FirstGuest }

// An Owner is the customer of a cart. Empty fields keep their stored values.
type Owner struct {
	ID        int64  // of a user, or of a guest from FirstGuest on
	IPAddress string // of the customer

	// Contact data of a guest. A user's profile has it already.
	FirstName, LastName, Email, Phone string

	// CompanyID is the storefront of a guest's new cart; 0 is the default company.
	CompanyID int64
}

// check adds the problems of an owner's data.
func (o *Owner) check(problems *shopapi.Problems) {
	problems.Range("user_id", o.ID, 1, lastGuest)
	problems.Range("company_id", o.CompanyID, 0, lastGuest)
	problems.Bytes("firstname", o.FirstName, address.MaxText)
	problems.Bytes("lastname", o.LastName, address.MaxText)
	problems.Bytes("email", o.Email, address.MaxText)
	problems.Bytes("phone", o.Phone, address.MaxPhone)
	problems.Bytes("ip_address", o.IPAddress, 45) // the longest form of IPv6
}

// enter copies the data of an owner into a cart.
func (r *row) enter(o *Owner) {
	lay := func(field *string, text string) {
		if text != "" {
			*field = text
		}
	}
	lay(&r.IPAddress, o.IPAddress)
	lay(&r.Email, strings.TrimSpace(o.Email))
	lay(&r.Phone, o.Phone)
	first, last := value(r.FirstName), value(r.LastName)
	lay(&first, o.FirstName)
	lay(&last, o.LastName)
	r.rename(first, last)
}

// rename sets the owner's name.
func (r *row) rename(first, last string) {
	r.FirstName, r.LastName = pointer(first), pointer(last)
	r.Name = strings.TrimSpace(first + " " + last)
	r.SortName = strings.TrimSpace(last + " " + first)
}

// pointer returns nil for the empty text.
func pointer(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// owner returns the owner of a new cart with the data of the user's profile. It returns
// [shopapi.ErrNotFound] for a user who does not exist or whom the user of ctx may not
// see. Without an entity of users every id is accepted.
func (c *Carts) owner(ctx context.Context, o Owner) (Owner, error) {
	if IsGuest(o.ID) {
		return o, nil
	}
	user, err := c.api.Lookup(ctx, "users", shopapi.FormatID(o.ID))
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		return o, nil
	case err != nil:
		return o, err
	}
	field := func(name string) string { text, _ := shopapi.Field(user, name); return text }
	company, _ := shopapi.ParseID("company", field("company_id")) // 0 without one
	return Owner{
		ID: o.ID, IPAddress: o.IPAddress, CompanyID: company,
		FirstName: field("firstname"), LastName: field("lastname"), Email: field("email"), Phone: field("phone"),
	}, nil
}

// follow updates the copy of a user's name and address in the user's cart.
func (c *Carts) follow(_ context.Context, tx store.Tx, old, after *users.User) error {
	if old == nil || old.FirstName == after.FirstName && old.LastName == after.LastName && old.Email == after.Email && old.Phone == after.Phone {
		return nil
	}
	r, err := table.Get(tx, old.UserID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Email, r.Phone = after.Email, after.Phone
	r.rename(after.FirstName, after.LastName)
	return table.Update(tx, &r)
}
