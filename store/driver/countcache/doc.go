// Package countcache caches what a database takes long to compute: the count of
// the rows that match some conditions, and anchors, which are known ranks in an
// order of these rows. Commits update both, so that nothing is counted again as
// long as all changes are recorded.
//
// A [Cache] belongs to a store that versions its tables: a greater version is a
// later state, and only an equal one is the same. Readers name the version that
// they see and get nothing of another one; a [Commit] names the versions that it
// leads from and to. Where these do not fit, because another connection has
// changed the table, its entries are invalidated.
//
// A commit carries the rows before and after; one with unrecorded rows invalidates
// the entries of its table.
package countcache
