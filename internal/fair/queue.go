package fair

import "slices"

// A Queue holds what clients wait for, and gives it out round robin. Each client's own
// comes in the order in which it was added. The zero value is an empty queue. A Queue is
// not safe for concurrent use.
type Queue[T comparable] struct {
	clients []*line[T] // clients with items, in the order of their turns
	n       int
}

type line[T comparable] struct {
	key   any
	items []T
}

// Len is the number of items.
func (q *Queue[T]) Len() int { return q.n }

// Push adds an item of a client.
func (q *Queue[T]) Push(key any, item T) {
	q.n++
	if i := q.find(key); i >= 0 {
		q.clients[i].items = append(q.clients[i].items, item)
		return
	}
	q.clients = append(q.clients, &line[T]{key, []T{item}})
}

// Next returns the next item. The queue must not be empty.
func (q *Queue[T]) Next() T { return q.clients[0].items[0] }

// Pop removes the next item, and its client goes to the end of the turns. The queue must
// not be empty.
func (q *Queue[T]) Pop() T {
	l := q.clients[0]
	item := l.items[0]
	l.items = slices.Delete(l.items, 0, 1)
	q.n--
	q.clients = slices.Delete(q.clients, 0, 1)
	if len(l.items) > 0 {
		q.clients = append(q.clients, l)
	}
	return item
}

// Remove removes an item of a client, and reports whether it was there.
func (q *Queue[T]) Remove(key any, item T) bool {
	i := q.find(key)
	if i < 0 {
		return false
	}
	l := q.clients[i]
	at := slices.Index(l.items, item)
	if at < 0 {
		return false
	}
	l.items = slices.Delete(l.items, at, at+1)
	q.n--
	if len(l.items) == 0 {
		q.clients = slices.Delete(q.clients, i, i+1)
	}
	return true
}

func (q *Queue[T]) find(key any) int {
	return slices.IndexFunc(q.clients, func(l *line[T]) bool { return l.key == key })
}
