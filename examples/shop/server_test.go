package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
)

// TestServer_TimeLimits: a slow client is disconnected after a time, and the API's own
// limit is shorter.
func TestServer_TimeLimits(t *testing.T) {
	s := newServer(shopapi.New(nil), slog.Default())
	const ownLimit = 30 * time.Second // the default of Limits.Time
	for name, limit := range map[string]time.Duration{"ReadTimeout": s.ReadTimeout, "WriteTimeout": s.WriteTimeout} {
		if limit <= ownLimit || limit > 2*time.Minute {
			t.Errorf("%s is %v", name, limit)
		}
	}
	for name, limit := range map[string]time.Duration{"ReadHeaderTimeout": s.ReadHeaderTimeout, "IdleTimeout": s.IdleTimeout} {
		if limit <= 0 || limit > 2*time.Minute {
			t.Errorf("%s is %v", name, limit)
		}
	}
}

// TestServer_Pages: the console, the reference and the pictures are served beside the
// API.
func TestServer_Pages(t *testing.T) {
	h, err := withPages(t.Context(), newTestShop(t, "memory"), uploads{t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]int{"/console/": 200, "/docs/": 200, "/docs/openapi.json": 200, "/api/2.0/products": 401, "/api/2.0//products": 401, "/api/2.0/users/../products": 401, "/nothing": 401, "/images/mug-cobalt.svg": 200, "/images/mug.svg": 404} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", address, nil))
		if w.Code != want {
			t.Errorf("%s answers %d, want %d", address, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	if w.Code != 302 || w.Header().Get("Location") != "/console/" {
		t.Errorf("the root answers %d %v, want the way to the console", w.Code, w.Header())
	}
}

// TestServer_Pictures: each piece has a drawing in each glaze.
func TestServer_Pictures(t *testing.T) {
	h := pictures()
	for _, top := range tree {
		for _, twig := range top.below {
			for _, noun := range twig.nouns {
				for _, glaze := range glazes {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", pictureOf(noun, glaze).Detailed.Path, nil))
					if w.Code != 200 || w.Header().Get("Content-Type") != "image/svg+xml" {
						t.Errorf("%s, %s is answered %d %v", noun, glaze, w.Code, w.Header())
					}
				}
			}
		}
	}
}

// TestServer_ShutdownDisconnectsSlowClients: a client that never reads its response does
// not make the end of the server an error, nor delay it beyond the grace.
func TestServer_ShutdownDisconnectsSlowClients(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	writing := make(chan struct{})
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(writing)
		for part := make([]byte, 64<<10); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, newTestShop(t, "memory"), endless, listener, 50*time.Millisecond, slog.New(slog.DiscardHandler))
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: shop\r\n\r\n")
	<-writing
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
