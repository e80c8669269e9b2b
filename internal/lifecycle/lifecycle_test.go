package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/shopapi/shopapi/internal/lifecycle"
)

// A shutdown waits for requests and functions, ends the contexts of functions and streams, and
// lets no further request enter.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lifecycle.New()
		ended := false
		l.Background(func(ctx context.Context) { <-ctx.Done(); ended = true })
		if l.Serving() || l.Start(func() error { return nil }) != nil || !l.Serving() {
			t.Fatal("it does not serve")
		}
		if !l.Enter() {
			t.Fatal("a request does not enter")
		}
		stream, cancel := l.Unlimited(t.Context())
		defer cancel()
		down := make(chan error, 1)
		go func() { down <- l.Shutdown(t.Context()) }()
		synctest.Wait()
		if len(down) != 0 || !errors.Is(context.Cause(stream), lifecycle.ErrShutdown) || !ended {
			t.Errorf("it ended %d times, the stream by %v, the function %t", len(down), context.Cause(stream), ended)
		}
		if l.Enter() {
			t.Error("a request enters during a shutdown")
		}
		l.Leave()
		if err := <-down; err != nil {
			t.Error(err)
		}
	})
}

// Shutdown returns the error of its context if that ends first.
func TestShutdown_GivesUp(t *testing.T) {
	l := lifecycle.New()
	l.Enter()
	defer l.Leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// A handler that was set up wrong runs no function, and returns the error each time.
func TestStart_Fails(t *testing.T) {
	l := lifecycle.New()
	l.Background(func(context.Context) { t.Error("a function runs") })
	wrong := errors.New("wrong")
	for range 2 {
		if err := l.Start(func() error { return wrong }); !errors.Is(err, wrong) {
			t.Errorf("the error is %v", err)
		}
	}
	if err := l.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
