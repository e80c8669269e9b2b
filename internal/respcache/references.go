package respcache

// references number the objects that entries of a log need. The garbage collector does not scan
// entries, which have numbers in place of pointers.
type references struct {
	slots   []reference
	free    []uint32
	numbers map[any]uint32 // of shared objects
	bytes   int64          // of all objects
}

// A reference is an object, with the number of entries that need it.
type reference struct {
	object any
	size   int64
	uses   int
	shared bool
}

// add returns the number of an object for one entry. The size is in bytes.
func (r *references) add(object any, size int64) uint32 {
	var n uint32
	if last := len(r.free) - 1; last >= 0 {
		n, r.free = r.free[last], r.free[:last]
	} else {
		n = uint32(len(r.slots))
		r.slots = append(r.slots, reference{})
	}
	r.slots[n] = reference{object: object, size: size, uses: 1}
	r.bytes += size
	return n
}

// share returns the number of an object that other entries may need too.
func (r *references) share(object any, size int64) uint32 {
	if n, ok := r.numbers[object]; ok {
		r.slots[n].uses++
		return n
	}
	n := r.add(object, size)
	r.slots[n].shared = true
	if r.numbers == nil {
		r.numbers = map[any]uint32{}
	}
	r.numbers[object] = n
	return n
}

// object returns the object of a number.
func (r *references) object(n uint32) any { return r.slots[n].object }

// release says that an entry does not need an object any more.
func (r *references) release(n uint32) {
	slot := &r.slots[n]
	if slot.uses--; slot.uses > 0 {
		return
	}
	if slot.shared {
		delete(r.numbers, slot.object)
	}
	r.bytes -= slot.size
	*slot = reference{}
	r.free = append(r.free, n)
}

// own returns the size of an object that one entry alone needs, 0 for a shared one.
func (r *references) own(n uint32) int64 {
	if r.slots[n].shared {
		return 0
	}
	return r.slots[n].size
}
