// Package store is the contract between the entities of a shop and the
// database that holds their rows. A developer who mounts the API opens one of
// its implementations, [github.com/shopapi/shopapi/store/sqlite] or
// [github.com/shopapi/shopapi/store/memory], and needs nothing else of this
// package; what follows is for authors of entities. Authors of stores continue
// with [github.com/shopapi/shopapi/store/driver].
//
// # Tables
//
// A Go struct is the single description of a table. [MustTable] reads it once:
//
//	type Page struct {
//		PageID   int64  `json:"page_id,string" store:"key"`
//		ParentID int64  `json:"parent_id,string" store:"index"`
//		Name     string `json:"page" store:"fold"`
//	}
//
//	var pages = store.MustTable[Page]("pages")
//
// The name of a column is the field's name in JSON, so that a row reads alike
// in the database, on the wire and in a filter. [Project] reads fewer columns of
// the same table into a smaller struct, as lists do.
//
// # Transactions
//
// [Store.View] and [Store.Update] run a function over a [Tx]. One begun with
// the context of another on the same store joins it, so that a check made by
// one entity on behalf of another stands in the transaction that it guards.
//
// # Values and queries
//
// A [Tx] moves rows as slices of [Value], not through scan targets: three
// storage classes (null, integer, text) are all that the interface needs, each
// store fills the slice without reflection, and the typed face in [Table]
// copies it into the struct by offsets worked out once per type.
//
// A [Query] is data. Column names come from schemas and values are always
// bound, so no text of a request can become SQL. [Match] defines every
// condition in Go; storetest holds each store against it.
//
// Text compares by its bytes, so that every store agrees. Columns marked fold
// are stored a second time in the form that [Fold] gives, which is what searches
// without regard to case, and orders, use.
package store
