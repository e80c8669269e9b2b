package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/extensions/console"
	"github.com/shopapi/shopapi/shop"
)

// observerGrace is how long the shutdown waits for the observer, after the requests in
// flight.
const observerGrace = 10 * time.Second

// withPages serves the console, the reference, the page of one-time links and the
// pictures of the demo, and uploaded images, beside the API. The root leads to the
// console.
func withPages(ctx context.Context, sh *shop.Shop, stored uploads) (http.Handler, error) {
	docs, err := apidoc.Handler(ctx, sh.API, nil)
	if err != nil {
		return nil, err
	}
	pages, err := console.Handler(ctx, sh.API, nil)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/console/", http.StripPrefix("/console", pages))
	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
	mux.Handle(signInPath, signIn{sh})
	mux.Handle("GET "+picturesPath, pictures())
	mux.Handle("GET "+uploadsPath, stored)
	mux.Handle("GET /{$}", http.RedirectHandler("/console/", http.StatusFound))
	mux.Handle("/", sh)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api") {
			sh.ServeHTTP(w, r) // the mux would redirect /api/2.0//products, which is 404
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

// newServer sets a limit for each way in which a client can be slow. They are above
// Limits.Time, 30 seconds, the limit of the API itself.
func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       40 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// serve serves until ctx ends. Then it completes requests in flight and delivers their
// events. After grace it disconnects the clients that have not read their responses.
func serve(ctx context.Context, sh *shop.Shop, handler http.Handler, listener net.Listener, grace time.Duration, logger *slog.Logger) error {
	if err := sh.Start(); err != nil {
		return err
	}
	server := newServer(handler, logger)
	server.RegisterOnShutdown(sh.EndStreams)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	logger.Info("the shop ends; what is in flight is answered")
	requests, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(requests)
	if errors.Is(err, context.DeadlineExceeded) {
		logger.Warn("clients that were too slow are disconnected", "after", grace)
		err = server.Close()
	}
	events, cancel := context.WithTimeout(context.WithoutCancel(ctx), observerGrace)
	defer cancel()
	return errors.Join(err, sh.Shutdown(events))
}
