package driver

import "github.com/shopapi/shopapi/store"

var _ store.ReaderAhead = (*aheadTx)(nil)

// An aheadTx adds reading ahead to a [sessionTx] over the Tx of a remote database.
type aheadTx struct {
	*sessionTx
	own store.ReaderAhead
}

// ReadAhead implements [store.ReaderAhead]. What the functions read is not recorded: the result
// depends on it only if the View reads it too.
func (t *aheadTx) ReadAhead(reads []func()) {
	t.paused = true
	defer func() { t.paused = false }()
	t.own.ReadAhead(reads)
}

// ReadWithNext implements [store.ReaderAhead]: it is for Updates.
func (t *aheadTx) ReadWithNext(func()) {}
