package driver

import "github.com/shopapi/shopapi/store"

// Unwrap returns the Tx that the store itself made, from one that a function of
// View or Update was called with. Where others wrap it, they have a method
//
//	Unwrap() store.Tx
//
// What is read from the inner Tx is not recorded, so the [ReadSet] of a wrapper
// is marked untracked.
func Unwrap(tx store.Tx) store.Tx {
	for {
		w, ok := tx.(interface{ Unwrap() store.Tx })
		if !ok {
			return tx
		}
		tx = w.Unwrap()
	}
}

func (t *readSetTx) Unwrap() store.Tx {
	t.reads.MarkUntracked()
	return t.Tx
}
