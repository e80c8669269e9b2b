// Package pull copies a whole shop from another server of the interface, such as the old
// shop that this library replaces. It needs an address, the e-mail address of an
// administrator and an API key, and reads by GET alone.
//
// [Run] writes rows without applying the entities' rules, as package storecopy does: ids,
// times, amounts and letters are copied, and nothing is computed again. The [Report]
// lists data that cannot be copied, with the reason; it does not end the run.
//
// A stopped run continues when it is started again, because each transaction also stores
// its progress. A later run reads everything again and writes only objects that changed
// in the old shop. Local changes stay, unless [Options.Overwrite] is set.
//
// [Import] writes the rows of a file in the same way into an entity that has no objects.
//
// Command shopctl pull does the same from a terminal; docs/moving.md describes a move.
package pull
