package orders

import (
	"errors"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// tracked reports whether the stock of a new line's product is tracked.
func (l *newLine) tracked() bool { return l.product.Tracking != products.DoNotTrack }

// statusOf reads the status with a letter; one that is gone takes nothing.
func statusOf(tx store.Tx, letter string) (Status, error) {
	s, err := statusByLetter(tx, letter)
	if errors.Is(err, store.ErrNotFound) {
		return Status{Status: letter}, nil
	}
	return s, err
}
