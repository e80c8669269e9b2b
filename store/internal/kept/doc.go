// Package kept keeps what a database takes long to work out: how many rows meet
// some conditions, and which row comes at some place of an order. Each committed
// change puts it right, so that it is never counted again for as long as every
// change is known.
//
// A [Room] belongs to a store that numbers the states of each table: a greater
// number is a later state, and only an equal one is the same. Reads say which
// state they look at and get nothing that belongs to another one; commits say
// from which state to which they lead. Where the numbers do not fit together,
// because somebody else has changed the table, all that was kept of it is
// dropped. So nothing has to be told that something was missed.
//
// What a commit has to say is the rows before and after. They are only wanted
// where [Room.Wants] says so; a commit that changed rows unrecorded drops what
// came to be wanted meanwhile.
package kept
