package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// comparisonsOfEpisode is how many responses of an episode are compared.
const comparisonsOfEpisode = 2_500

// A campaign is a number of episodes.
type campaign struct {
	compare        int
	edition, store string
	dsn            string   // of a PostgreSQL server, "": the campaign starts one
	replicas       int      // standbys of that server
	standbys       []string // their DSNs
	entities       []string // that most requests are about; none for random ones
	parallel       int
	seed           uint64
	out            io.Writer

	wrap func(store.Store) store.Store // makes the store of the shop with caches worse, in tests
}

func (c *campaign) check() error {
	if c.compare < 1 || c.parallel < 1 {
		return errors.New("-compare and -p are 1 or more")
	}
	if _, ok := editions[c.edition]; c.edition != "" && !ok {
		return fmt.Errorf("-edition is single, storefronts or vendors, not %q", c.edition)
	}
	if c.replicas < 0 || c.replicas > 0 && (c.store != "postgres" || c.dsn != "") {
		return errors.New("-replicas is for -store postgres without -dsn")
	}
	if c.store != "" && c.store != "postgres" && !slices.Contains(stores, c.store) {
		return fmt.Errorf("-store is sqlite, memory or postgres, not %q", c.store)
	}
	return nil
}

// plan returns the episodes: each kind of shop in turn, with one seed after the other.
func (c *campaign) plan() (list []*episode) {
	type kind struct{ edition, store string }
	var kinds []kind
	stores := stores
	if c.store != "" {
		stores = []string{c.store}
	}
	for _, edition := range slices.Sorted(maps.Keys(editions)) {
		for _, st := range stores {
			if c.edition == "" || c.edition == edition {
				kinds = append(kinds, kind{edition, st})
			}
		}
	}
	left := c.compare
	for i := 0; left > 0; i++ {
		k := kinds[i%len(kinds)]
		e := &episode{edition: k.edition, store: k.store, seed: c.seed + uint64(i), dsn: c.dsn, standbys: c.standbys, entities: c.entities, wrap: c.wrap, compare: min(left, comparisonsOfEpisode)}
		left -= e.compare
		list = append(list, e)
	}
	return list
}

// run runs the episodes until one finds a difference.
func (c *campaign) run(outer context.Context) (all figures, err error) {
	ctx, stop := context.WithCancel(outer)
	defer stop()
	if c.store == "postgres" && c.dsn == "" {
		dsn, standbys, end, err := pgtest.LaunchReplicated(c.replicas)
		if err != nil {
			return all, err
		}
		defer end()
		c.dsn, c.standbys = dsn, standbys
	}
	var (
		mu   sync.Mutex
		wait sync.WaitGroup
		next = make(chan *episode)
	)
	for range c.parallel {
		wait.Go(func() {
			for e := range next {
				got, failed := e.run(ctx)
				mu.Lock()
				all.add(got)
				if failed != nil && err == nil && ctx.Err() == nil {
					err = fmt.Errorf("%w\nTo repeat it: go run ./cmd/shopdiff %s", failed, e.arguments())
					stop()
				}
				if all.episodes%50 == 0 {
					fmt.Fprintln(c.out, &all)
				}
				mu.Unlock()
			}
		})
	}
	for _, e := range c.plan() {
		if ctx.Err() != nil {
			break
		}
		next <- e
	}
	close(next)
	wait.Wait()
	return all, errors.Join(err, outer.Err())
}

// figures are the counts of a campaign.
type figures struct {
	episodes    int
	comparisons int
	cached      int            // responses that came from the response cache
	found       int            // responses with status 200
	accepted    int            // requests that changed something
	replicated  int64          // Views that read on replicas
	changes     map[string]int // by their kind
}

func (f *figures) add(g figures) {
	f.episodes += g.episodes
	f.comparisons += g.comparisons
	f.cached += g.cached
	f.found += g.found
	f.accepted += g.accepted
	f.replicated += g.replicated
	if f.changes == nil {
		f.changes = map[string]int{}
	}
	for kind, n := range g.changes {
		f.changes[kind] += n
	}
}

func (f figures) String() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(f.changes)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, f.changes[kind]))
	}
	replicated := ""
	if f.replicated > 0 {
		replicated = fmt.Sprintf(", %d reads on replicas", f.replicated)
	}
	return fmt.Sprintf("%d episodes, %d comparisons (%d of them from the cache, %d with status 200)%s, %d accepted writes, changes: %s",
		f.episodes, f.comparisons, f.cached, f.found, replicated, f.accepted, strings.Join(kinds, ", "))
}

// temporary returns an empty folder and a function that removes it.
func temporary() (dir string, remove func() error, err error) {
	dir, err = os.MkdirTemp("", "shopdiff-")
	return dir, func() error { return os.RemoveAll(dir) }, err
}
