// Package sqltext writes the SQL of stores whose rows are in a SQL database. It depends
// on the tables, projections and queries of package store, but not on connections: a
// store prepares the text and binds the arguments.
//
// # Columns in the database
//
// A table has the columns of its schema, under their names, and after them one more for
// each column marked fold: its name with [FoldSuffix], holding [store.Fold] of the value.
// The stores write it with each row, see [AppendRow].
//
// # Statements
//
// The texts that depend on a schema or projection alone are functions of the [Dialect]. A
// [Builder] writes the text of a query into memory that it reuses. Stores cache prepared
// statements by this text: it does not depend on values or on the length of lists.
//
// # Values of another class
//
// An integer compared with a text column is evaluated here, by [store.Value]'s
// order, and never reaches the database, where affinity or typing would decide
// otherwise. Conditions whose result does not depend on the row become TRUE or
// FALSE.
package sqltext
