package store

// A TurnTaker is a [Tx] of a store that runs Updates concurrently.
type TurnTaker interface {
	Tx

	// TakeTurns is [TakeTurns] in the transaction.
	TakeTurns(s *Schema, keys []int64) error
}

// UpdatesConcurrently reports whether the store of a transaction runs Updates concurrently. Updates that
// change the same row then wait for each other, and Updates that only add rows do not.
func UpdatesConcurrently(tx Tx) bool {
	_, is := tx.(TurnTaker)
	return is
}

// TakeTurns says that an Update is going to change rows that many others change too, such as
// the stock of a product. Updates of this process that name the same row then run one after
// another; otherwise they would meet, and run again. Call it once, before the Update reads anything:
// later, it does not wait. It returns the error of the transaction's context.
//
// A store that runs one Update at a time does nothing.
func TakeTurns(tx Tx, s *Schema, keys ...int64) error {
	if t, ok := tx.(TurnTaker); ok {
		return t.TakeTurns(s, keys)
	}
	return nil
}

// A TogetherTaker is a [TurnTaker] that may commit several Updates in one transaction.
type TogetherTaker interface {
	TurnTaker

	// TakeTurnsTogether is [TakeTurnsTogether] in the transaction.
	TakeTurnsTogether(s *Schema, keys []int64) error
}

// TakeTurnsTogether is [TakeTurns] for an Update that many clients wait for, such as a new order.
// A remote database may carry out the Updates that wait at the same time one after another in one
// transaction. The rules of [ReadAhead] hold for what they read before their first change, and the Update must
// hold no lock while it calls this function or ReadAhead.
func TakeTurnsTogether(tx Tx, s *Schema, keys ...int64) error {
	if t, ok := tx.(TogetherTaker); ok {
		return t.TakeTurnsTogether(s, keys)
	}
	return TakeTurns(tx, s, keys...)
}
