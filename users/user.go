package users

import (
	"cmp"
	"context"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a user as lists show it.
type Summary struct {
	UserID    int64        `json:"user_id,string" store:"key" bind:"-"`
	UserLogin string       `json:"user_login" store:"fold,search" rule:"len=255"` // if the e-mail address is not the login
	IsRoot    shopapi.Flag `json:"is_root" bind:"-"`                              // an administrator who may do everything
	Timestamp int64        `json:"timestamp,string" store:"index" bind:"-" rule:"time"`
	resource.Stamp
	UserType    shopapi.UserType `json:"user_type" rule:"required,oneof=A V C" hint:"A administrator, V vendor or C customer"`
	Status      string           `json:"status" rule:"oneof=A D H"` // A active, D disabled, H hidden
	FirstName   string           `json:"firstname" rule:"len=255"`
	LastName    string           `json:"lastname" rule:"len=255"`
	Email       string           `json:"email" store:"fold,search" rule:"required" hint:"the e-mail address that the user signs in with"` // unique, in either case
	Company     string           `json:"company" rule:"len=255"`                                                                          // the employer, free text
	CompanyID   int64            `json:"company_id,string" store:"index"`                                                                 // 0 for root, and for administrators of all storefronts
	CompanyName *string          `json:"company_name" store:"-" bind:"-"`                                                                 // name of the storefront or vendor, read only
	Phone       string           `json:"phone" rule:"bytes=64"`
	Billing     address.Address  `json:"billing" prefix:"b_"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A User is an administrator, a vendor's user or a customer, as GET of one user returns
// it.
type User struct {
	Summary
	Profile
}

// CustomerFields returns the custom fields of the user, also the custom fields of the
// addresses ([shopapi.Options.CustomerFields]).
func (u User) CustomerFields() shopapi.Custom { return u.Custom }

// A Profile has the fields of a user that lists leave out.
type Profile struct {
	Fax       string          `json:"fax" rule:"bytes=64"`
	URL       string          `json:"url" rule:"bytes=255"`
	TaxExempt shopapi.Flag    `json:"tax_exempt"`           // no tax is added to the user's orders
	LangCode  string          `json:"lang_code"`            // two letters; "" is the shop's language
	Birthday  string          `json:"birthday"`             // 2006-01-02, or seconds since 1970; stored as sent
	Shipping  address.Address `json:"shipping" prefix:"s_"` // for goods
}

// A row is a user with the columns that no response contains.
type row struct {
	User
	Password     string `json:"password" store:"-" rule:"bytes=72"`  // as sent; not stored
	Name         string `json:"-" store:"name=name,fold,search"`     // first and last, for searching
	SortName     string `json:"-" store:"name=sort_name,fold,index"` // last and first
	PasswordHash string `json:"-" store:"name=password_hash" log:"password"`
	KeyHash      string `json:"-" store:"name=api_key_hash"`    // of the program's key
	KeyCreated   int64  `json:"-" store:"name=api_key_created"` // seconds since 1970, 0 where it is not known

	everywhere bool // the request asks for all storefronts
}

var (
	table     = store.MustTable[row]("users", store.Index{Columns: []string{"email"}, Unique: true})
	summaries = store.Project[Summary](table)
	people    = store.Project[User](table)
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema {
	return []*store.Schema{table.Schema(), groups.Schema(), memberships.Schema(), links.Schema(), keys.Schema(), uses.Schema()}
}

// The statuses of a user and of a group. Only active users sign in, and only active
// groups give privileges.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// setDefaults sets the defaults of fields at their zero value.
func (u *Users) setDefaults(ctx context.Context, r *row) {
	r.Status = cmp.Or(r.Status, Active)
	r.Timestamp = cmp.Or(r.Timestamp, u.api.Now(ctx).Unix())
}

// normalize sets the columns that follow from other fields.
func (r *row) normalize() {
	r.Email = strings.TrimSpace(r.Email)
	r.Name = strings.TrimSpace(r.FirstName + " " + r.LastName)
	r.SortName = strings.TrimSpace(r.LastName + " " + r.FirstName)
	r.CompanyName = nil
	r.Billing = r.Billing.Normalize()
	r.Shipping = r.Shipping.Normalize()
	if r.UserType != shopapi.Administrator {
		r.IsRoot = false
	}
	if r.IsRoot {
		r.CompanyID = 0
	}
}

// validate checks the form of texts that have one.
func (u *User) validate(problems *shopapi.Problems) {
	address.CheckEmail(problems, "email", u.Email)
	u.validateProfile(problems)
}

var userTypes = []string{string(shopapi.Administrator), string(shopapi.Vendor), string(shopapi.Customer)}
