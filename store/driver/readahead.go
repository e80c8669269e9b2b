package driver

import "github.com/shopapi/shopapi/store"

var _ store.ReaderAhead = (*aheadTx)(nil)

// An aheadTx adds reading ahead to a [readSetTx] or [meterTx] over the Tx of a remote database.
type aheadTx struct {
	store.Tx
	own   store.ReaderAhead
	reads *readSetTx
}

// Unwrap returns the wrapped Tx.
func (t *aheadTx) Unwrap() store.Tx { return t.Tx }

// ReadAhead implements [store.ReaderAhead]. What the functions read is not recorded: the result
// depends on it only if the View reads it too.
func (t *aheadTx) ReadAhead(reads []func()) {
	t.reads.paused = true
	defer func() { t.reads.paused = false }()
	t.own.ReadAhead(reads)
}

// ReadWithNext implements [store.ReaderAhead]: it is for Updates.
func (t *aheadTx) ReadWithNext(func()) {}
