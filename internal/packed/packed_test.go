package packed_test

import (
	"crypto/sha512"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/packed"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
)

// text has few repetitions of its own.
const text = "Glaze dries slowly in winter; our kiln heats up by night, when power costs least. Mugs, jugs and " +
	"bowls go to the front, plates behind. After fifty hours we open it: what cracked becomes mosaic, " +
	"everything else is wrapped, weighed, labelled, and shipped before noon on Friday."

func page(id int, route string) *packed.Response[string] {
	body := fmt.Sprintf(`{"page_id": "%d", "description": %q}`, id, text)
	r := response.New(http.StatusOK, response.NewField("Content-Type", "application/json"), []byte(body))
	r.Tag()
	return &packed.Response[string]{Response: r, Route: route}
}

func newPacker(bytes int64) *packed.Packer[string] {
	return packed.New(bytes, func(route *string) string { return *route })
}

// small is a packed response, and how many bytes it takes.
type small struct {
	of    respcache.Unpacker[*packed.Response[string]]
	bytes []byte
	size  int64
}

func pack(p *packed.Packer[string], r *packed.Response[string]) small {
	bytes, of, own := p.Pack(nil, r)
	return small{of, bytes, own + int64(len(bytes))}
}

func (s small) unpack() (*packed.Response[string], bool) { return s.of.Unpack(s.bytes) }

// TestPacker_Pack: a packed response takes a fraction of the memory, and comes back with its
// route.
func TestPacker_Pack(t *testing.T) {
	p := newPacker(1 << 20)
	for id := range 10 {
		r := page(id, fmt.Sprint("route ", id%2))
		small := pack(p, r)
		got, ok := small.unpack()
		if diff := cmp.Diff(r, got); !ok || diff != "" {
			t.Errorf("page %d is not the same (-before +after), %v:\n%s", id, ok, diff)
		}
		if small.size > r.Size()/8 || small.size < 16 {
			t.Errorf("page %d takes %d bytes packed, and %d before", id, small.size, r.Size())
		}
	}
}

// TestPacker_OwnText: what the first response does not have is in the packed one itself.
func TestPacker_OwnText(t *testing.T) {
	p := newPacker(1 << 20)
	pack(p, page(1, ""))
	sum := sha512.Sum512([]byte("page 2"))
	r := response.New(http.StatusOK, response.NewField("Content-Type", "application/json"), sum[:])
	r.Tag()
	if size := pack(p, &packed.Response[string]{Response: r}).size; size < int64(len(sum)) {
		t.Errorf("%d bytes of a new text take %d bytes", len(sum), size)
	}
}

// TestPacker_ManyRoutes: the first responses of the routes take a twelfth of the bytes at most,
// each 40 KiB. Responses of further routes stay as they are.
func TestPacker_ManyRoutes(t *testing.T) {
	p := newPacker(12 * 3 * 40 << 10)
	for round := range 2 {
		for route := range 5 {
			r := page(round, fmt.Sprint(route))
			small := pack(p, r)
			if packed := small.size < r.Size(); packed != (route < 3) {
				t.Errorf("a response of route %d is packed: %v", route, packed)
			}
			if got, ok := small.unpack(); !ok || !cmp.Equal(r, got) {
				t.Errorf("route %d: %v, %v", route, got, ok)
			}
		}
	}
}

// TestPacker_PoorFirst: after a first response that the others do not resemble, such as one of few
// chosen fields, a better one takes its place. Bodies that were packed before are unpacked all the same.
func TestPacker_PoorFirst(t *testing.T) {
	p := newPacker(1 << 20)
	short := response.New(http.StatusOK, response.NewField("Content-Type", "application/json"), []byte(`{"page_id": "0", "a": 1}`))
	short.Tag()
	poor := &packed.Response[string]{Response: short}
	before := pack(p, poor)
	for id := range 5 {
		r := page(id, "")
		if small := pack(p, r); small.size > 100 {
			t.Errorf("page %d takes %d bytes packed, and %d before", id, small.size, r.Size())
		}
	}
	if small := pack(p, poor); small.size > 100 {
		t.Errorf("the first response takes %d bytes", small.size)
	}
	r := page(7, "")
	if small := pack(p, r); small.size > 100 { // short ones do not displace the better first
		t.Errorf("after a short response, a page takes %d bytes", small.size)
	}
	if got, ok := before.unpack(); !ok || !cmp.Equal(poor, got) {
		t.Errorf("the first response is not the same, %v:\n%s", ok, cmp.Diff(poor, got))
	}
}

// TestPacker_Other: a response that cannot be packed stays as it is.
func TestPacker_Other(t *testing.T) {
	p := newPacker(1 << 20)
	pack(p, page(1, ""))
	other := page(2, "")
	other.Add("X-Total-Count", "1")
	if got, ok := pack(p, other).unpack(); !ok || got != other {
		t.Errorf("the response is another one: %v, %v", got, ok)
	}
}
