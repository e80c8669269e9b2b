package shopapi

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// streamSlots bounds the responses that wait or stream: each of them is a connection and a
// goroutine that may last for hours.
type streamSlots struct {
	all, each int // at most; each is of one user

	mu     sync.Mutex
	open   int
	byUser map[budgetClient]int
}

// errTooManyStreams answers a request beyond the limits of responses that wait or stream.
var errTooManyStreams = &Error{
	Status:     http.StatusTooManyRequests,
	Message:    "Too many requests wait or stream at once. End one of them, or try again later.",
	retryAfter: retryLater,
}

// enter takes a slot for a user until leave is called, or returns a 429.
func (s *streamSlots) enter(user *User) (leave func(), err error) {
	client := budgetClient{user.ID, user.Email}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.all || s.byUser[client] >= s.each {
		return nil, errTooManyStreams
	}
	s.open++
	s.byUser[client]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.byUser[client]--; s.byUser[client] == 0 {
			delete(s.byUser, client)
		}
	}), nil
}

// EnterWait counts the request among the requests that wait ([Limits.Streams]) until leave is
// called. It returns the 429 of a request beyond the limits. Responses with a Stream are
// counted by the API.
func (r *EndpointRequest) EnterWait() (leave func(), err error) { return r.api.slots.enter(r.User) }

// Identify returns the user of the request with the privileges of now. A response that
// takes long asks before each part that it sends. The error is the response to
// credentials that are no longer valid.
func (r *EndpointRequest) Identify(ctx context.Context) (*User, error) {
	user, err := r.api.hostsUser(ctx, r.http)
	if err != nil || user != nil {
		return user, err
	}
	if user, _, ok := r.api.cache.User(ctx, r.http.Header); ok {
		return user, nil
	}
	credentials, err := credentialsOf(r.http.Header)
	if err != nil {
		return nil, err
	}
	user, _, err = r.api.userOf(ctx, r.http, credentials)
	return user, err
}

// clearDeadlines frees a request without a time limit from the deadlines that the server
// has set for its connection: they would end its context, or cut its response.
func (p *pipeline) clearDeadlines() {
	if p.server() == nil {
		return
	}
	control := http.NewResponseController(p.w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
	p.unlimited = true
}

// A patientBody is the body of a request without a time limit: it may take long, but no
// piece of it may.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
	time    time.Duration // of a piece
}

// Read reads a piece of the body.
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.time)) // not every server can
	return b.ReadCloser.Read(p)
}
