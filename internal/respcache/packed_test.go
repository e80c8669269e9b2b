package respcache

import (
	"context"
	"math"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// A counter packs texts as they are. Each but "shared" has an Unpacker of its own, of 100 bytes.
type counter struct{ packs int }

type whole struct{ text string }

func (w *whole) Unpack([]byte) (string, bool) { return w.text, true }

var shared = new(whole)

func (c *counter) Pack(buffer []byte, text string) ([]byte, Unpacker[string], int64) {
	c.packs++
	if text == "shared" {
		return append(buffer, text...), shared, 0
	}
	return append(buffer, text...), &whole{text}, 100
}

func newTier(largest int64) (*packedTier[string], *counter) {
	c := new(counter)
	return &packedTier[string]{packer: c, largest: largest, log: newLog(100_000)}, c
}

// TestPackedTier_PutBack: a response that came from the tier is not packed again while it is there.
func TestPackedTier_PutBack(t *testing.T) {
	tier, c := newTier(10_000)
	r := response[string]{value: "a", reads: new(driver.ReadSet)}
	tier.put(keyOf(1), r)
	tier.put(keyOf(1), r)
	e, _, _, ok := tier.log.get(keyOf(1), nil)
	if r.from = e.id; !ok || c.packs != 2 {
		t.Fatalf("a response that was put twice is there: %v, packed %d times", ok, c.packs)
	}
	tier.put(keyOf(1), r)
	if c.packs != 2 {
		t.Error("a response that is there is packed again")
	}
	tier.log.remove(keyOf(1), e.id)
	tier.put(keyOf(1), r)
	if _, _, _, ok := tier.log.get(keyOf(1), nil); !ok || c.packs != 3 {
		t.Errorf("a response that was evicted meanwhile is there again: %v", ok)
	}
}

// TestPackedTier_Size: a response of the largest size is stored, and of a byte more is not. It takes 88
// bytes, its own, and 1.5 times the objects in Go's heap. Equal Unpackers count once.
func TestPackedTier_Size(t *testing.T) {
	reads := new(driver.ReadSet)
	for text, size := range map[string]int64{
		"text":   88 + 4 + 150 + int64(reads.Size())*3/2,
		"shared": 88 + 6 + int64(reads.Size())*3/2,
	} {
		for _, less := range []int64{0, 1} {
			tier, _ := newTier(size - less)
			for i := range 2 {
				tier.put(keyOf(i), response[string]{value: text, reads: reads})
			}
			stored := 2 * (1 - less)
			if got := tier.log.written + tier.log.objects.bytes; got != stored*size || int64(len(tier.log.index)) != stored {
				t.Errorf("%q: %d bytes are stored, want %d", text, got, stored*size)
			}
			weight := int64(0)
			for _, c := range tier.log.chunks {
				weight += c.weight
			}
			if weight != stored*size {
				t.Errorf("%q: the chunks have %d bytes, want %d", text, weight, stored*size)
			}
			if n := len(tier.log.objects.numbers); n > 0 != (text == "shared" && less == 0) {
				t.Errorf("%q: %d objects are shared", text, n)
			}
		}
	}
}

// TestPackedTier_Get: a response that is asked for again soon comes with its read set, size and id,
// so that it can be in the first tier.
func TestPackedTier_Get(t *testing.T) {
	st := memory.New()
	defer func() { _ = st.Close() }()
	type page struct {
		ID int64 `json:"page_id" store:"key"`
	}
	pages := store.MustTable[page]("pages")
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	update := func(change func(tx store.Tx) error) {
		t.Helper()
		if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return change(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx store.Tx) error { return pages.Insert(tx, &page{}) })
	for name, read := range map[string]func(tx store.Tx) error{
		"a row":  func(tx store.Tx) error { _, err := pages.Get(tx, 1); return err },
		"a list": func(tx store.Tx) error { _, err := pages.Select(tx, store.Query{}); return err },
	} {
		var reads driver.ReadSet
		if err := st.View(driver.WithReadSet(t.Context(), &reads), func(_ context.Context, tx store.Tx) error { return read(tx) }); err != nil {
			t.Fatal(err)
		}
		tier, _ := newTier(10_000)
		tier.put(keyOf(1), response[string]{value: name, reads: &reads, size: 77})
		for i, want := range []bool{false, true, false} {
			r, promote, ok, invalid := tier.get(t.Context(), keyOf(1), uint32(i%2))
			if !ok || invalid || promote != want || r.value != name {
				t.Fatalf("%s: get %d: %q, promoted: %v, %v", name, i, r.value, promote, ok)
			}
			if promote && (r.size != 77 || r.from != 1 || !r.reads.Valid(t.Context())) {
				t.Errorf("%s: the response has %d bytes, the id %d", name, r.size, r.from)
			}
		}
		update(func(tx store.Tx) error { return pages.Insert(tx, &page{}) })
		if _, promote, ok, invalid := tier.get(t.Context(), keyOf(1), 9); promote || ok || !invalid || len(tier.log.index) > 0 {
			t.Errorf("%s: after a change %v, %v, invalid: %v, %d entries", name, promote, ok, invalid, len(tier.log.index))
		}
	}
}

// TestSharesOf: a cache of any size is divided into shares that are not more than the whole, nor less than nothing.
func TestSharesOf(t *testing.T) {
	for _, bytes := range []int64{1, 4096, 56 << 20, 1 << 61, math.MaxInt64} {
		s := sharesOf(bytes)
		if s.users < 0 || s.ready < 0 || s.packed <= 0 || s.packed > bytes-s.users-s.ready {
			t.Errorf("%d bytes are divided into %+v", bytes, s)
		}
		if bytes >= 4096 && s.ready < bytes/8 {
			t.Errorf("of %d bytes, %d are for the responses that were used last", bytes, s.ready)
		}
	}
}
