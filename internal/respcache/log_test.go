package respcache

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

func keyOf(i int) responseKey {
	var k responseKey
	copy(k[:], fmt.Sprintf("%08d%08d", i, i))
	return k
}

// putText puts an entry with a shared object and one of its own of 10 bytes.
func putText(l *log, key responseKey, text string) {
	e := entry{key: key, reads: l.objects.share("form", 1000), of: l.objects.add(text, 10)}
	l.put(&e, []byte(text), 10)
}

func getText(l *log, key responseKey) (string, bool) {
	e, packed, _, ok := l.get(key, []byte("before "))
	if !ok {
		return "", false
	}
	packed, whole := bytes.CutPrefix(packed, []byte("before "))
	return string(packed), whole && l.objects.object(e.of) == string(packed)
}

// checkChunks checks that each chunk has as many entries as fit, with 10 bytes of objects each.
func checkChunks(t *testing.T, l *log) {
	t.Helper()
	var before *chunk
	for i, c := range l.chunks {
		weight, entries := int64(0), 0
		for at := 0; at < c.used; entries++ {
			e := entryOf(c.memory[at:])
			size := perEntry + int64(e.length) + 10
			if at == 0 && i > 0 && before.weight+size <= l.perChunk {
				t.Errorf("chunk %d has room for the first entry of the next one", i-1)
			}
			weight += size
			at += entryBytes + int(e.length)
		}
		if weight != c.weight || c.used > len(c.memory) || entries > 1 && weight > l.perChunk {
			t.Errorf("chunk %d has %d entries of %d bytes in all, and says %d of %d, %d of %d written", i, entries, weight, c.weight, l.perChunk, c.used, len(c.memory))
		}
		before = c
	}
}

// TestLog: a log has the entries that were written last or used, with their bytes and objects, within its capacity.
func TestLog(t *testing.T) {
	const capacity = 200_000
	l := newLog(capacity)
	text := func(i int) string { return fmt.Sprint("text ", i, " ", string(make([]byte, i%300))) }
	for i := range 20_000 {
		putText(l, keyOf(i), text(i))
		if i%50 == 0 {
			if got, ok := getText(l, keyOf(7)); ok != (i >= 7) || ok && got != text(7) {
				t.Fatalf("after %d entries, one in use is %q, %v", i, got, ok)
			}
		}
		if got := l.written + l.objects.bytes; got > capacity || i > 2000 && got < capacity*9/10 {
			t.Fatalf("%d of %d bytes are used", got, capacity)
		}
	}
	if got, ok := getText(l, keyOf(19_999)); !ok || got != text(19_999) {
		t.Errorf("the last entry is %q, %v", got, ok)
	}
	if _, ok := getText(l, keyOf(1)); ok {
		t.Error("an old entry is there")
	}
	checkChunks(t, l)
	for len(l.chunks) > 0 {
		l.freeOldest(0)
	}
	if len(l.index) > 0 || l.written != 0 || l.objects.bytes != 0 || len(l.objects.numbers) > 0 {
		t.Errorf("an empty log has %d entries, %d bytes, %d of objects, %d shared", len(l.index), l.written, l.objects.bytes, len(l.objects.numbers))
	}
}

// TestLog_Replaced: an entry takes the place of the one before, and of one with half of its key. Its
// id is another one.
func TestLog_Replaced(t *testing.T) {
	l := newLog(100_000)
	half := keyOf(1)
	half[15] = 'x'
	putText(l, keyOf(1), "first")
	before, _, gap, _ := l.get(keyOf(1), nil)
	if _, _, again, _ := l.get(keyOf(1), nil); gap != 0 || again != 1 {
		t.Errorf("the gaps of uses are %d and %d, want 0 and 1", gap, again)
	}
	putText(l, keyOf(1), "second")
	if l.renew(keyOf(1), before.id, 5) {
		t.Error("an entry that was replaced is renewed")
	}
	l.remove(keyOf(1), before.id)
	after, packed, _, ok := l.get(keyOf(1), nil)
	if !ok || string(packed) != "second" || !l.renew(keyOf(1), after.id, 5) || l.renew(half, after.id, 5) {
		t.Errorf("the new entry is %q, %v", packed, ok)
	}
	if after, _, _, _ = l.get(keyOf(1), nil); after.row.Since != 5 {
		t.Errorf("the entry is renewed up to %d, want 5", after.row.Since)
	}
	if l.renew(keyOf(1), after.id, 3); l.objects.bytes != 1010 {
		t.Errorf("the objects take %d bytes, want 1010", l.objects.bytes)
	}
	if after, _, _, _ = l.get(keyOf(1), nil); after.row.Since != 5 {
		t.Errorf("an older version takes the place of a newer one: %d", after.row.Since)
	}
	putText(l, half, "other")
	if _, ok := getText(l, keyOf(1)); ok {
		t.Error("two entries have the same half of a key")
	}
	if got, ok := getText(l, half); !ok || got != "other" {
		t.Errorf("the entry with the same half of a key is %q, %v", got, ok)
	}
	after, _, _, _ = l.get(half, nil)
	l.remove(keyOf(1), after.id) // of the other key
	if _, ok := getText(l, half); !ok {
		t.Error("an entry was removed by another key")
	}
	l.remove(half, after.id)
	if _, ok := getText(l, half); ok || l.objects.bytes != 0 {
		t.Errorf("after the removal there are %d bytes of objects, and an entry: %v", l.objects.bytes, ok)
	}
}

// TestLog_RemovedFirst: an entry that was removed does not come back when its chunk is freed, and its objects
// are released once. The first entry of a log is at place 0.
func TestLog_RemovedFirst(t *testing.T) {
	l := newLog(100_000)
	putText(l, keyOf(1), "first")
	e, _, _, _ := l.get(keyOf(1), nil) // it is used, and would be written again
	l.remove(keyOf(1), e.id)
	putText(l, keyOf(2), "second")
	l.freeOldest(l.capacity)
	if text, ok := getText(l, keyOf(1)); ok || len(l.index) > 0 {
		t.Errorf("the entry that was removed is %q; the log has %d entries", text, len(l.index))
	}
	putText(l, keyOf(3), "third")
	putText(l, keyOf(4), "fourth")
	for i, want := range map[int]string{3: "third", 4: "fourth"} {
		if got, ok := getText(l, keyOf(i)); !ok || got != want {
			t.Errorf("entry %d is %q, %v", i, got, ok)
		}
	}
}

// TestLog_Large: an entry of more than a chunk has one of its own.
func TestLog_Large(t *testing.T) {
	l := newLog(1 << 20)
	large := string(bytes.Repeat([]byte("large "), 20_000))
	for i := range 20 {
		putText(l, keyOf(i), "small")
		putText(l, keyOf(100+i), large)
	}
	if got, ok := getText(l, keyOf(119)); !ok || got != large {
		t.Errorf("the entry has %d bytes, %v", len(got), ok)
	}
	checkChunks(t, l)
	if got := l.written + l.objects.bytes; got > 1<<20 {
		t.Errorf("the log takes %d bytes", got)
	}
}

// TestLog_Wraps: after the highest id, and the highest number of uses, 0 is left out: it has another meaning.
func TestLog_Wraps(t *testing.T) {
	l := newLog(100_000)
	l.ids, l.clock = math.MaxUint32, math.MaxUint32
	putText(l, keyOf(1), "text")
	if e, _, _, ok := l.get(keyOf(1), nil); !ok || e.id == 0 {
		t.Errorf("the entry has the id %d, %v", e.id, ok)
	}
	if _, _, gap, _ := l.get(keyOf(1), nil); gap != 1 {
		t.Errorf("the gap is %d, want 1", gap)
	}
}

// TestLog_Again: entries of the oldest chunk that were used are written again, once for each use, and up
// to so many bytes.
func TestLog_Again(t *testing.T) {
	const size, again = perEntry + 4 + 10, 3
	l := newLog(100_000)
	for i := range 100 {
		putText(l, keyOf(i), "text")
		getText(l, keyOf(i))
	}
	inFirst := l.chunks[0].used / (entryBytes + 4)
	if left := l.freeOldest(again*size + 1); left != 1 {
		t.Errorf("%d bytes are left, want 1", left)
	}
	if left := l.freeOldest(size); left != 0 {
		t.Errorf("%d bytes are left, want none", left)
	}
	checkChunks(t, l)
	there := 0
	for i := range 100 {
		if text, ok := getText(l, keyOf(i)); ok {
			there++
			if text != "text" {
				t.Errorf("entry %d is %q", i, text)
			}
			if i < again {
				if _, _, gap, _ := l.get(keyOf(i), nil); gap != 1 {
					t.Errorf("entry %d was used %d uses ago, want 1", i, gap)
				}
			}
		}
	}
	if want := 100 - 2*inFirst + again + 1; there != want {
		t.Errorf("%d entries are there, want %d", there, want)
	}
	l = newLog(100_000)
	putText(l, keyOf(1), "text")
	putText(l, keyOf(2), "text")
	getText(l, keyOf(1))
	for _, want := range []int{1, 0} {
		if l.freeOldest(10 * size); len(l.index) != want {
			t.Errorf("%d entries are there after one use, want %d", len(l.index), want)
		}
	}
}

// TestLog_AgainAtMost: to make room for one entry, a log that has no unused ones writes at most a quarter again, and 1 MiB.
func TestLog_AgainAtMost(t *testing.T) {
	for capacity, most := range map[int64]int64{1 << 20: 1 << 18, 16 << 20: 1 << 20} {
		l := newLog(capacity)
		text := string(make([]byte, 4000))
		n := 0
		for ; l.written+l.objects.bytes+perEntry+4010 <= capacity; n++ {
			putText(l, keyOf(n), text)
			getText(l, keyOf(n))
		}
		putText(l, keyOf(n), text)
		again := int64(0)
		for i := range n {
			if b := l.find(keyOf(i)); b != nil && entryOf(b).used == 0 {
				again += perEntry + 4010
			}
		}
		if again > most || again < most-perEntry-4010 {
			t.Errorf("a log of %d bytes wrote %d again, want %d at most", capacity, again, most)
		}
		if _, ok := getText(l, keyOf(n)); !ok {
			t.Error("the new entry is not there")
		}
	}
}

// TestReferences: the number of an object that no entry needs is used again, and the object is not held.
func TestReferences(t *testing.T) {
	var r references
	a, b := r.add("a", 10), r.share("b", 20)
	if r.share("b", 20) != b || r.bytes != 30 || r.own(a) != 10 || r.own(b) != 0 {
		t.Errorf("%d bytes; %d of a, %d of b", r.bytes, r.own(a), r.own(b))
	}
	r.release(b)
	r.release(a)
	if r.bytes != 20 || r.object(a) != nil || r.object(b) != "b" {
		t.Errorf("%d bytes, %v and %v", r.bytes, r.object(a), r.object(b))
	}
	if n := r.add("c", 1); n != a || r.object(n) != "c" {
		t.Errorf("the next object has the number %d, want %d", n, a)
	}
	r.release(b)
	if n := r.share("b", 20); n != b || r.object(n) != "b" || r.bytes != 21 {
		t.Errorf("the object has the number %d, %d bytes", n, r.bytes)
	}
}
