package users

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Bounds of a key that a host sets, in bytes. Generated keys have 130 random bits.
const (
	minKey = 16
	maxKey = 255
)

// GenerateKey gives a user a new program's key and returns it: an API key that is made by
// the host's own code or shopctl. It replaces the program's key that the user has, keeps its
// id, and cannot be read again. The keys of [Users.AddKey] and of requests stay. GenerateKey
// returns a 404 or 403 [*shopapi.Error], or a 400 for a customer, because customers have no API
// access, and for an eleventh key.
func (u *Users) GenerateKey(ctx context.Context, id int64) (key string, err error) {
	key = rand.Text()
	if err := u.SetKey(ctx, id, key); err != nil {
		return "", err
	}
	return key, nil
}

// SetKey is [Users.GenerateKey] with an existing key, for instance from the shop's former
// system. The key must be random: it is stored with a fast hash. A key of fewer than 16
// bytes is a 400. Setting the key that the user has changes nothing.
func (u *Users) SetKey(ctx context.Context, id int64, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := u.rows.Update(ctx, id, func(r *row) error {
			if r.UserType == shopapi.Customer {
				return shopapi.Errorf(http.StatusBadRequest, "A customer has no API access, and so no API key.")
			}
			return r.setKey(tx, key, u.api.Now(ctx))
		})
		return err
	})
}

// setKey makes a key the program's key of a user.
func (r *row) setKey(tx store.Tx, key string, now time.Time) error {
	hash := hashKey(key)
	if r.KeyHash == hash {
		return nil
	}
	if r.KeyHash == "" {
		if err := roomForKey(tx, r); err != nil {
			return err
		}
	}
	r.KeyHash, r.KeyCreated = hash, now.Unix()
	return nil
}

// RevokeKey ends all API keys of a user. It returns a 404 or 403 [*shopapi.Error].
func (u *Users) RevokeKey(ctx context.Context, id int64) error {
	return u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		_, err := u.rows.Update(ctx, id, func(r *row) error {
			if err := u.endKeys(ctx, tx, r); err != nil {
				return err
			}
			r.KeyHash, r.KeyCreated = "", 0
			return nil
		})
		u.api.ReportAs(ctx, shopapi.Event{Entity: "users", ID: shopapi.FormatID(id), Operation: shopapi.OpUpdate})
		return err
	})
}

// HasKey reports whether a user has an API key. It returns a 404 or 403
// [*shopapi.Error].
func (u *Users) HasKey(ctx context.Context, id int64) (has bool, err error) {
	list, err := u.Keys(ctx, id)
	return len(list) > 0, err
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

// isHash compares a stored hash with the hash of a key. It takes as long where none is stored.
func isHash(stored, hash string) bool {
	none := stored == ""
	if none {
		stored = strings.Repeat("0", len(hash))
	}
	return subtle.ConstantTimeCompare([]byte(stored), []byte(hash)) == 1 && !none
}
