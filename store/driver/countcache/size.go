package countcache

import (
	"unsafe"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// What things take beside their texts, in bytes.
const (
	perEntry  = int64(unsafe.Sizeof(entry{})) + 16 + maxPast*int64(unsafe.Sizeof(past{})) + 48 + 64 // list element, slot in the map
	perCond   = int64(unsafe.Sizeof(eval.Cond{}))
	perValue  = int64(unsafe.Sizeof(store.Value{}))
	perSet    = 320              // the set itself, with its first group of slots
	perMember = 5 * perValue / 2 // a slot in a map that is less than half full
	perRanks  = 1024             // the map, one slot of which holds a rank index
	perRank   = 256              // a rank index with its order
	perAnchor = int64(unsafe.Sizeof(Anchor{}))
)

// size is what the entry takes, in bytes. The texts in its conditions and anchors are
// its own.
func (e *entry) size() int64 {
	n := perEntry + int64(len(e.key)) + 8*int64(cap(e.searches)) + e.condBytes
	if e.ranks != nil {
		n += perRanks
	}
	for key, x := range e.ranks {
		n += perRank + int64(len(key)) + perAnchor*int64(cap(x.anchors))
		for i := range x.anchors {
			n += int64(driver.RowSize(x.anchors[i].By)) + perValue // of the key, which is read with them
		}
	}
	return n
}

// sizeOfConds is what conditions take that were prepared from where, in bytes.
func sizeOfConds(where []store.Cond, conds []eval.Cond) int64 {
	n := perCond * int64(len(conds))
	for i := range conds {
		c, w := &conds[i], &where[i]
		n += int64(len(c.Value.Text())) + sizeOfConds(w.Conds, c.Conds)
		if c.Set == nil {
			continue
		}
		n += perSet + perMember*int64(len(w.Values)) // for so many it was made
		for v := range c.Set {
			n += int64(len(v.Text()))
		}
	}
	return n
}
