package users

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// LegacyPrefix marks the password hashes that a former shop made. Package pull stores them.
const LegacyPrefix = "legacy:"

// LegacyPassword sets the function that checks a password against a hash of the former
// shop. At the first sign-in with the right password the library's own hash replaces it.
// Without the function, users with such a hash cannot sign in with a password. Call
// LegacyPassword before the first request.
func (u *Users) LegacyPassword(check func(password, hash string) bool) { u.legacy = check }

// checkLegacy reports whether a password is right for a hash of the former shop.
func (u *Users) checkLegacy(password, stored string) bool {
	hash, ok := strings.CutPrefix(stored, LegacyPrefix)
	return ok && hash != "" && u.legacy != nil && u.legacy(password, hash)
}

// replaceLegacy stores the library's own hash in place of the former shop's. A password
// that the library does not take keeps the old hash.
func (u *Users) replaceLegacy(ctx context.Context, found *row, password string) error {
	if !strings.HasPrefix(found.PasswordHash, LegacyPrefix) || len(password) > maxPassword {
		return nil
	}
	hash, err := u.hash(password)
	if err != nil {
		return err
	}
	return u.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		now, err := table.Get(tx, found.UserID)
		if err != nil || now.PasswordHash != found.PasswordHash {
			return err
		}
		now.PasswordHash = hash
		return table.Update(tx, &now)
	})
}
