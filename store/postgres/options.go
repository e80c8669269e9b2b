package postgres

// Options are the options of [OpenWith] and [NewWith]. The zero Options are valid.
type Options struct {
	// NoCache has nothing be cached that was read from the database: each read asks it
	// again. Without it, results are cached until one of their tables changes.
	NoCache bool
}
