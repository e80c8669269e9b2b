package shopapi_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
)

// A waiting entity answers when it is let.
type waiting struct {
	answers
	began, let chan struct{}
}

func (w waiting) List(context.Context, *shopapi.Request) (any, error) {
	close(w.began)
	<-w.let
	return 1, nil
}

// §5: 503 with Retry-After when the service is shutting down; what is in flight
// is finished.
func TestShutdown(t *testing.T) {
	s := newShop(t)
	w := waiting{began: make(chan struct{}), let: make(chan struct{})}
	if err := s.Register(w); err != nil {
		t.Fatal(err)
	}
	answered := make(chan *reply, 1)
	go func() { answered <- s.do("GET", "/api/answers", "") }()
	<-w.began

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown did not wait: %v", err)
	}
	s.do("GET", "/api/aisles", "").want(503).has("Retry-After", "1").contains("shutting down")
	s.do("GET", "/api/aisles", "", with("Accept", "text/plain")).want(503).contains("status=503")
	close(w.let)
	(<-answered).want(200).is("1")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// After Shutdown returned nothing runs any more.
func TestShutdown_Concurrent(t *testing.T) {
	for range 50 {
		s := newShop(t)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if r := s.do("GET", "/api/aisles", ""); r.Code != 200 && r.Code != 503 {
					t.Errorf("status %d", r.Code)
				}
			})
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		s.aisles.mu.Lock()
		served := len(s.trace)
		s.aisles.mu.Unlock()
		group.Wait()
		if len(s.trace) != served {
			t.Fatalf("%d requests were served after Shutdown", len(s.trace)-served)
		}
	}
}

// What Completed does belongs to the request, also after a panic.
func TestShutdown_WaitsForCompleted(t *testing.T) {
	began, let := make(chan struct{}), make(chan struct{})
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(*http.Request, shopapi.Completion) {
			close(began)
			<-let
		}
	})
	if err := s.Register(panicking{answers{"boom"}}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan *reply, 1)
	go func() { answered <- s.do("GET", "/api/answers", "") }()
	<-began
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown did not wait: %v", err)
	}
	close(let)
	(<-answered).want(500)
}
