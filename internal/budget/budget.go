// Package budget bounds the memory of all requests together, and of each client.
//
// A request waits for its share twice: before its body is read, and before the operation
// runs. The two shares come from separate parts of the budget, so that requests that wait
// for the second part do not block each other. A running request reports memory beyond
// its share ([Share.Use]) without waiting: if it exceeds the budget, it fails with an
// [Error].
package budget

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/shopapi/shopapi/internal/fair"
)

// A Budget is a number of bytes for all requests of a process. One client may use a
// quarter of it.
type Budget struct {
	bodies  *fair.Semaphore // bytes of bodies that arrive
	work    *fair.Semaphore // bytes of operations, and of responses until they are sent
	running *fair.Semaphore // operations that compute for long: CPU time
	parsing *fair.Semaphore // long operations with a large body
}

// The parts of a budget.
const (
	bodiesPart = 4 // one part in so many is for bodies that arrive
	clientPart = 4 // one client has one part in so many
)

// New returns a budget of size bytes.
func New(size int64) *Budget {
	bodies := size / bodiesPart
	cpus := int64(runtime.GOMAXPROCS(0))
	return &Budget{
		bodies:  fair.New(bodies, bodies/clientPart),
		work:    fair.New(size-bodies, (size-bodies)/clientPart),
		running: fair.New(4*cpus, max(2, cpus)),
		parsing: fair.New(4*cpus, max(1, cpus/2)),
	}
}

// An Error says that a request cannot have the memory that it needs.
type Error struct {
	// Never says that it would not get it either if it were alone.
	Never bool
}

func (e *Error) Error() string {
	if e.Never {
		return "budget: the request needs more memory than one client may use"
	}
	return "budget: the client uses all memory that it may use"
}

// A Share is what one request uses. Its methods may be called concurrently, and on nil,
// which is a share without limits.
type Share struct {
	budget *Budget
	client any
	outer  *Share // of the request within which this one runs, or nil

	mu                                sync.Mutex
	body, granted, used, runs, parses int64
}

// A Turn is what an operation waits for besides memory.
type Turn int

// A long operation waits while as many long operations of its client run as there are
// processors. With a large body it also waits while half as many parse one: parsing takes CPU
// time and makes garbage, and one client would take the whole machine.
const (
	NoTurn Turn = iota
	LongTurn
	BodyTurn
)

// Share returns the share of a new request of a client. It must be released.
func (b *Budget) Share(client any) *Share { return &Share{budget: b, client: client} }

// Within returns the share of a request that runs within the request of s, which waits for it.
// It uses the bytes that s has, and never waits for more: s would not be released meanwhile.
// It must be released.
func (s *Share) Within() *Share { return &Share{budget: s.budget, client: s.client, outer: s} }

// Client is the client whose request it is, nil without a share.
func (s *Share) Client() any {
	if s == nil {
		return nil
	}
	return s.client
}

// TakeBody takes the bytes of a body if nothing has to wait for them, and reports whether it
// did.
func (s *Share) TakeBody(n int64) bool {
	if s == nil || s.outer != nil || n <= 0 {
		return true
	}
	if !s.budget.bodies.AcquireNow(s.client, n) {
		return false
	}
	s.addBody(n)
	return true
}

func (s *Share) addBody(n int64) {
	s.mu.Lock()
	s.body += min(n, s.budget.bodies.Most())
	s.mu.Unlock()
}

// WaitBody waits for the bytes of a body. It returns the error of ctx.
func (s *Share) WaitBody(ctx context.Context, n int64) error {
	if s == nil || s.outer != nil || n <= 0 {
		return nil
	}
	if err := s.budget.bodies.Acquire(ctx, s.client, n); err != nil {
		return err
	}
	s.addBody(n)
	return nil
}

// TakeWork takes the first bytes of an operation if nothing has to wait for them, and reports
// whether it did.
func (s *Share) TakeWork(n int64) bool {
	if s == nil || s.outer != nil {
		return true
	}
	if !s.budget.work.AcquireNow(s.client, n) {
		return false
	}
	s.addWork(n)
	return true
}

func (s *Share) addWork(n int64) {
	s.mu.Lock()
	s.granted += min(n, s.budget.work.Most())
	s.mu.Unlock()
}

// ListWork is how many bytes the reading of a list is granted before it begins.
const ListWork = 1 << 20

// WaitWork waits for the first bytes of an operation, and for its turn, unless the request within
// which it runs has one. WaitWork returns the error of ctx.
func (s *Share) WaitWork(ctx context.Context, n int64, turn Turn) error {
	if s == nil {
		return nil
	}
	if turn != NoTurn && !s.outer.hasTurn() {
		if err := s.waitTurn(ctx, turn); err != nil {
			return err
		}
	}
	if s.outer != nil {
		return nil
	}
	if err := s.budget.work.Acquire(ctx, s.client, n); err != nil {
		return err
	}
	s.addWork(n)
	return nil
}

// waitTurn waits for a turn. What it got remains with the share if it fails.
func (s *Share) waitTurn(ctx context.Context, turn Turn) error {
	if turn == BodyTurn {
		if err := s.budget.parsing.Acquire(ctx, s.client, 1); err != nil {
			return err
		}
		s.mu.Lock()
		s.parses++
		s.mu.Unlock()
	}
	if err := s.budget.running.Acquire(ctx, s.client, 1); err != nil {
		return err
	}
	s.mu.Lock()
	s.runs++
	s.mu.Unlock()
	return nil
}

// hasTurn reports whether the request may compute for long.
func (s *Share) hasTurn() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs > 0
}

// grain is the number of bytes that a share grows by.
const grain = 256 << 10

// Use reports that the operation uses n bytes more. It returns an [*Error] when the
// budget has no more for it.
func (s *Share) Use(n int64) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += n
	if s.outer != nil {
		return s.outer.Use(n)
	}
	if s.used <= s.granted {
		return nil
	}
	most := s.budget.work.Most()
	more := min((s.used-s.granted+grain-1)/grain*grain, most-s.granted)
	if s.used > s.granted+more {
		return &Error{Never: true}
	}
	if !s.budget.work.TryAcquire(s.client, more) {
		return &Error{}
	}
	s.granted += more
	return nil
}

// Keep ends the operation. Only n bytes, the size of the response, stay in use until
// [Share.Release].
func (s *Share) Keep(n int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	if s.outer != nil {
		s.outer.unuse(s.used - n)
		s.used = n
		return
	}
	if n < s.granted {
		s.budget.work.Release(s.client, s.granted-n)
		s.granted, s.used = n, n
	}
}

// unuse reports that n bytes are not in use any more. They stay granted.
func (s *Share) unuse(n int64) {
	s.mu.Lock()
	s.used -= n
	s.mu.Unlock()
}

// end gives back the turns and the bytes of the body.
func (s *Share) end() {
	if s.parses > 0 {
		s.budget.parsing.Release(s.client, s.parses)
		s.parses = 0
	}
	if s.runs > 0 {
		s.budget.running.Release(s.client, s.runs)
		s.runs = 0
	}
	if s.body > 0 {
		s.budget.bodies.Release(s.client, s.body)
		s.body = 0
	}
}

// Release gives back everything.
func (s *Share) Release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	if s.outer != nil {
		s.outer.unuse(s.used)
		s.used = 0
		return
	}
	if s.granted > 0 {
		s.budget.work.Release(s.client, s.granted)
	}
	s.granted, s.used = 0, 0
}

type key struct{}

// With returns a context whose operations use a share.
func With(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, key{}, s)
}

// From returns the share of a context, nil where it has none.
func From(ctx context.Context) *Share {
	s, _ := ctx.Value(key{}).(*Share)
	return s
}

// Exceeded reports whether an error is an [*Error], and whether it is so for ever.
func Exceeded(err error) (exceeded, never bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return true, e.Never
	}
	return false, false
}
