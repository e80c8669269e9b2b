package users

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"unicode"

	"github.com/shopapi/shopapi"
)

// Bounds of a key that a host sets, in bytes. Generated keys have 130 random bits.
const (
	minKey = 16
	maxKey = 255
)

// GenerateKey gives a user a new API key and returns it. The previous key becomes
// invalid. The new one cannot be read again. GenerateKey returns a 404 or 403
// [*shopapi.Error], or a 400 for a customer, because customers have no API access.
//
// No request generates keys: a host calls GenerateKey from a page of its own or a
// command.
func (u *Users) GenerateKey(ctx context.Context, id int64) (key string, err error) {
	key = rand.Text()
	if err := u.SetKey(ctx, id, key); err != nil {
		return "", err
	}
	return key, nil
}

// SetKey gives a user an existing API key, for instance from the shop's former system.
// The key must be random: it is stored with a fast hash. SetKey returns a 404, 400 or
// 403 [*shopapi.Error]; a key of fewer than 16 bytes is a 400.
func (u *Users) SetKey(ctx context.Context, id int64, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	_, err := u.rows.Update(ctx, id, func(r *row) error {
		if r.UserType == shopapi.Customer {
			return shopapi.Errorf(http.StatusBadRequest, "A customer has no API access, and so no API key.")
		}
		r.KeyHash = hashKey(key)
		return nil
	})
	return err
}

// RevokeKey ends the API access of a user until the user gets a new key. It returns a
// 404 or 403 [*shopapi.Error].
func (u *Users) RevokeKey(ctx context.Context, id int64) error {
	_, err := u.rows.Update(ctx, id, func(r *row) error {
		r.KeyHash = ""
		return nil
	})
	return err
}

// HasKey reports whether a user has an API key. It returns a 404 or 403
// [*shopapi.Error].
func (u *Users) HasKey(ctx context.Context, id int64) (bool, error) {
	r, err := u.rows.Changeable(ctx, id)
	return r.KeyHash != "", err
}

// checkKey returns a 400 for a key that is too short, or that no client can send.
func checkKey(key string) error {
	if len(key) < minKey || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}) {
		return shopapi.Errorf(http.StatusBadRequest, "An API key must be %d to %d bytes of printable text.", minKey, maxKey)
	}
	return nil
}

// hashKey returns the hash of a key that is stored.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// isKey reports whether hash is the hash of key. It takes as long without a hash.
func isKey(hash, key string) bool {
	none := hash == ""
	if none {
		hash = strings.Repeat("0", hex.EncodedLen(sha256.Size))
	}
	return subtle.ConstantTimeCompare([]byte(hash), []byte(hashKey(key))) == 1 && !none
}
