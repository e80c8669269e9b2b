// Command shopsoak runs examples/shop with its default options under load, and reports
// the memory of the process:
//
//	go run ./cmd/shopsoak -time 30m -flat
//
// The load is mixed: objects, lists and searches, most of them not cached, in both
// formats; creates, updates and deletes that leave the shop at its size; and wrong
// credentials for many e-mail addresses from many addresses of the loopback network. An
// unexpected status is an error.
//
// Memory is the RSS: the memory of the process in RAM, including its own caches and
// SQLite's. It is flat if it rises over the last third of the time by at most a
// twentieth. It rises within the first minutes, until the response cache is full.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/shopapi/shopapi/cmd/internal/command"

	"github.com/shopapi/shopapi/cmd/internal/example"
)

func main() {
	command.Main("shopsoak", run)
}

// settings are the values of the flags.
type settings struct {
	time    time.Duration
	clients int
	scale   int
	program string
	flat    bool
	most    int64 // bytes
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("shopsoak", flag.ContinueOnError)
	flags.DurationVar(&s.time, "time", 10*time.Minute, "how long")
	flags.IntVar(&s.clients, "clients", 8, "how many ask at once")
	flags.IntVar(&s.scale, "demo-scale", 10, "how large the shop is, as for examples/shop")
	flags.StringVar(&s.program, "shop", "", "the compiled example; without it, it is built with the go command")
	flags.BoolVar(&s.flat, "flat", false, "fail unless the memory is flat")
	most := flags.Int64("most", 0, "fail when the memory is ever more than so many MiB; 0 for any")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.most = *most << 20; flags.NArg() > 0 || s.time < time.Second || s.clients < 1 || s.scale < 1 || s.most < 0 {
		return s, errors.New("-time is a second or more, -clients and -demo-scale 1 or more, -most is not negative, and there are no other arguments")
	}
	return s, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	s, err := parse(args)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "shopsoak-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if s.program == "" {
		if s.program, err = example.Build(ctx, dir); err != nil {
			return err
		}
	}
	return soak(ctx, s, filepath.Join(dir, "shop.db"), out)
}

// samples is the number of memory samples of a soak.
const samples = 60

// soak runs the load and judges the memory.
func soak(ctx context.Context, s settings, db string, out io.Writer) (err error) {
	root := login{"root@example.com", rand.Text()}
	p, err := example.Launch(s.program, db, root.email+":"+root.key, "-demo-scale", fmt.Sprint(s.scale))
	if err != nil {
		return err
	}
	defer p.Kill()
	address, err := p.Address(ctx)
	if err != nil {
		return err
	}
	l, err := newLoad(ctx, address, db, root)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v of load by %d clients; seconds, MiB in RAM, requests:\n", s.time, s.clients)
	loading, stop := context.WithTimeout(ctx, s.time)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- l.run(loading, s.clients) }()
	rss := watch(loading, p, s.time/samples, func(since time.Duration, bytes int64) {
		fmt.Fprintf(out, "%6.0f %5d %9d\n", since.Seconds(), bytes>>20, l.requests.Load())
	})
	if err := errors.Join(<-ended, ctx.Err()); err != nil {
		return fmt.Errorf("%w\n%s", err, p.Stderr())
	}
	fmt.Fprintln(out, l)
	v := judge(rss)
	fmt.Fprintln(out, v)
	if err := p.Stop(); err != nil {
		return err
	}
	switch {
	case s.flat && !v.flat:
		return errors.New("the memory is not flat")
	case s.most > 0 && v.most > s.most:
		return fmt.Errorf("the memory was %d MiB, more than %d MiB", v.most>>20, s.most>>20)
	}
	return nil
}

// watch reads the memory at equal intervals until ctx ends.
func watch(ctx context.Context, p *example.Process, every time.Duration, tell func(time.Duration, int64)) (rss []int64) {
	began, tick := time.Now(), time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			bytes := p.RSS()
			tell(time.Since(began), bytes)
			rss = append(rss, bytes)
		case <-ctx.Done():
			return rss
		}
	}
}
