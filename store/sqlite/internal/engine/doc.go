// Package engine reaches the SQLite engine of modernc.org/sqlite through its
// own functions, as a C program would. Programs use database/sql with that
// driver; this package is for [github.com/shopapi/shopapi/store/sqlite] alone,
// which reads a row in a quarter of the time and without an allocation for each
// column.
//
// A [Conn] and its statements belong to one goroutine at a time. The memory of
// the engine lies outside Go's heap: whatever a statement is given is copied
// there, and whatever it returns is copied out, so no address outlives a call.
// The one Go address that the engine holds is that of the Conn, which its
// callbacks and the methods of its WAL need. It is only used inside calls made on the Conn, while the
// caller holds it.
package engine
