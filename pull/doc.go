// Package pull takes over a whole shop from another server of the interface: from the old
// shop that this library replaces, for instance. It needs an address, the e-mail address
// of an administrator and an API key, and reads by GET alone.
//
// [Run] writes below the rules, as package storecopy does: ids, times, amounts and
// letters stay as they were read, and nothing is computed again. What cannot be taken is
// in the [Report] with the reason, and does not end the run.
//
// A run that was stopped goes on when it is started again, since each transaction also
// stores what it took. A later run reads everything again and writes only what changed
// there. What changed here meanwhile stays, unless [Options.Overwrite] is set.
//
// Command shopctl pull does the same from a terminal; docs/moving.md describes a move.
package pull
