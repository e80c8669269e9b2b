// Package sqltext writes the SQL of stores whose rows are in a SQL
// database. It knows tables, projections and queries of package store, nothing
// of connections: a store prepares the text and binds the arguments.
//
// # Columns in the database
//
// A table has the columns of its schema, under their names, and after them one
// more for each column marked fold: its name with [FoldSuffix], holding
// [store.Fold] of the value. The stores fill it whenever they write a row, see
// [AppendRow].
//
// # Statements
//
// The texts that depend on a schema or projection alone are functions of the
// [Dialect]. What depends on a query is written by a [Builder], into memory that
// it uses again: the text doubles as the key under which a store caches the
// prepared statement, because values, and how many a list has, are no part of
// it.
//
// # Values of another class
//
// An integer compared with a text column is evaluated here, by [store.Value]'s
// order, and never reaches the database, where affinity or typing would decide
// otherwise. Conditions whose result does not depend on the row become TRUE or
// FALSE.
package sqltext
