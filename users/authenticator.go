package users

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/store"
)

// NewAuthenticator returns an Authenticator for the users in st. The tables, which
// [Register] and [EnsureRoot] create, may be missing until the first request.
//
// It reads the user, the keys that requests made where the key is not the program's, and for
// a user without root the groups that grant privileges.
// Credentials longer than any stored ones are refused without a read.
//
// The functions may run in the transaction that reads the user. They can refuse correct
// credentials, for instance because of the status of the user's vendor.
func NewAuthenticator(st store.Store, may ...SignInFunc) shopapi.Authenticator {
	return &authenticator{st, may}
}

// A SignInFunc reports whether a user with correct credentials may sign in. Its result
// must depend only on the user and on rows that it reads in tx: users are cached until
// one of these tables changes.
type SignInFunc func(ctx context.Context, tx store.Tx, user *shopapi.User) (bool, error)

// RequireSignIn adds conditions for signing in by password and by one-time link:
// [NewAuthenticator] takes the same functions for API keys. Call it before the first
// request is served.
func (u *Users) RequireSignIn(may ...SignInFunc) { u.may = append(u.may, may...) }

// maySignIn reports whether a user is active and meets every condition of
// [Users.RequireSignIn].
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

// An account is the columns that authentication reads.
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
	if len(c.Key) > maxKey || len(strings.TrimSpace(c.Email)) > address.MaxEmail {
		return nil, shopapi.ErrBadCredentials
	}
	err = store.ShortView(ctx, a.st, func(ctx context.Context, tx store.Tx) error {
		found, err := byEmail(accounts, tx, c.Email)
		if err != nil {
			return err
		}
		// Every refusal takes the same work: one user and their keys read, one key hashed.
		key, err := keyOf(tx, &found, c.Key)
		if err != nil {
			return err
		}
		if key == "" || found.Status != Active || found.UserType == shopapi.Customer {
			return shopapi.ErrBadCredentials
		}
		user, err = a.signedIn(ctx, tx, &found)
		if user != nil {
			user.KeyID = key
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return user, nil
}

// signedIn returns the user of an active account with the privileges of now, or
// [shopapi.ErrBadCredentials] where a condition is not met.
func (a *authenticator) signedIn(ctx context.Context, tx store.Tx, found *account) (user *shopapi.User, err error) {
	user = &shopapi.User{
		ID: found.UserID, Name: found.Name, Email: found.Email, Type: found.UserType,
		Root: bool(found.IsRoot), CompanyID: found.CompanyID,
	}
	for _, may := range a.may {
		if ok, err := may(ctx, tx, user); err != nil || !ok {
			return nil, cmp.Or(err, shopapi.ErrBadCredentials)
		}
	}
	if !user.Root {
		user.Privileges, err = activePrivileges(tx, user.ID)
	}
	return user, err
}

// NewUserByID returns a [shopapi.Options.UserByID] for the users in st. The functions have
// the meaning that they have in [NewAuthenticator].
func NewUserByID(st store.Store, may ...SignInFunc) func(context.Context, int64) (*shopapi.User, error) {
	a := &authenticator{st, may}
	return func(ctx context.Context, id int64) (user *shopapi.User, err error) {
		err = store.ShortView(ctx, st, func(ctx context.Context, tx store.Tx) error {
			found, err := accounts.Get(tx, id)
			switch {
			case err != nil:
				return cmp.Or(noRow(err), error(shopapi.ErrNotFound))
			case found.Status != Active || found.UserType == shopapi.Customer:
				return shopapi.ErrNotFound
			}
			user, err = a.signedIn(ctx, tx, &found)
			if errors.Is(err, shopapi.ErrBadCredentials) {
				return shopapi.ErrNotFound
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		return user, nil
	}
}

// A keyHash is the columns of a key that authentication reads.
type keyHash struct {
	KeyID   int64  `json:"key_id" store:"key"`
	UserID  int64  `json:"user_id"`
	KeyHash string `json:"key_hash"`
}

var keyHashes = store.Project[keyHash](keys)

// keyOf returns the id of a key of an account, "" where it is none of them. The account may be
// zero.
func keyOf(tx store.Tx, found *account, key string) (id string, err error) {
	hash := hashKey(key)
	if isHash(found.KeyHash, hash) {
		return programKey(found.UserID), nil
	}
	list, err := keyHashes.Select(tx, store.Query{Where: []store.Cond{userIs(found.UserID)}})
	for i := range list {
		if isHash(list[i].KeyHash, hash) {
			id = shopapi.FormatID(list[i].KeyID)
		}
	}
	return id, err
}

// byEmail returns the user with the e-mail address, without regard to case and
// surrounding space, or the zero T.
func byEmail[T any](r interface {
	First(store.Tx, store.Query) (T, error)
}, tx store.Tx, email string) (T, error) {
	found, err := r.First(tx, store.Query{Where: []store.Cond{store.EqualFold("email", strings.TrimSpace(email))}})
	if errors.Is(err, store.ErrNotFound) {
		return *new(T), nil
	}
	return found, err
}
