package postgres

import "errors"

// Options are the options of [OpenWith] and [NewWith]. The zero Options are valid.
type Options struct {
	// NoCache has nothing be cached that was read from the database: each read asks it
	// again. Without it, results are cached until one of their tables changes.
	NoCache bool

	// Replicas are the DSNs of standbys of the primary, one for each standby, with the
	// search_path of the primary's. Responses that may be cached are read on them. A read
	// on a replica shows exactly what the primary showed after the request began, so that
	// clients see no difference; what a replica cannot answer so is read on the primary. A
	// standby need not be reachable when the store is opened.
	//
	// Replicas need the versions of the tables, which NoCache switches off.
	Replicas []string
}

// check returns the mistake in the options.
func (o *Options) check() error {
	if o.NoCache && len(o.Replicas) > 0 {
		return errors.New("postgres: Options.Replicas need the versions of the tables, which Options.NoCache switches off")
	}
	return nil
}
