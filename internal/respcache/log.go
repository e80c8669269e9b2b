package respcache

import (
	"encoding/binary"
	"runtime"

	"github.com/shopapi/shopapi/store/driver"
)

// A log holds packed responses in the order in which they were written, in chunks of memory
// outside of Go's heap, which the garbage collector neither scans nor lets grow to twice its size. To
// make room it frees the oldest chunk, and writes again the entries that were used there. One goroutine
// uses a log at a time.
type log struct {
	capacity int64
	perChunk int64
	chunks   []*chunk // from the oldest on
	first    uint32   // the number of the first chunk
	written  int64    // the bytes of all entries in chunks
	index    map[uint64]place
	objects  references
	ids      uint32
	clock    uint32 // how often an entry was used
}

// A chunk is full if its weight is the log's perChunk.
type chunk struct {
	memory  []byte
	used    int
	weight  int64 // of entries and their objects
	cleanup runtime.Cleanup
}

// A place is the number of a chunk, and the offset of an entry in it.
type place uint64

func placeOf(chunk uint32, offset int) place { return place(chunk)<<32 | place(uint32(offset)) }

// An entry is a packed response without its bytes, which follow it in the chunk.
type entry struct {
	key    responseKey
	row    driver.RowRead // where reads is the number of a form
	id     uint32
	used   uint32 // the clock at the last use, 0 for never
	reads  uint32 // the number of a [driver.RowForm] or [driver.ReadSet]
	of     uint32 // the number of an [Unpacker]
	size   int32  // of the response, unpacked
	length int32  // of the packed bytes
}

const (
	entryBytes  = 56
	perEntry    = entryBytes + 32 // with its slot in the index
	usedOffset  = 36
	minChunk    = 4 << 10
	maxChunk    = 256 << 10
	perCapacity = 128 // chunks

	// For a new entry, at most this part of the log is written again, and at most so many bytes: other
	// goroutines wait meanwhile.
	partAgain = 4
	maxAgain  = 1 << 20
)

func newLog(capacity int64) *log {
	return &log{capacity: capacity, perChunk: min(max(capacity/perCapacity, minChunk), maxChunk), index: map[uint64]place{}}
}

// encode writes an entry. B has its bytes.
func (e *entry) encode(b []byte) {
	copy(b, e.key[:])
	binary.LittleEndian.PutUint64(b[16:], e.row.Since)
	binary.LittleEndian.PutUint64(b[24:], uint64(e.row.Key))
	for i, n := range [...]uint32{e.id, e.used, e.reads, e.of, uint32(e.size), uint32(e.length)} {
		binary.LittleEndian.PutUint32(b[32+4*i:], n)
	}
}

// entryOf reads an entry.
func entryOf(b []byte) entry {
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	return entry{
		key: responseKey(b[:16]),
		row: driver.RowRead{Since: binary.LittleEndian.Uint64(b[16:]), Key: int64(binary.LittleEndian.Uint64(b[24:]))},
		id:  number(32), used: number(usedOffset), reads: number(40), of: number(44), size: int32(number(48)), length: int32(number(52)),
	}
}

// prefix is what the index has of a key.
func (k *responseKey) prefix() uint64 { return binary.LittleEndian.Uint64(k[:]) }

// find returns the bytes of an entry, which are the log's, and the bytes behind it; nil where there is none.
func (l *log) find(key responseKey) []byte {
	at, ok := l.index[key.prefix()]
	if !ok {
		return nil
	}
	c := l.chunks[uint32(at>>32)-l.first]
	b := c.memory[uint32(at):c.used]
	if responseKey(b[:16]) != key {
		return nil
	}
	return b
}

// get returns an entry and its packed bytes, appended to a buffer, and notes the use. The gap
// is how often other entries were used since the last use, 0 where there was no use before.
func (l *log) get(key responseKey, buffer []byte) (e entry, packed []byte, gap uint32, ok bool) {
	b := l.find(key)
	if b == nil {
		return e, buffer, 0, false
	}
	e = entryOf(b)
	if l.clock++; l.clock == 0 {
		l.clock = 1
	}
	if e.used != 0 {
		gap = l.clock - e.used
	}
	binary.LittleEndian.PutUint32(b[usedOffset:], l.clock)
	return e, append(buffer, b[entryBytes:entryBytes+e.length]...), gap, true
}

// renew notes up to which version nothing has changed that the response of an entry was read from. It
// reports whether the entry is there.
func (l *log) renew(key responseKey, id uint32, since uint64) bool {
	b := l.find(key)
	if b == nil {
		return false
	}
	e := entryOf(b)
	if e.id != id {
		return false
	}
	e.row.Since = max(e.row.Since, since)
	e.encode(b)
	return true
}

// put stores an entry, in place of others with its key. Own is how many bytes its objects take.
func (l *log) put(e *entry, packed []byte, own int64) {
	l.remove(e.key, 0)
	if l.ids++; l.ids == 0 {
		l.ids = 1
	}
	e.id, e.used, e.length = l.ids, 0, int32(len(packed))
	l.write(e, packed, own)
	for again := min(l.capacity/partAgain, maxAgain); l.written+l.objects.bytes > l.capacity; {
		again = l.freeOldest(again)
	}
}

// remove removes the entry of a key, if it has this id or id is 0.
func (l *log) remove(key responseKey, id uint32) {
	at, ok := l.index[key.prefix()]
	if !ok {
		return
	}
	e := entryOf(l.chunks[uint32(at>>32)-l.first].memory[uint32(at):])
	if id != 0 && (e.id != id || e.key != key) {
		return
	}
	delete(l.index, key.prefix())
	l.release(&e)
}

func (l *log) release(e *entry) {
	l.objects.release(e.reads)
	l.objects.release(e.of)
}

// write writes an entry into the last chunk.
func (l *log) write(e *entry, packed []byte, own int64) {
	bytes := entryBytes + len(packed)
	var c *chunk
	if n := len(l.chunks); n > 0 {
		c = l.chunks[n-1]
	}
	if c == nil || c.weight+perEntry+int64(len(packed))+own > l.perChunk {
		c = newChunk(max(int(l.perChunk), bytes))
		l.chunks = append(l.chunks, c)
	}
	b := c.memory[c.used : c.used+bytes]
	e.encode(b)
	copy(b[entryBytes:], packed)
	l.index[e.key.prefix()] = placeOf(l.first+uint32(len(l.chunks)-1), c.used)
	c.used += bytes
	c.weight += perEntry + int64(len(packed)) + own
	l.written += perEntry + int64(len(packed))
}

// freeOldest frees the oldest chunk. Entries that were used since they were written are written again,
// up to so many bytes. It returns how many of these are left.
func (l *log) freeOldest(again int64) (left int64) {
	c, number := l.chunks[0], l.first
	l.chunks[0] = nil
	l.chunks, l.first = l.chunks[1:], l.first+1
	for at := 0; at < c.used; {
		e := entryOf(c.memory[at:])
		packed := c.memory[at+entryBytes : at+entryBytes+int(e.length)]
		is := placeOf(number, at)
		at += entryBytes + len(packed)
		l.written -= perEntry + int64(len(packed))
		if now, ok := l.index[e.key.prefix()]; !ok || now != is {
			continue // it was replaced or removed
		}
		own := l.objects.own(e.reads) + l.objects.own(e.of)
		if size := perEntry + int64(len(packed)) + own; e.used != 0 && again >= size {
			again -= size
			e.used = 0
			l.write(&e, packed, own)
			continue
		}
		delete(l.index, e.key.prefix())
		l.release(&e)
	}
	c.cleanup.Stop()
	freeMemory(c.memory)
	return again
}

// newChunk returns a chunk. Its memory is freed with it.
func newChunk(bytes int) *chunk {
	c := &chunk{memory: newMemory(bytes)}
	c.cleanup = runtime.AddCleanup(c, freeMemory, c.memory)
	return c
}
