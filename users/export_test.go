package users

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/shopapi/shopapi/store"
)

// StoredLinks returns the rows of one-time links as text.
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

// HashCheaply makes hashes of passwords cheap, since tests make many. It returns
// the number of hashes made from now on.
func (u *Users) HashCheaply() (made *int) {
	made = new(int)
	u.hash = func(password string) (string, error) {
		*made++
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		return string(hash), err
	}
	return made
}

// Sorts returns the sort keys of users.
func Sorts() (keys []string) {
	for _, s := range sorts {
		keys = append(keys, s.Key)
	}
	return keys
}
