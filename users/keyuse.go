package users

import (
	"context"
	"errors"
	"time"

	"github.com/shopapi/shopapi/store"
)

// A keyUse is the day on which a key was used last. It has a table of its own, which no
// cached response depends on.
type keyUse struct {
	UseID int64  `json:"use_id" store:"key"`
	Key   string `json:"key"`
	Day   int64  `json:"day"` // its start (UTC) in seconds since 1970
}

var uses = store.MustTable[keyUse]("api_key_uses", store.Index{Columns: []string{"key"}, Unique: true})

// lastUsed is the day on which a key was used last, 0 for none.
func lastUsed(tx store.Tx, id string) (int64, error) {
	use, err := uses.First(tx, store.Query{Where: []store.Cond{store.Equal("key", store.String(id))}})
	return use.Day, noRow(err)
}

// useTime is how long storing the day of a key's use may take.
const useTime = time.Second

// keyUsed stores the day on which a key was used.
func (u *Users) keyUsed(ctx context.Context, id string, day time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, useTime)
	defer cancel()
	return u.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if user, _, err := findKey(tx, id); err != nil || user == 0 {
			return err
		}
		use, err := uses.First(tx, store.Query{Where: []store.Cond{store.Equal("key", store.String(id))}})
		switch {
		case noRow(err) != nil:
			return err
		case err != nil:
			return uses.Insert(tx, &keyUse{Key: id, Day: day.Unix()})
		case use.Day >= day.Unix():
			return nil
		}
		use.Day = day.Unix()
		return uses.Update(tx, &use)
	})
}

// noRow is nil in place of the error of a row that does not exist.
func noRow(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
