package fair

import "context"

// Lanes are slots that clients share, and further slots that are reserved for short
// operations.
type Lanes struct{ common, reserved *Semaphore }

// A Slot is one of the slots of [Lanes], which a client has.
type Slot struct {
	of  *Semaphore
	key any
}

// NewLanes returns lanes with common and reserved slots.
func NewLanes(common, reserved int) *Lanes {
	l := &Lanes{common: New(int64(common), int64(common))}
	if reserved > 0 {
		l.reserved = New(int64(reserved), int64(reserved))
	}
	return l
}

// Take takes a slot for a client, as soon as one is free and it is the client's turn. A
// short operation gets a reserved slot if no common one is free. Take returns the error
// of ctx, and then takes none.
func (l *Lanes) Take(ctx context.Context, key any, short bool) (Slot, error) {
	from := l.common
	if short && l.reserved != nil {
		if from.TryAcquire(key, 1) {
			return Slot{from, key}, nil
		}
		from = l.reserved
	}
	return Slot{from, key}, from.Acquire(ctx, key, 1)
}

// Waiting returns the number of waiting clients.
func (l *Lanes) Waiting() int {
	n := l.common.Waiting()
	if l.reserved != nil {
		n += l.reserved.Waiting()
	}
	return n
}

// Release gives the slot back.
func (s Slot) Release() { s.of.Release(s.key, 1) }
