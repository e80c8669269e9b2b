package shopapi

import "context"

// A UserType tells administrators, sellers and customers apart (§3).
type UserType string

// The types of users.
const (
	Administrator UserType = "A"
	Vendor        UserType = "V"
	Customer      UserType = "C"
)

// A User is who a request is made by, as an [Authenticator] knows him. It is
// shared between requests and does not change.
//
// A nil *User is the host's own Go code: it may do everything.
type User struct {
	ID         int64
	Name       string
	Email      string
	Type       UserType
	Root       bool // may do everything
	CompanyID  int64
	Privileges map[string]bool // those of the user's groups
}

// Can reports whether the user has the privilege.
func (u *User) Can(privilege string) bool {
	return u == nil || u.Root || u.Privileges[privilege]
}

// Seller returns the company that the user is confined to, if he is a seller
// (§11): he sees and touches only its rows.
func (u *User) Seller() (company int64, confined bool) {
	if u == nil || u.Type != Vendor {
		return 0, false
	}
	return u.CompanyID, true
}

type userKey struct{}

// WithUser returns a context in which Go calls are made on behalf of u. The API
// does this for every request.
func WithUser(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserFrom returns the user that ctx acts for, nil for the host itself.
func UserFrom(ctx context.Context) *User {
	u, _ := ctx.Value(userKey{}).(*User)
	return u
}
