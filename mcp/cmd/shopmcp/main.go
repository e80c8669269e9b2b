// Command shopmcp serves a running shop to a client of the Model Context Protocol.
//
// A client that starts its servers itself runs it with the credentials of a user:
//
//	shopmcp -api https://shop.example/api -email staff@example.com -key-file key.txt
//
// With -listen it answers at /mcp over HTTP, and each caller brings credentials:
//
//	shopmcp -api https://shop.example/api -listen 127.0.0.1:8090
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/shopapi/shopapi/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "shopmcp:", err)
		os.Exit(1)
	}
}

// A config is what the flags say.
type config struct {
	api, document, email, keyFile, listen string
	options                               mcp.Options
}

// parse reads the flags.
func parse(args []string, output io.Writer) (*config, error) {
	c := &config{}
	flags := flag.NewFlagSet("shopmcp", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.StringVar(&c.api, "api", "", "the address of the API, which ends in /api")
	flags.StringVar(&c.document, "document", "", "the address of its OpenAPI document (default /docs/openapi.json at the origin of -api)")
	flags.StringVar(&c.email, "email", "", "the e-mail address of the user")
	flags.StringVar(&c.keyFile, "key-file", "", "the file with the API key of the user")
	flags.StringVar(&c.listen, "listen", "", "serve over HTTP at this address, below /mcp; each caller brings credentials")
	flags.BoolVar(&c.options.Write, "write", false, "add the tools that create and change")
	flags.BoolVar(&c.options.Delete, "delete", false, "add the tools that delete")
	list := func(into *[]string) func(string) error {
		return func(value string) error { *into = append(*into, value); return nil }
	}
	flags.Func("address", "add the tools of a further address, such as taxes or products/options (several times)", list(&c.options.Addresses))
	flags.Func("origin", "an origin whose pages may call over HTTP (several times)", list(&c.options.TrustedOrigins))
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unknown argument %q", flags.Arg(0))
	case c.api == "":
		return nil, errors.New("-api is missing: the address of the API, which ends in /api")
	case c.listen != "" && (c.email != "" || c.keyFile != ""):
		return nil, errors.New("-email and -key-file do not go with -listen: each caller brings credentials")
	case c.listen == "" && (c.email == "" || c.keyFile == ""):
		return nil, errors.New("-email and -key-file are missing (or -listen, to serve over HTTP)")
	case c.listen == "" && len(c.options.TrustedOrigins) > 0:
		return nil, errors.New("-origin goes with -listen")
	}
	return c, nil
}

// run serves until ctx ends or the client disconnects.
func run(ctx context.Context, args []string, output io.Writer) error {
	c, err := parse(args, output)
	if err != nil {
		return err
	}
	shop, err := newRemote(c.api, c.document)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(output, &slog.HandlerOptions{Level: slog.LevelWarn}))
	shop.logger, c.options.Logger = logger, logger
	if c.keyFile != "" {
		key, err := os.ReadFile(c.keyFile)
		if err != nil {
			return err
		}
		if shop.email, shop.key = c.email, strings.TrimSpace(string(key)); shop.key == "" {
			return fmt.Errorf("-key-file: %s has no key", c.keyFile)
		}
	}
	if c.options.Document, err = shop.readDocument(ctx); err != nil {
		return err
	}
	handler, err := mcp.New(shop.handler(), c.options)
	if err != nil {
		return err
	}
	if c.listen != "" {
		return serve(ctx, c.listen, handler, output)
	}
	if err := handler.Check(ctx); err != nil {
		return err
	}
	if err := handler.Run(ctx, &sdk.StdioTransport{}); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// serve answers at /mcp until ctx ends.
func serve(ctx context.Context, address string, handler http.Handler, output io.Writer) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(output, "shopmcp: http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(end)
}
