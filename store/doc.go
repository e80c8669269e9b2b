// Package store is the contract between the entities of a shop and the database that
// holds their rows. A program that mounts the API opens one of its implementations,
// [github.com/shopapi/shopapi/store/sqlite], [github.com/shopapi/shopapi/store/postgres]
// or, in tests, [github.com/shopapi/shopapi/store/memory], and needs nothing else of this
// package; the rest of this comment is for authors of entities. Authors of stores
// continue with [github.com/shopapi/shopapi/store/driver].
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
// in the database, on the wire and in a filter. [NewTable] lists the tags.
// [Project] reads fewer columns of the same table into a smaller struct, as lists
// do. [Store.Migrate] creates the tables, columns and indexes that are missing.
//
// # Transactions
//
// [Store.View] runs a function over one snapshot, [Store.Update] runs one whose
// changes are committed together or not at all. A transaction begun with the context
// of another on the same store joins it, so that a check that one entity makes on
// behalf of another is part of the transaction that it guards.
//
// The function of an Update may run again. It touches nothing outside the transaction,
// returns the errors of its [Tx] as they came, and registers with [AfterCommit]
// whatever must happen once.
//
// # Upgrades
//
// [Store.Migrate] adds tables, columns and indexes, and drops former indexes. When a newer version of the library
// gives stored rows another meaning, a [Conversion] rewrites them: [Upgrade] runs it
// once, in one transaction with the schema number of the database, which stops processes
// of older versions.
//
// # Errors
//
// [ErrNotFound], [ErrConflict], [ErrBadText] and [ErrReadOnly] are about one call;
// [ErrUnavailable] says that the database cannot serve now, [ErrOutcomeUnknown] that
// a COMMIT got no answer. They are compared by [errors.Is].
//
// # Values and queries
//
// A [Tx] moves rows as slices of [Value], not through scan targets: three
// storage classes (null, integer, text) are all that the interface needs, each
// store fills the slice without reflection, and the typed face in [Table]
// copies it into the struct by offsets worked out once per type.
//
// A [Query] is data. Column names come from schemas and values are always bound, so no
// text of a request can become SQL. [Match] defines every condition in Go; package
// storetest checks each store against it.
//
// Text compares by its bytes, so that every store agrees. Columns marked fold are stored
// a second time in the form that [Fold] gives, which orders and case-insensitive searches
// use.
package store
