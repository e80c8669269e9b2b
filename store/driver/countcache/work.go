package countcache

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// A commit waits until the entries of its tables are up to date. Where that would
// take long, because many rows have changed, or many entries search a long text, the
// entries used least recently are evicted instead.
const (
	maxWork    = 4 << 20 // of a commit, in bytes searched: some milliseconds
	workOfRow  = 64      // testing a row against conditions
	workOfFold = 32      // folding a byte
)

// limitWork evicts entries until those left are quick to update by some changes.
func (c *Cache) limitWork(t *table, changes []driver.RowChange) {
	texts := make([]int64, len(t.schema.Columns)) // bytes before and after, by column
	for i := range changes {
		addTexts(texts, t.schema, changes[i].Before)
		addTexts(texts, t.schema, changes[i].After)
	}
	type cost struct {
		entry *entry
		work  int64
	}
	var costs []cost
	var all int64
	for _, e := range t.entries {
		work := e.work(int64(len(changes)), texts)
		costs = append(costs, cost{e, work})
		all += work
	}
	if all <= maxWork {
		return
	}
	// Those used last come first: they stay.
	slices.SortFunc(costs, func(a, b cost) int { return a.entry.idle - b.entry.idle })
	left := int64(maxWork)
	for _, x := range costs {
		if x.work > left {
			c.evict(x.entry)
			continue
		}
		left -= x.work
	}
}

func addTexts(texts []int64, s *store.Schema, row []store.Value) {
	for i := range row {
		if s.Columns[i].Fold {
			texts[i] += int64(len(row[i].Text()))
		}
	}
}

// work is what updating the entry takes at most, by a number of rows whose folded
// columns hold so many bytes.
func (e *entry) work(rows int64, texts []int64) int64 {
	work := rows * (workOfRow + int64(e.anchors()))
	for column, size := range texts {
		if size > 0 && e.columns.has(column) {
			work += size // compared
			if workOfFold*size > maxWork {
				return maxWork + 1
			}
		}
	}
	for _, column := range e.searches {
		work += texts[column]
	}
	return work
}
