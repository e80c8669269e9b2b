package store

// ReaderAhead is implemented by a [Tx] whose reads take a round trip each.
type ReaderAhead interface {
	Tx

	// ReadAhead is [ReadAhead] in the transaction.
	ReadAhead(reads []func())
}

// ReadAhead runs functions that read what an Update is about to read, if tx is of a remote
// database. Each round trip answers one read of all functions together, and the Update finds
// the rows at hand until its first change. Other stores do not call the functions.
//
// The functions may not change anything. Errors need no attention: the read itself returns them.
func ReadAhead(tx Tx, reads ...func()) {
	if r, ok := tx.(ReaderAhead); ok {
		r.ReadAhead(reads)
	}
}
