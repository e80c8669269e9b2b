package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A clock is the time of all shops of an episode.
type clock struct{ seconds atomic.Int64 }

// start is the time when an episode begins: a Monday in 2024, noon UTC.
var start = time.Date(2024, time.January, 1, 12, 0, 0, 0, time.UTC)

func (c *clock) now() time.Time { return start.Add(time.Duration(c.seconds.Load()) * time.Second) }

func (c *clock) advance(d time.Duration) { c.seconds.Add(int64(d / time.Second)) }

// A handle is an open shop. It serves one request at a time.
type handle struct {
	*shop.Shop
	st     store.Store
	cached bool // the last response came from the response cache
}

// open opens a shop over a store, which it closes if that fails. Without caches, the shop
// computes every response.
func open(ctx context.Context, st store.Store, edition shopapi.Edition, c *clock, caches bool) (h *handle, err error) {
	h = &handle{st: st}
	opts := &shop.Options{Batch: true, Options: shopapi.Options{
		Edition: edition, Clock: c.now, Logger: slog.New(slog.DiscardHandler),
		Completed: func(_ *http.Request, completion shopapi.Completion) { h.cached = completion.Cached },
	}}
	opts.Access.On = true
	opts.Reports.On = true
	opts.Limits.LoginFailures = 1 << 30 // disabled users go on sending requests
	opts.Limits.LoginEntries = 100
	if opts.Limits.CacheBytes = 1 << 20; !caches {
		opts.Limits.CacheBytes = -1
	}
	if h.Shop, err = shop.New(ctx, st, opts); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return h, nil
}

// close ends the shop and closes its store.
func (h *handle) close() error {
	return errors.Join(h.Shutdown(context.Background()), h.st.Close())
}

// A login is an e-mail address and an API key.
type login struct{ email, key string }

// A request can be sent several times.
type request struct {
	login
	method, address, accept, body string
}

func (r request) String() string {
	return strings.TrimSpace(r.method + " " + r.address + " as " + r.email + ", Accept: " + r.accept + " " + r.body)
}

// send sends a request without a network.
func (h *handle) send(ctx context.Context, r request) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, r.method, r.address, strings.NewReader(r.body))
	req.SetBasicAuth(r.email, r.key)
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}
