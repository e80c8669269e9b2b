package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/console"
	"github.com/shopapi/shopapi/shop"
)

// How long the end may take: requests that are in flight, then the observer.
const (
	requestGrace  = 20 * time.Second
	observerGrace = 10 * time.Second
)

// withPages puts the console, the reference, the page of one-time links and the pictures
// of the demo beside the API.
func withPages(ctx context.Context, sh *shop.Shop) (http.Handler, error) {
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
	mux.Handle("/", sh)
	return mux, nil
}

// newServer has a limit for each thing that a client may be slow at. They are above
// Limits.Time, 30 seconds, within which the API itself answers.
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

// serve answers until ctx ends. Then it lets what is in flight come to its end, and
// the observer be told of it.
func serve(ctx context.Context, sh *shop.Shop, handler http.Handler, listener net.Listener, logger *slog.Logger) error {
	server := newServer(handler, logger)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	logger.Info("the shop ends; what is in flight is answered")
	requests, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestGrace)
	defer cancel()
	err := server.Shutdown(requests)
	if err != nil { // a client that is too slow
		err = errors.Join(err, server.Close())
	}
	events, cancel := context.WithTimeout(context.WithoutCancel(ctx), observerGrace)
	defer cancel()
	return errors.Join(err, sh.Shutdown(events))
}
