package disk

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// afterCuts returns the contents that a file has after 300 cuts, each once: zeroes for
// bytes that were not written, a letter for each run of others, "none" for no file.
func afterCuts(t *testing.T, name string, ops ...Op) []string {
	t.Helper()
	image := NewImage(rand.New(rand.NewPCG(1, 2)))
	for _, op := range ops {
		image.Apply(op)
	}
	found := map[string]bool{}
	for range 300 {
		folder := t.TempDir()
		if err := image.Cut(folder); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(folder, name))
		switch {
		case os.IsNotExist(err):
			found["none"] = true
		case err != nil:
			t.Fatal(err)
		default:
			found[string(bytes.ReplaceAll(slices.Compact(data), []byte{0}, []byte("0")))] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func written(name string, offset int64, letter byte) Op {
	return Op{Kind: Write, File: name, Offset: offset, Data: bytes.Repeat([]byte{letter}, 2*sector)}
}

// A cut keeps synced writes, and loses, tears or reorders the rest.
func TestCut(t *testing.T) {
	synced := Op{Kind: Sync, File: "f"}
	for _, c := range []struct {
		name string
		ops  []Op
		want []string
	}{
		{"nothing", nil, []string{"none"}},
		{"synced", []Op{written("f", 0, 'a'), synced}, []string{"a"}},
		{"not synced", []Op{written("f", 0, 'a')}, []string{"", "0a", "a"}},
		{"written over", []Op{written("f", 0, 'a'), synced, written("f", 0, 'b')}, []string{"a", "ab", "b", "ba"}},
		{"shortened", []Op{written("f", 0, 'a'), synced, {Kind: Truncate, File: "f"}}, []string{"", "a"}},
		{"shortened and synced", []Op{written("f", 0, 'a'), {Kind: Truncate, File: "f"}, synced}, []string{""}},
		{"another file was synced", []Op{written("f", 0, 'a'), {Kind: Sync, File: "g"}}, []string{"", "0a", "a"}},
		{"removed", []Op{written("f", 0, 'a'), synced, {Kind: Remove, File: "f"}}, []string{"a", "none"}},
		{"removed and synced", []Op{written("f", 0, 'a'), synced, {Kind: Remove, File: "f", Synced: true}}, []string{"none"}},
		{"removed before another was made", []Op{written("f", 0, 'a'), synced, {Kind: Remove, File: "f"}, written("g", 0, 'b'), {Kind: Sync, File: "g"}}, []string{"none"}},
	} {
		if got := afterCuts(t, "f", c.ops...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// Of two writes of a failed sync, the next sync keeps the ones that are not lost.
	kept := map[string]bool{}
	for seed := range uint64(50) {
		image := NewImage(rand.New(rand.NewPCG(seed, 0)))
		for _, op := range []Op{written("f", 0, 'a'), {Kind: FailedSync, File: "f"}, synced} {
			image.Apply(op)
		}
		kept[string(slices.Compact(image.files["f"].synced))] = true
	}
	if len(kept) != 2 {
		t.Errorf("after failed syncs there are %v, want what was written, and nothing", kept)
	}
}
