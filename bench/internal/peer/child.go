package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"time"
)

// greeting is what a peer's process prints once it serves.
type greeting struct {
	Addr          string `json:"addr"`
	Authorization string `json:"authorization"`
}

// Serve is the main function of a peer's process. It serves until its input ends, which
// happens when the process that started it has ended for any reason.
func Serve(ctx context.Context, config string, stdin io.Reader, stdout io.Writer) (err error) {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	if c.CPUProfile != "" {
		stop, err := profile(c.CPUProfile)
		if err != nil {
			return err
		}
		defer stop()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		cancel()
	}()
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(stdout).Encode(greeting{listener.Addr().String(), s.authorization}); err != nil {
		return err
	}
	h := &http.Server{Handler: s.handler, ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return h.Close()
	}
}

func profile(file string) (stop func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}, nil
}
