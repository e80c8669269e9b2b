package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// A report counts what became of the mutants of each list, and prints the survivors.
type report struct {
	mu     sync.Mutex
	out    io.Writer
	lists  map[string]*count
	failed error
}

// A count belongs to one list.
type count struct{ killed, survived, equal, invalid int }

// add counts a mutant.
func (r *report) add(m *mutant, v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.lists[m.list]
	if c == nil {
		c = &count{}
		r.lists[m.list] = c
	}
	switch {
	case v == survived && m.equal != "":
		c.equal++
		fmt.Fprintf(r.out, "equal: %s: %s: %s\n", m.file, m.name, m.equal)
	case v == survived:
		c.survived++
		fmt.Fprintf(r.out, "survived: %s: %s\n", m.file, m.name)
	case v == invalid && m.at < 0:
		r.failed = errors.Join(r.failed, fmt.Errorf("%s: the mutant %q does not compile", m.file, m.name))
	case v == invalid:
		c.invalid++
	default:
		c.killed++
		if m.equal != "" {
			fmt.Fprintf(r.out, "killed, and declared equal: %s: %s\n", m.file, m.name)
		}
	}
}

// fail notes an error that is not about a mutant.
func (r *report) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = errors.Join(r.failed, err)
}

// end prints a line for each list and one for all. Survivors are an error.
func (r *report) end() error {
	all := count{}
	for _, name := range slices.Sorted(maps.Keys(r.lists)) {
		c := r.lists[name]
		if name != "" && len(r.lists) > 1 {
			fmt.Fprintf(r.out, "%s: %v\n", name, c)
		}
		all.killed, all.survived = all.killed+c.killed, all.survived+c.survived
		all.equal, all.invalid = all.equal+c.equal, all.invalid+c.invalid
	}
	fmt.Fprintln(r.out, &all)
	if r.failed == nil && all.survived > 0 {
		return fmt.Errorf("%d mutants survived", all.survived)
	}
	return r.failed
}

func (c *count) String() string {
	return fmt.Sprintf("%d mutants: %d killed, %d survived, %d equal in behaviour, %d do not compile",
		c.killed+c.survived+c.equal+c.invalid, c.killed, c.survived, c.equal, c.invalid)
}
