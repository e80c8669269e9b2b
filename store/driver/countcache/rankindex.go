package countcache

import (
	"slices"
	"sort"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

const (
	firstStep      = 32   // rows between anchors, to begin with
	maxAnchors     = 4096 // of a rank index; beyond, every other one is dropped
	maxRankIndexes = 8    // of one set of conditions
)

// An Anchor is a position in an order of the rows that match some conditions, and
// its rank: how many of the rows come before it. No row need be at the position.
type Anchor struct {
	eval.Position
	Rank int64
}

// A rankIndex is anchors in one order, ascending.
type rankIndex struct {
	order   []store.Order
	columns []int
	reads   columns
	step    int
	anchors []Anchor
}

// Ordered returns the terms of an order up to the key, after which there are no
// ties. It reports false for an order without anchors: one through a reference,
// by a column that may be null, or of mixed directions.
func Ordered(s *store.Schema, order []store.Order) ([]store.Order, bool) {
	for i := range order {
		o := &order[i]
		at := s.Index(o.Column)
		if o.Via != nil || at < 0 || s.Columns[at].Null || o.Desc != order[0].Desc {
			return nil, false
		}
		if at == 0 {
			return order[:i+1], true
		}
	}
	return order, true
}

func newRankIndex(s *store.Schema, order []store.Order) *rankIndex {
	x := &rankIndex{order: slices.Clone(order), step: firstStep}
	for _, o := range order {
		at := s.Index(o.Column)
		x.columns = append(x.columns, at)
		x.reads.add(at)
	}
	return x
}

// position returns the position of a row.
func (x *rankIndex) position(r *row) eval.Position {
	p := eval.Position{Key: r.values[0].Int(), By: make([]store.Value, len(x.columns))}
	for i, at := range x.columns {
		p.By[i] = r.folded[at]
	}
	return p
}

func (x *rankIndex) apply(ch *change, before, after bool) {
	if before && after && !ch.touches(x.reads) {
		return
	}
	if before {
		x.shift(x.position(&ch.before), -1)
	}
	if after {
		x.shift(x.position(&ch.after), +1)
	}
}

// shift adds to the ranks of the anchors after p.
func (x *rankIndex) shift(p eval.Position, by int64) {
	first := sort.Search(len(x.anchors), func(i int) bool { return eval.Compare(x.order, x.anchors[i].Position, p) > 0 })
	for i := first; i < len(x.anchors); i++ {
		x.anchors[i].Rank += by
	}
}

// before returns the last anchor of at most that rank, the zero Anchor when there
// is none.
func (x *rankIndex) before(rank int64) Anchor {
	after := sort.Search(len(x.anchors), func(i int) bool { return x.anchors[i].Rank > rank })
	if after == 0 {
		return Anchor{}
	}
	return x.anchors[after-1]
}

func (x *rankIndex) add(anchors []Anchor) {
	compare := func(a, b Anchor) int { return eval.Compare(x.order, a.Position, b.Position) }
	for _, a := range anchors {
		if i, there := slices.BinarySearchFunc(x.anchors, a, compare); !there {
			x.anchors = slices.Insert(x.anchors, i, a)
		}
	}
	for len(x.anchors) > maxAnchors {
		x.halve()
	}
}

// halve drops every other anchor.
func (x *rankIndex) halve() {
	half := make([]Anchor, len(x.anchors)/2)
	for i := range half {
		half[i] = x.anchors[2*i+1]
	}
	x.anchors = half
	x.step *= 2
}

// halve halves all rank indexes of the entry. It reports whether anchors are left.
func (e *entry) halve() bool {
	for _, x := range e.ranks {
		x.halve()
	}
	return e.anchors() > 0
}

// Nearest returns the last known anchor at or before a rank, at a version of the table,
// and the distance between anchors in rows. It reports false if the read must begin at
// the first row. The order must come from [Ordered].
func (c *Cache) Nearest(s *store.Schema, where []store.Cond, order []store.Order, version uint64, rank int64) (a Anchor, step int64, ok bool) {
	step = firstStep
	var buf [128]byte
	key, ok := appendConds(buf[:0], where)
	if !ok {
		return a, step, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[s.Name]
	if t == nil || t.version != version || t.schema != s {
		return a, step, false
	}
	e := t.entries[string(key)]
	if e == nil {
		return a, step, false
	}
	x := e.ranks[string(appendOrder(nil, order))]
	if x == nil {
		return a, step, false
	}
	c.use(e)
	a = x.before(rank)
	return a, int64(x.step), a.Rank > 0
}

func (e *entry) anchors() (n int) {
	for _, x := range e.ranks {
		n += len(x.anchors)
	}
	return n
}

// rankIndex returns the entry's rank index in the order of another one.
func (e *entry) rankIndex(like *rankIndex) *rankIndex {
	key := string(appendOrder(nil, like.order))
	if x := e.ranks[key]; x != nil {
		return x
	}
	if e.ranks == nil || len(e.ranks) >= maxRankIndexes {
		e.ranks = make(map[string]*rankIndex)
	}
	x := &rankIndex{order: like.order, columns: like.columns, reads: like.reads, step: firstStep}
	e.ranks[key] = x
	e.columns |= like.reads
	return x
}
