// Package changes keeps a log of every change of the shop: a row for each object that a
// transaction changed, written in that transaction, so that a reader of the log misses
// nothing. A mirror gets the position of the log ([Log.Position]), reads the shop, and
// then follows ([Log.Follow]).
//
//	for change, err := range log.Follow(ctx, position, changes.Filter{}) {
//		…
//		position = change.Seq // store it: the next start goes on from here
//	}
//
// A change is delivered at least once: a reader that stores the position after processing
// gets the last changes again after a crash.
//
// SQL that other programs write is not in the log.
package changes
