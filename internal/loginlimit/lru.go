package loginlimit

import "container/list"

// A bounded map evicts the least recently used entry.
type bounded[K comparable, V any] struct {
	capacity int
	items    map[K]*list.Element
	recent   *list.List // of *pair[K, V], the last used first
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

func newBounded[K comparable, V any](capacity int) bounded[K, V] {
	return bounded[K, V]{capacity: capacity, items: map[K]*list.Element{}, recent: list.New()}
}

func (b *bounded[K, V]) get(key K) (value V, ok bool) {
	e, ok := b.items[key]
	if !ok {
		return value, false
	}
	b.recent.MoveToFront(e)
	return e.Value.(*pair[K, V]).value, true
}

func (b *bounded[K, V]) put(key K, value V) {
	if e, ok := b.items[key]; ok {
		e.Value.(*pair[K, V]).value = value
		b.recent.MoveToFront(e)
		return
	}
	b.items[key] = b.recent.PushFront(&pair[K, V]{key, value})
	if b.recent.Len() > b.capacity {
		b.removeElement(b.recent.Back())
	}
}

func (b *bounded[K, V]) remove(key K) {
	if e, ok := b.items[key]; ok {
		b.removeElement(e)
	}
}

func (b *bounded[K, V]) removeElement(e *list.Element) {
	b.recent.Remove(e)
	delete(b.items, e.Value.(*pair[K, V]).key)
}
