package users

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/shopapi/shopapi/store"
)

// StoredLinks returns the stored one-time links as text.
func StoredLinks(ctx context.Context, t testing.TB, st store.Store) (rows []string) {
	t.Helper()
	err := st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err := links.Select(tx, store.Query{})
		for _, l := range list {
			rows = append(rows, fmt.Sprintf("%+v", l))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// HashCheaply makes password hashes cheap, for tests, and returns the number of hashes
// computed since.
func (u *Users) HashCheaply() (made *int) {
	made = new(int)
	u.hash = func(password string) (string, error) {
		*made++
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		return string(hash), err
	}
	return made
}

// HashBy replaces the hash of passwords.
func (u *Users) HashBy(hash func(password string) (string, error)) { u.hash = hash }

// Sorts returns the sort keys of users.
func Sorts() (keys []string) {
	for _, s := range sorts {
		keys = append(keys, s.Key)
	}
	return keys
}
