package respcache

import (
	"context"
	"sync"

	"github.com/shopapi/shopapi/store/driver"
)

// A Packer packs responses. Several goroutines may use it at once.
type Packer[R any] interface {
	// Pack appends the packed response to a buffer. Own is how many bytes the Unpacker takes if it
	// is for this response alone; 0 says that other responses have it too. Equal Unpackers are the same.
	Pack(buffer []byte, response R) (packed []byte, of Unpacker[R], own int64)
}

// An Unpacker unpacks responses. Several goroutines may use it at once.
type Unpacker[R any] interface {
	// Unpack returns the response. Ok is false if that fails. Packed is valid until Unpack returns.
	Unpack(packed []byte) (response R, ok bool)
}

// A packedTier holds packed responses with their read sets.
type packedTier[R any] struct {
	packer  Packer[R]
	largest int64
	forms   driver.ReadForms

	mu  sync.Mutex
	log *log
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// put packs a response that was displaced from the first tier, unless it came from here and is here
// still.
func (t *packedTier[R]) put(key responseKey, r response[R]) {
	form, row, isRow := t.forms.Row(r.reads)
	if r.from != 0 && t.renew(key, r.from, row.Since) {
		return
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	packed, of, own := t.packer.Pack((*buffer)[:0], r.value)
	*buffer = packed
	own = withGarbage(own)
	reads := int64(0)
	if !isRow {
		reads = withGarbage(int64(r.reads.Size()))
	}
	if perEntry+int64(len(packed))+own+reads > t.largest {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	objects := &t.log.objects
	e := entry{key: key, row: row, size: r.size}
	if isRow {
		e.reads = objects.share(form, withGarbage(form.Size()))
	} else {
		e.reads = objects.add(r.reads, reads)
	}
	if own == 0 {
		e.of = objects.share(of, 0)
	} else {
		e.of = objects.add(of, own)
	}
	t.log.put(&e, packed, own+reads)
}

// get returns the response of a key if it is valid. Invalid is true where there was a response that is
// not. Promote is true where the response was asked for before, with at most near other ones since; then it has its
// read set.
func (t *packedTier[R]) get(ctx context.Context, key responseKey, near uint32) (r response[R], promote, ok, invalid bool) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	t.mu.Lock()
	e, packed, gap, ok := t.log.get(key, (*buffer)[:0])
	if !ok {
		t.mu.Unlock()
		return r, false, false, false
	}
	of := t.log.objects.object(e.of).(Unpacker[R])
	reads := t.log.objects.object(e.reads)
	t.mu.Unlock()
	*buffer = packed

	promote = gap != 0 && gap <= near
	r.size, r.from = e.size, e.id
	row := e.row
	switch reads := reads.(type) {
	case *driver.RowForm:
		if row, ok = reads.Valid(ctx, e.row); ok && promote {
			r.reads = reads.ReadSet(row)
		}
	case *driver.ReadSet:
		r.reads, ok = reads, reads.Valid(ctx)
	}
	if !ok {
		return r, false, false, t.remove(ctx, key, e.id)
	}
	if row != e.row {
		t.renew(key, e.id, row.Since)
	}
	r.value, ok = of.Unpack(packed)
	return r, promote && ok, ok, false
}

// renew notes up to which version nothing has changed that a response was read from. It reports whether the
// response is here.
func (t *packedTier[R]) renew(key responseKey, id uint32, since uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.renew(key, id, since)
}

// remove removes a response that is not valid, unless the request has ended: then it may be valid. It
// reports whether it did.
func (t *packedTier[R]) remove(ctx context.Context, key responseKey, id uint32) bool {
	if ctx.Err() != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log.remove(key, id)
	return true
}
