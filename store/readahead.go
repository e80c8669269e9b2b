package store

// A ReaderAhead is a [Tx] of a remote database, which can send several reads in one round trip.
type ReaderAhead interface {
	Tx

	// ReadAhead is [ReadAhead] in the transaction.
	ReadAhead(reads []func())
}

// ReadAhead runs functions that read what an Update is about to read, if tx is of a remote
// database. They take turns, and pause while they read: the next read of each function goes
// into the same round trip. Until its first change the Update then finds the rows of Get and Select
// without another round trip, unless they take megabytes. Other stores do not call the functions.
//
// A function must not change anything, and must not hold a lock while it reads. It need not
// return errors: the Update meets them when it reads.
func ReadAhead(tx Tx, reads ...func()) {
	if r, ok := tx.(ReaderAhead); ok {
		r.ReadAhead(reads)
	}
}
