package docs_test

import (
	"context"
	"crypto/md5"
	"crypto/subtle"
	"encoding/hex"
	"testing"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

func TestMoving_LegacyPasswords(t *testing.T) {
	sh, err := shop.New(t.Context(), memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	user, err := sh.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: "ana@example.org", UserType: "C", CompanyID: 1}}, "")
	if err != nil {
		t.Fatal(err)
	}
	setHash(t, sh, user.UserID, users.LegacyPrefix+"7c6a180b36896a0a8c02787eeafb0e4c")

	sh.Users.LegacyPassword(func(password, hash string) bool {
		sum := md5.Sum([]byte(password))
		return subtle.ConstantTimeCompare([]byte(hash), []byte(hex.EncodeToString(sum[:]))) == 1
	})

	if _, err := sh.Users.CheckPassword(t.Context(), "ana@example.org", "password1"); err != nil {
		t.Error(err)
	}
}

// setHash gives a user a hash of the former shop, as package pull does.
func setHash(t *testing.T, sh *shop.Shop, id int64, hash string) {
	t.Helper()
	s := users.Schemas()[0]
	err := sh.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		row := make([]store.Value, len(s.Columns))
		if err := tx.Get(s.All(), id, row); err != nil {
			return err
		}
		row[s.Index("password_hash")] = store.String(hash)
		return tx.Update(s, row)
	})
	if err != nil {
		t.Fatal(err)
	}
}
