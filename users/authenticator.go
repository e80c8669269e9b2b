package users

import (
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
func NewAuthenticator(st store.Store) shopapi.Authenticator {
	return &authenticator{st}
}

type authenticator struct{ st store.Store }

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
	err = store.ShortView(ctx, a.st, func(_ context.Context, tx store.Tx) error {
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
