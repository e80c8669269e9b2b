package users

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"golang.org/x/crypto/bcrypt"
)

const (
	// maxPassword is what bcrypt takes, in bytes.
	maxPassword = 72

	// passwordCost makes a hash take some 50 ms, on one core of 2025.
	passwordCost = 10

	// nobodysHash is compared with where a user has no password, so that this
	// takes as long. It is the hash of a random text that nobody kept.
	nobodysHash = "$2a$10$BhUo7MSFQAjkWb5MP2CAneB0PDkPm6cwB7aObwUPnK90gYq59euGK"
)

// checkPassword notes a password that is too long to be stored.
func checkPassword(password string, problems *shopapi.Problems) {
	if len(password) > maxPassword {
		problems.Add("password", "must have at most %d bytes, not %d", maxPassword, len(password))
	}
}

// hashPassword returns what is stored of a password, "" of an empty one. What
// clients send is hashed as it comes, be it text or the MD5 of one. It is slow,
// and has no place inside a transaction.
func (u *Users) hashPassword(password string) (string, error) {
	if password == "" {
		return "", nil
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), u.passwordCost)
	return string(hash), err
}

// SetPassword replaces the password of a user. It returns a 404, 400 or 403
// [*shopapi.Error].
func (u *Users) SetPassword(ctx context.Context, id int64, password string) error {
	if password == "" {
		return shopapi.Invalid("password", "must not be empty")
	}
	return u.updateAll(ctx, id, password, func(*User) error { return nil })
}

// updateAll is [Users.Update] with a new password, which may be empty: then the
// old one stays.
func (u *Users) updateAll(ctx context.Context, id int64, password string, change func(*User) error) error {
	var problems shopapi.Problems
	checkPassword(password, &problems)
	if err := problems.Err(); err != nil {
		return err
	}
	hash, err := u.hashPassword(password)
	if err != nil {
		return err
	}
	return u.update(ctx, id, func(r *row) error {
		if hash != "" {
			r.PasswordHash = hash
		}
		return change(&r.User)
	})
}

// CheckPassword returns the active user with the e-mail address and password, for
// a host's own sign-in form: the API itself takes only API keys. Unknown address,
// wrong password, disabled user and user without a password are all
// [shopapi.ErrBadCredentials], in the same time.
func (u *Users) CheckPassword(ctx context.Context, email, password string) (User, error) {
	var found row
	err := u.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		found, err = byEmail(table, tx, email)
		return err
	})
	if err != nil {
		return User{}, err
	}
	hash := found.PasswordHash
	if hash == "" {
		hash = nobodysHash
	}
	wrong := bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) != nil ||
		len(password) > maxPassword || // bcrypt compares no more
		found.PasswordHash == ""
	if wrong || found.Status != Active {
		return User{}, shopapi.ErrBadCredentials
	}
	return found.User, nil
}
