package fair_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/fair"
)

// TestQueue_RoundRobin: clients get turns one after another, and their items in order. A
// new client waits for one item of each other client.
func TestQueue_RoundRobin(t *testing.T) {
	var q fair.Queue[string]
	push := func(items string) {
		for item := range strings.FieldsSeq(items) {
			q.Push(item[:1], item)
		}
	}
	var got []string
	pop := func(n int) {
		for range n {
			next := q.Next()
			item := q.Pop()
			if item != next {
				t.Errorf("%s comes in the turn of %s", item, next)
			}
			got = append(got, item)
		}
	}
	push("a1 a2 a3 a4 a5")
	pop(1)
	push("b1 c1 b2")
	pop(2)
	if q.Remove("a", "a2") || q.Remove("d", "d1") || !q.Remove("a", "a4") || !q.Remove("c", "c1") {
		t.Error("Remove reports the wrong items")
	}
	if n := q.Len(); n != 3 {
		t.Errorf("%d items are left, want 3", n)
	}
	pop(q.Len())
	if got := strings.Join(got, " "); got != "a1 a2 b1 a3 b2 a5" {
		t.Error(got)
	}
}
