package webhooks_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// After Shutdown no connection to a receiver is open.
func TestE5_ShutdownClosesConnections(t *testing.T) {
	t.Parallel()
	s := open(t, shoptest.Memory(t), options())
	closed := make(chan struct{}, 1)
	r := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	r.Start()
	defer r.Close()
	id, _ := s.add(s.Client, r.URL, "categories.*")
	s.category("Cups")
	s.await(id, webhooks.Delivered)
	if err := s.API.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("the connection to the receiver is still open")
	}
}
