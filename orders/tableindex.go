package orders

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/store"
)

// A tableIndex finds the ids of stored tables by their hashes.
type tableIndex struct {
	cached tablecache.Cache[string, map[string]int64] // by the hashes of the tables of one order

	mu     sync.Mutex
	recent []string // hashes of the tables of the last orders, newest first
}

// maxRecent is how many hashes are read ahead.
const maxRecent = 16

func newTableIndex(st store.Store) *tableIndex {
	const perTable = 256 // its hash twice and its slot
	size := func(found map[string]int64) int64 { return perTable * int64(1+len(found)) }
	return &tableIndex{cached: tablecache.New[string](st, 1<<20, size, keptTables.Schema())}
}

// find returns the ids of the tables that are stored, by their hashes. read are ids that the
// transaction has read already.
func (x *tableIndex) find(ctx context.Context, tx store.Tx, hashes []string, read map[string]int64) (map[string]int64, error) {
	x.use(hashes)
	if !slices.ContainsFunc(hashes, func(hash string) bool { return read[hash] == 0 }) {
		return read, nil
	}
	return x.cached.InUpdate(ctx, tx, strings.Join(hashes, ""), func(tx store.Tx) (map[string]int64, error) { return findTables(tx, hashes) })
}

// use moves hashes to the front of the recent ones.
func (x *tableIndex) use(hashes []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, hash := range hashes {
		if i := slices.Index(x.recent, hash); i >= 0 {
			x.recent = slices.Delete(x.recent, i, i+1)
		}
		x.recent = slices.Insert(x.recent, 0, hash)
	}
	x.recent = x.recent[:min(len(x.recent), maxRecent)]
}

// readAhead returns the ids of the tables of the last orders: the next order likely has the same.
func (x *tableIndex) readAhead(tx store.Tx) map[string]int64 {
	x.mu.Lock()
	hashes := slices.Sorted(slices.Values(x.recent))
	x.mu.Unlock()
	if len(hashes) == 0 {
		return nil
	}
	found, _ := findTables(tx, hashes) // without them, find reads
	return found
}

// findTables returns the ids of stored tables by their hashes.
func findTables(tx store.Tx, hashes []string) (map[string]int64, error) {
	values := make([]store.Value, len(hashes))
	for i, hash := range hashes {
		values[i] = store.String(hash)
	}
	found := map[string]int64{}
	err := keptHashes.Each(tx, store.Query{Where: []store.Cond{store.In("hash", values...)}}, func(t *keptHash) error {
		found[t.Hash] = t.TableID
		return nil
	})
	return found, err
}

// A keptHash is a KeptTable without its content.
type keptHash struct {
	TableID int64  `json:"table_id" store:"key"`
	Hash    string `json:"hash"`
}

var keptHashes = store.Project[keptHash](keptTables)
