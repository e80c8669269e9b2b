package postgres

import (
	"slices"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A grouping has Updates that wait for each other be committed together, as a [group]. The Updates
// are those that call [store.TakeTurnsTogether].
type grouping struct {
	mu      sync.Mutex
	alone   int       // Updates that run alone
	grouped bool      // a group runs
	waiting []*tx     // in the order in which they came
	limit   int       // of the members of the next group
	since   int       // runs without a conflict, since the limit changed
	off     time.Time // until when all Updates run alone
}

const (
	// maxAlone is how many Updates run at the same time before others wait for a group.
	maxAlone = 4

	// maxMembers is how many Updates a group has at most.
	maxMembers = 32

	// growEvery is the number of runs without a conflict after which groups may be larger.
	growEvery = 16

	// offFor is how long all Updates run alone after a group has found triggers of the host.
	offFor = time.Minute

	// slow is how long a member may take on average, before groups get smaller: the others wait for it.
	slow = 20 * time.Millisecond
)

// join has a transaction wait until it may run. It reports whether it is a member of a group then.
func (g *grouping) join(t *tx) (member bool, err error) {
	g.mu.Lock()
	if !g.grouped && len(g.waiting) == 0 && g.alone < maxAlone || g.limit == 1 || time.Now().Before(g.off) {
		g.alone++
		t.lone = true
		g.mu.Unlock()
		return false, nil
	}
	t.resume = make(chan struct{}, 1)
	g.waiting = append(g.waiting, t)
	g.mu.Unlock()
	select {
	case <-t.resume:
	case <-t.ctx.Done():
		if g.leave(t) {
			return false, t.ctx.Err()
		}
		<-t.resume
	}
	return t.group != nil, nil
}

// leave removes a transaction that waits. It returns false if that was called already.
func (g *grouping) leave(t *tx) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.waiting)
	g.waiting = slices.DeleteFunc(g.waiting, func(w *tx) bool { return w == t })
	return len(g.waiting) < n
}

// endedAlone lets others run after a transaction that ran alone.
func (g *grouping) endedAlone(s *Store) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alone--
	g.grow()
	g.next(s)
}

// executed lets the next group begin, once the members of one have run.
func (g *grouping) executed(s *Store, slow bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.grouped = false
	if slow {
		g.shrink()
	}
	g.next(s)
}

// ended notes the end of a group. All members of a group that meets another transaction run again, or most where
// these do what a group cannot: so the next ones are smaller.
func (g *grouping) ended(conflict, triggers bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case triggers:
		g.off = time.Now().Add(offFor)
	case conflict:
		g.shrink()
	default:
		g.grow()
	}
}

func (g *grouping) shrink() { g.limit, g.since = max(1, g.limit/4), 0 }

// grow notes a run without a conflict.
func (g *grouping) grow() {
	if g.since++; g.since >= growEvery && g.limit < maxMembers {
		g.limit, g.since = 2*g.limit, 0
	}
}

// next begins what waits: a group, or a transaction alone.
func (g *grouping) next(s *Store) {
	for len(g.waiting) > 0 && !g.grouped {
		if off := g.limit == 1 || time.Now().Before(g.off); off || len(g.waiting) == 1 {
			if !off && g.alone >= maxAlone {
				return
			}
			t := g.waiting[0]
			g.waiting = g.waiting[1:]
			g.alone++
			t.lone = true
			t.resume <- struct{}{}
			continue
		}
		g.grouped = true
		newGroup(s, g.take()).begin()
	}
}

// take removes the members of the next group from the ones that wait. Clients get their turns round
// robin.
func (g *grouping) take() (members []*tx) {
	if len(g.waiting) <= g.limit {
		members, g.waiting = g.waiting, nil
		return members
	}
	for len(members) < g.limit {
		had := map[any]bool{}
		g.waiting = slices.DeleteFunc(g.waiting, func(t *tx) bool {
			client := driver.ClientOf(t.ctx)
			if had[client] || len(members) >= g.limit {
				return false
			}
			had[client] = true
			members = append(members, t)
			return true
		})
	}
	return members
}

var _ store.TogetherTaker = (*tx)(nil)

// TakeTurnsTogether implements [store.TogetherTaker].
func (t *tx) TakeTurnsTogether(s *store.Schema, keys []int64) error {
	if t.mayJoin() && t.readable() == nil {
		t.turnRows = turnsOf(s, keys)
		member, err := t.store.grouping.join(t)
		if err != nil {
			return err
		}
		if member {
			t.group.enter(t)
			return nil
		}
	}
	return t.TakeTurns(s, keys)
}

// mayJoin reports whether the transaction may become a member of a group. The versions say that
// the server is PostgreSQL, and which statements change which tables.
func (t *tx) mayJoin() bool {
	return t.writable && t.conn == nil && t.host == nil && t.group == nil && !t.lone && t.first == "" &&
		!t.ungrouped && !t.deferred.never && len(t.turns) == 0 && t.changes.number != 0
}
