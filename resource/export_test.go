package resource

import (
	"context"
	"math"
	"strconv"

	"github.com/shopapi/shopapi/store"
)

// InsertReplays gives a user as many live keys as there may be, but left.
func InsertReplays(ctx context.Context, st store.Store, userID, left int64) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		for i := range maxReplays - left {
			r := replay{UserID: userID, Key: strconv.FormatInt(i, 10), ObjectID: "1", Expires: math.MaxInt64}
			if err := replays.Insert(tx, &r); err != nil {
				return err
			}
		}
		return nil
	})
}

// InsertSecret adds the key of the HMACs of Idempotency-Keys.
func InsertSecret(ctx context.Context, st store.Store) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return secrets.Insert(tx, &secret{Name: hmacSecret, Secret: "x"})
	})
}

// MaxReplays is how many live keys a user may have.
const MaxReplays = maxReplays
