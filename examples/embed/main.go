// Command embed is a shop that had its own pages, staff and suppliers before it got the
// API, which it mounts below /admin. It shows what a host can add to the library: its
// own users, an entity over a table of its own (suppliers), an entity below one of the
// library's (products/<id>/price_changes), a hook that writes a row in the transaction
// of a change, a queue of mails that follows the change log, and a log line for each
// request.
//
//	go run ./examples/embed
//	curl -u staff@example.com:correct-horse-battery http://127.0.0.1:8081/admin/api/2.0/products
//	curl -u staff@example.com:correct-horse-battery -X PUT -d price=14 http://127.0.0.1:8081/admin/api/2.0/products/1
//	curl -u staff@example.com:correct-horse-battery http://127.0.0.1:8081/admin/api/2.0/products/1/price_changes
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/shopapi/shopapi/store/memory"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8081", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		slog.Error("the shop stopped", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string) (err error) {
	st := memory.New()
	defer func() { err = errors.Join(err, st.Close()) }()
	s, err := newShop(ctx, st, slog.Default())
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("The shop is at http://%s/ and its administration API under http://%[1]s/admin/api/2.0/\n", listener.Addr())
	return s.serve(ctx, listener)
}

// grace is the time for running requests after a signal, and again for the shutdown
// after them.
const grace = 10 * time.Second

// serve serves requests until ctx ends, and waits for running requests before it returns.
func (s *shop) serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
	}
	server.RegisterOnShutdown(s.api.EndStreams)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	// Shut down the server first: afterwards the API responds 503 to new requests.
	err := server.Shutdown(deadline)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // disconnects clients that do not read their responses
	}
	events, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(err, s.api.Shutdown(events))
}
