package users

import (
	"context"
	"runtime"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/fair"
	"github.com/shopapi/shopapi/store"
	"golang.org/x/crypto/bcrypt"
)

const (
	minPassword = 8  // bytes (decisions §23)
	maxPassword = 72 // bytes; bcrypt takes no more

	// passwordCost makes a hash take about 50 ms on one core of 2025.
	passwordCost = 10

	// nobodysHash is compared with if a user has no password, so that the check takes as
	// long. It is the hash of a random text that nobody knows.
	nobodysHash = "$2a$10$BhUo7MSFQAjkWb5MP2CAneB0PDkPm6cwB7aObwUPnK90gYq59euGK"
)

// checkPassword adds a problem if a password is too short. The empty password is
// allowed.
func checkPassword(password string, problems *shopapi.Problems) {
	if n := len(password); n > 0 && n < minPassword {
		problems.Add("password", "must have at least %d bytes, not %d", minPassword, n)
	}
}

func bcryptHash(password string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), passwordCost)
	return string(hash), err
}

// hashPassword returns the hash of a password that is stored, "" for an empty or invalid
// one. What a client sends is hashed unchanged, be it a text or the MD5 of a text.
// hashPassword is slow: call it outside transactions, and only after checking that the
// user of ctx may change this user.
// Half of the processors hash at most, for each user in turn, so that other requests go on.
func (u *Users) hashPassword(ctx context.Context, password string) (string, error) {
	if len(password) < minPassword || len(password) > maxPassword {
		return "", nil
	}
	client := budget.From(ctx).Client()
	if err := u.hashing.Acquire(ctx, client, 1); err != nil {
		return "", err
	}
	defer u.hashing.Release(client, 1)
	return u.hash(password)
}

func newHashing() *fair.Semaphore {
	slots := int64(max(1, runtime.GOMAXPROCS(0)/2))
	return fair.New(slots, slots)
}

// prepare hashes the password of a request, unless the request will be refused.
func (u *Users) prepare(ctx context.Context, r *shopapi.Request, before *row) (func(*row) error, error) {
	if before == nil {
		before = &row{}
	}
	after := *before
	if r.Bind(&after) != nil || after.Password == "" {
		return nil, nil
	}
	if err := mayBecome(ctx, &before.User, &after.User); err != nil {
		return nil, err
	}
	hash, err := u.hashPassword(ctx, after.Password)
	return func(v *row) error {
		v.PasswordHash = hash
		return nil
	}, err
}

// SetPassword replaces the password of a user. It returns a 404, 400 or 403
// [*shopapi.Error].
func (u *Users) SetPassword(ctx context.Context, id int64, password string) error {
	if password == "" {
		return shopapi.Invalid("password", "must not be empty")
	}
	if _, err := u.rows.Changeable(ctx, id); err != nil {
		return err
	}
	hash, err := u.hashPassword(ctx, password)
	if err != nil {
		return err
	}
	_, err = u.rows.Update(ctx, id, func(r *row) error {
		r.Password, r.PasswordHash = password, hash
		return nil
	})
	return err
}

// CheckPassword returns the active user with the e-mail address and password, for a
// host's own sign-in form: the API itself accepts only API keys. Unknown address, wrong
// password, disabled user and user without a password all return
// [shopapi.ErrBadCredentials], after the same time.
func (u *Users) CheckPassword(ctx context.Context, email, password string) (User, error) {
	if len(strings.TrimSpace(email)) > address.MaxEmail {
		email = "" // nobody's
	}
	var found row
	var may bool
	err := store.ShortView(ctx, u.st, func(ctx context.Context, tx store.Tx) (err error) {
		if found, err = byEmail(table, tx, email); err == nil {
			may, err = u.maySignIn(ctx, tx, &found)
		}
		return err
	})
	if err != nil {
		return User{}, err
	}
	hash := found.PasswordHash
	if hash == "" || strings.HasPrefix(hash, LegacyPrefix) {
		hash = nobodysHash
	}
	legacy := u.checkLegacy(password, found.PasswordHash)
	wrong := bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) != nil ||
		len(password) > maxPassword || // bcrypt compares only so many bytes
		found.PasswordHash == ""
	if wrong && !legacy || !may {
		return User{}, shopapi.ErrBadCredentials
	}
	if legacy {
		return found.User, u.replaceLegacy(ctx, &found, password)
	}
	return found.User, nil
}
