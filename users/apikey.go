package users

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

const (
	// MaxKeys is how many API keys a user has at most (extensions E12).
	MaxKeys = 10

	maxNote = 255 // characters
)

// A Key is an API key of a user. The key itself cannot be read.
type Key struct {
	KeyID    string `json:"key_id"`
	Note     string `json:"note"`             // what the key is for
	Created  int64  `json:"created,string"`   // seconds since 1970, 0 where it is not known
	LastUsed int64  `json:"last_used,string"` // the start of the day (UTC) in seconds since 1970, 0 for never
	MadeBy   string `json:"made_by"`          // the key whose request made this one, "0" for none
}

// A keyRow is the row of a key that [Users.AddKey] or a request made. The program's key of
// a user, which [Users.GenerateKey] replaces, is in the row of the user.
type keyRow struct {
	KeyID   int64  `json:"key_id" store:"key"`
	UserID  int64  `json:"user_id" store:"index"`
	KeyHash string `json:"key_hash"`
	Note    string `json:"note"`
	Created int64  `json:"created"`
	MadeBy  string `json:"made_by" store:"index"` // "" for none
}

var keys = store.MustTable[keyRow]("api_keys")

// id is the id of the key on the wire.
func (k *keyRow) id() string { return shopapi.FormatID(k.KeyID) }

// programPrefix begins the id of a program's key. The id of the user follows.
const programPrefix = "p"

func programKey(user int64) string { return programPrefix + shopapi.FormatID(user) }

// AddKey gives a user a further API key and returns its id and the key, which cannot
// be read again. It returns a 404 or 403 [*shopapi.Error], or a 400 for a user without API
// access, an eleventh key and a note of more than 255 characters.
func (u *Users) AddKey(ctx context.Context, id int64, note string) (keyID, key string, err error) {
	err = u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		r, err := u.rows.Changeable(ctx, id)
		if err != nil {
			return err
		}
		if err := mayChange(ctx, tx, &r.User); err != nil {
			return err
		}
		k := keyRow{UserID: id, Note: note}
		key, err = u.insertKey(ctx, tx, &r, &k)
		keyID = k.id()
		return err
	})
	if err != nil {
		return "", "", err
	}
	return keyID, key, nil
}

// Keys returns the API keys of a user, the program's key first. It returns a 404 or 403
// [*shopapi.Error].
func (u *Users) Keys(ctx context.Context, id int64) (list []Key, err error) {
	err = u.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		r, err := u.rows.Changeable(ctx, id)
		if err == nil {
			list, err = keysOf(tx, &r)
		}
		return err
	})
	return list, err
}

// HasProgramKey reports whether a user has the key that [Users.GenerateKey] and
// [Users.SetKey] replace. It returns a 404 or 403 [*shopapi.Error].
func (u *Users) HasProgramKey(ctx context.Context, id int64) (bool, error) {
	r, err := u.rows.Changeable(ctx, id)
	return r.KeyHash != "", err
}

// OnKeyEnd adds a function that runs in the transaction in which a key ends. by is the id of
// the key that replaces it, "" where none does. Call OnKeyEnd before the first request.
func (u *Users) OnKeyEnd(fn func(ctx context.Context, tx store.Tx, keyID, by string) error) {
	u.keyEnds = append(u.keyEnds, fn)
}

// insertKey makes a key for the user of the row r, and stores its hash in k.
func (u *Users) insertKey(ctx context.Context, tx store.Tx, r *row, k *keyRow) (key string, err error) {
	var problems shopapi.Problems
	problems.Length("note", k.Note, maxNote)
	if err := problems.Err(); err != nil {
		return "", err
	}
	if may, err := u.maySignIn(ctx, tx, r); err != nil {
		return "", err
	} else if !may || r.UserType == shopapi.Customer {
		return "", shopapi.Errorf(http.StatusBadRequest, "The user has no API access, and so no API keys.")
	}
	if err := roomForKey(tx, r); err != nil {
		return "", err
	}
	key = rand.Text()
	k.KeyHash, k.Created = hashKey(key), u.api.Now(ctx).Unix()
	return key, keys.Insert(tx, k)
}

// roomForKey returns a 400 for a user who has [MaxKeys] keys.
func roomForKey(tx store.Tx, r *row) error {
	n, err := keys.Count(tx, userIs(r.UserID))
	if r.KeyHash != "" {
		n++
	}
	if err == nil && n >= MaxKeys {
		return shopapi.Errorf(http.StatusBadRequest, "The user has %d API keys, which is the limit. Revoke one first.", n)
	}
	return err
}

func userIs(id int64) store.Cond { return store.Equal("user_id", store.Int(id)) }

// keysOf returns the keys of a user.
func keysOf(tx store.Tx, r *row) ([]Key, error) {
	list := []Key{}
	if r.KeyHash != "" {
		list = append(list, Key{KeyID: programKey(r.UserID), Created: r.KeyCreated, MadeBy: "0"})
	}
	rows, err := keys.Select(tx, store.Query{Where: []store.Cond{userIs(r.UserID)}, Order: []store.Order{store.Asc("key_id")}})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		k := Key{KeyID: rows[i].id(), Note: rows[i].Note, Created: rows[i].Created, MadeBy: rows[i].MadeBy}
		if k.MadeBy == "" {
			k.MadeBy = "0"
		}
		list = append(list, k)
	}
	for i := range list {
		if list[i].LastUsed, err = lastUsed(tx, list[i].KeyID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// hasKey reports whether a user has any key.
func hasKey(tx store.Tx, r *row) (bool, error) {
	if r.KeyHash != "" {
		return true, nil
	}
	n, err := keys.Count(tx, userIs(r.UserID))
	return n > 0, err
}

// findKey finds a key by its id. user is 0 where there is no such key.
func findKey(tx store.Tx, id string) (user int64, k keyRow, err error) {
	if text, ok := strings.CutPrefix(id, programPrefix); ok {
		n, errOfID := strconv.ParseInt(text, 10, 64)
		if errOfID != nil || programKey(n) != id {
			return 0, k, nil
		}
		r, err := table.First(tx, store.Query{Where: []store.Cond{userIs(n)}})
		if err != nil || r.KeyHash == "" {
			return 0, k, noRow(err)
		}
		return n, k, nil
	}
	n, errOfID := shopapi.ParseID("key", id)
	if errOfID != nil {
		return 0, k, nil
	}
	k, err = keys.Get(tx, n)
	return k.UserID, k, noRow(err)
}

// madeWith returns the ids of the keys that were made with a key, over all generations.
// Unless user is 0, it returns only keys of that user, also keys that were made with keys of
// other users.
func madeWith(tx store.Tx, id string, user int64) (list []string, err error) {
	seen := []string{id}
	for i := 0; i < len(seen); i++ {
		rows, err := keys.Select(tx, store.Query{Where: []store.Cond{store.Equal("made_by", store.String(seen[i]))}})
		if err != nil {
			return nil, err
		}
		for j := range rows {
			made := rows[j].id()
			if slices.Contains(seen, made) {
				continue
			}
			seen = append(seen, made)
			if user == 0 || rows[j].UserID == user {
				list = append(list, made)
			}
		}
	}
	return list, nil
}

// endKey ends one key.
func (u *Users) endKey(ctx context.Context, tx store.Tx, id string) error {
	user, k, err := findKey(tx, id)
	if err != nil || user == 0 {
		return err
	}
	if err := u.unstoreKey(ctx, tx, user, &k); err != nil {
		return err
	}
	return u.keyEnded(ctx, tx, id, "")
}

// unstoreKey removes a key of a user: that of a row, or the program's key without one. The
// event reports an update of the user, so that no cache keeps the key.
func (u *Users) unstoreKey(ctx context.Context, tx store.Tx, user int64, k *keyRow) error {
	if k.KeyID != 0 {
		u.api.ReportAs(ctx, shopapi.Event{Entity: "users", ID: shopapi.FormatID(user), Operation: shopapi.OpUpdate})
		return keys.DeleteKey(tx, k.KeyID)
	}
	_, err := u.rows.Update(ctx, user, func(r *row) error {
		r.KeyHash, r.KeyCreated = "", 0
		return nil
	})
	return err
}

// keyEnded forgets when a key was used, and runs the functions of [Users.OnKeyEnd].
func (u *Users) keyEnded(ctx context.Context, tx store.Tx, id, by string) error {
	if _, err := uses.Delete(tx, store.Equal("key", store.String(id))); err != nil {
		return err
	}
	for _, ended := range u.keyEnds {
		if err := ended(ctx, tx, id, by); err != nil {
			return err
		}
	}
	return nil
}

// endKeys ends all keys of a user. The caller removes the program's key from the row.
func (u *Users) endKeys(ctx context.Context, tx store.Tx, r *row) error {
	list, err := keysOf(tx, r)
	if err != nil {
		return err
	}
	if _, err := keys.Delete(tx, userIs(r.UserID)); err != nil {
		return err
	}
	for i := range list {
		if err := u.keyEnded(ctx, tx, list[i].KeyID, ""); err != nil {
			return err
		}
	}
	return nil
}
