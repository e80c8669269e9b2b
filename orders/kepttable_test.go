package orders

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The index remembers the hashes that were used last, each once.
func TestTableIndex_Recent(t *testing.T) {
	x := newTableIndex(nil)
	x.use([]string{"a", "b"})
	x.use([]string{"c", "a"})
	if diff := cmp.Diff([]string{"a", "c", "b"}, x.recent); diff != "" {
		t.Errorf("after a few (-want, +got):\n%s", diff)
	}
	for i := range 2 * maxRecent {
		x.use([]string{strconv.Itoa(i)})
	}
	if len(x.recent) != maxRecent || x.recent[0] != strconv.Itoa(2*maxRecent-1) {
		t.Errorf("after many: %v, want the last %d", x.recent, maxRecent)
	}
}

// Tables that the transaction has read are not read again.
func TestTableIndex_Find(t *testing.T) {
	x := newTableIndex(nil)
	read := map[string]int64{"a": 1, "b": 2}
	found, err := x.find(t.Context(), nil, []string{"b", "a"}, read)
	if diff := cmp.Diff(read, found); diff != "" || err != nil {
		t.Errorf("%v (-want, +got):\n%s", err, diff)
	}
}
