package store

// A ReaderAhead is a [Tx] of a remote database, which can send several reads in one round trip.
type ReaderAhead interface {
	Tx

	// ReadAhead is [ReadAhead] in the transaction.
	ReadAhead(reads []func())

	// ReadWithNext is [ReadWithNext] in the transaction.
	ReadWithNext(read func())
}

// ReadAhead runs functions that read what a View or Update is about to read, if tx is of a remote
// database. They take turns, and pause while they read: the next read of each function goes
// into the same round trip. Until the first change the transaction then finds the rows of Get and
// Select without another round trip, unless they take megabytes. Other stores do not call the
// functions, nor does a View that may read on replicas.
//
// A function must not change anything, and must not hold a lock while it reads. It need not
// return errors: the transaction meets them when it reads.
func ReadAhead(tx Tx, reads ...func()) {
	if r, ok := tx.(ReaderAhead); ok {
		r.ReadAhead(reads)
	}
}

// ReadWithNext has the first read of a function share the round trip of the next read of the
// Update, or of its first change, if tx is of a remote database; otherwise the function is not called.
// It reads what was there before the change. The rules of [ReadAhead] hold.
func ReadWithNext(tx Tx, read func()) {
	if r, ok := tx.(ReaderAhead); ok {
		r.ReadWithNext(read)
	}
}
