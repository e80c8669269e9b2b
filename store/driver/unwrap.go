package driver

import "github.com/shopapi/shopapi/store"

// Unwrap returns the store's own Tx from the Tx that a function of View or Update was
// called with. A wrapper has a method
//
//	Unwrap() store.Tx
//
// Reads of the inner Tx are not recorded, so Unwrap marks the [ReadSet] of a wrapper
// untracked.
func Unwrap(tx store.Tx) store.Tx {
	for {
		w, ok := tx.(interface{ Unwrap() store.Tx })
		if !ok {
			return tx
		}
		tx = w.Unwrap()
	}
}
