// Package period turns the periods of lists (specification, discussions; decisions
// §10) into ranges of time: today, last week, the last 30 days, or from one date
// to another. Entities whose lists take period, time_from and time_to share it.
// Hosts do not need it.
package period
