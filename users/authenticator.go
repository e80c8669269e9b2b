package users

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// NewAuthenticator returns an Authenticator over the users in st. It needs their
// tables, which [Register] and [EnsureRoot] create, only once requests come.
//
// It reads one row, and for a user without root the groups that give privileges.
// Credentials that are too long to be anybody's are refused without a read.
//
// What may keep users with the right credentials out, such as the status of their
// vendor, is asked in the transaction that reads them.
func NewAuthenticator(st store.Store, may ...SignInFunc) shopapi.Authenticator {
	return &authenticator{st, may}
}

// A SignInFunc reports whether a user whose credentials are right may sign in. It
// depends on nothing but the user and rows that it reads in tx: users are cached until
// one of these tables changes.
type SignInFunc func(ctx context.Context, tx store.Tx, user *shopapi.User) (bool, error)

// RequireSignIn has passwords and one-time links sign in only users of whom all of may
// are true, as [NewAuthenticator] does for API keys. It is called before the first request
// is served.
func (u *Users) RequireSignIn(may ...SignInFunc) { u.may = append(u.may, may...) }

// maySignIn reports whether a user is active, and nothing that was required stands
// against signing in.
func (u *Users) maySignIn(ctx context.Context, tx store.Tx, r *row) (ok bool, err error) {
	ok = r.Status == Active
	for i := 0; ok && err == nil && i < len(u.may); i++ {
		ok, err = u.may[i](ctx, tx, &shopapi.User{ID: r.UserID, Email: r.Email, Type: r.UserType, Root: bool(r.IsRoot), CompanyID: r.CompanyID})
	}
	return ok, err
}

type authenticator struct {
	st  store.Store
	may []SignInFunc
}

var _ shopapi.UserCacher = (*authenticator)(nil)

// CacheUsers implements [shopapi.UserCacher]: users are read from the store alone.
func (a *authenticator) CacheUsers() bool { return true }

// An account is what is read of a user to authenticate.
type account struct {
	UserID    int64            `json:"user_id" store:"key"`
	Email     string           `json:"email" store:"fold"`
	UserType  shopapi.UserType `json:"user_type"`
	Status    string           `json:"status"`
	IsRoot    shopapi.Flag     `json:"is_root"`
	CompanyID int64            `json:"company_id"`
	Name      string           `json:"name" store:"fold"`
	KeyHash   string           `json:"api_key_hash"`
}

var accounts = store.Project[account](table)

func (a *authenticator) Authenticate(ctx context.Context, c shopapi.Credentials) (user *shopapi.User, err error) {
	if len(c.Key) > maxKey || len(strings.TrimSpace(c.Email)) > maxEmail {
		return nil, shopapi.ErrBadCredentials
	}
	err = store.ShortView(ctx, a.st, func(ctx context.Context, tx store.Tx) error {
		found, err := byEmail(accounts, tx, c.Email)
		if err != nil {
			return err
		}
		// Every refusal has done the same: one row sought, one key hashed.
		if !isKey(found.KeyHash, c.Key) || found.Status != Active || found.UserType == shopapi.Customer {
			return shopapi.ErrBadCredentials
		}
		user = &shopapi.User{
			ID: found.UserID, Name: found.Name, Email: found.Email, Type: found.UserType,
			Root: bool(found.IsRoot), CompanyID: found.CompanyID,
		}
		for _, may := range a.may {
			if ok, err := may(ctx, tx, user); err != nil || !ok {
				return cmp.Or(err, shopapi.ErrBadCredentials)
			}
		}
		if !user.Root {
			user.Privileges, err = activePrivileges(tx, user.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return user, nil
}

// byEmail reads the user with the e-mail address, without regard to case and
// surrounding space, and the zero T where there is none.
func byEmail[T any](r interface {
	First(store.Tx, store.Query) (T, error)
}, tx store.Tx, email string) (T, error) {
	found, err := r.First(tx, store.Query{Where: []store.Cond{store.EqualFold("email", strings.TrimSpace(email))}})
	if errors.Is(err, store.ErrNotFound) {
		return *new(T), nil
	}
	return found, err
}
