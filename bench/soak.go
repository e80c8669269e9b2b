package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

const soakName = "memory"

// A soaked is the RSS of two processes under the same load, one with a response cache
// and one without: the difference is the cost of caching.
type soaked struct {
	Seconds  float64 `json:"seconds"`
	Requests int     `json:"requests"`
	Keeping  []int64 `json:"keeping"` // bytes, at equal times
	Plain    []int64 `json:"plain"`
}

// soakLimit is the limit of the cache of the first process.
const soakLimit = 64 << 20

// cost is what the cache adds, in bytes: the mean without the first sample.
func (s *soaked) cost() float64 {
	var sum int64
	for i := 1; i < len(s.Keeping); i++ {
		sum += s.Keeping[i] - s.Plain[i]
	}
	return float64(sum) / float64(len(s.Keeping)-1)
}

// samples is the number of memory samples of a soak, including the first.
const samples = 9

// soak sends random requests to two new processes for a long time.
func (b *bench) soak(ctx context.Context, d time.Duration) (*soaked, error) {
	s := &soaked{Seconds: d.Seconds()}
	var processes [2]*peer.Process
	for i, cacheBytes := range []int64{soakLimit, -1} {
		p, err := b.start(ctx, peer.Config{Name: peer.Shop, CacheBytes: cacheBytes})
		if err != nil {
			return nil, err
		}
		defer p.Stop()
		processes[i] = p
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	failed := make(chan error, 4)
	for _, p := range processes {
		pool := load.Pool{Requests: randomReads(p, b.scale), Status: 200}
		wg.Go(func() {
			count, err := load.Run(ctx, p.Addr, pool, 4, d)
			if p == processes[0] {
				s.Requests = count.Requests
			}
			failed <- err
		})
		wg.Go(func() {
			writing, stop := context.WithTimeout(ctx, d)
			defer stop()
			_, err := load.Paced(writing, p.Addr, load.Pool{Requests: updates(p, b.scale), Status: 200}, time.Second/5)
			failed <- err
		})
	}
	look := time.NewTicker(d / samples)
	defer look.Stop()
	for range samples {
		s.Keeping = append(s.Keeping, processes[0].RSS())
		s.Plain = append(s.Plain, processes[1].RSS())
		select {
		case <-look.C:
		case <-ctx.Done():
		}
	}
	wg.Wait()
	close(failed)
	var err error
	for e := range failed {
		err = errors.Join(err, e)
	}
	b.say("memory: %s", s)
	return s, err
}

// String returns the memory at the end.
func (s *soaked) String() string {
	last := len(s.Keeping) - 1
	return fmt.Sprintf("%d MiB keeping answers, %d MiB keeping none", s.Keeping[last]>>20, s.Plain[last]>>20)
}

// randomReads returns more different reads than the cache can hold.
func randomReads(p *peer.Process, s scale) [][]byte {
	d := dialect.Of(p.Name)
	random := rand.New(rand.NewPCG(1, 2)) // the same for both processes
	targets := make([]string, 100_000)
	for i := range targets {
		switch i % 4 {
		case 0:
			targets[i] = d.Category(1 + random.IntN(s.rows))
		case 1:
			targets[i] = d.Review(1 + random.IntN(s.rows))
		case 2:
			targets[i] = d.List(dialect.List{Status: "A", Page: 1 + random.IntN(s.rows/40), PageSize: 10 + random.IntN(90)})
		default:
			targets[i] = d.List(dialect.List{
				Status: "D", Product: 1 + random.IntN(data.Products(s.rows)), Page: 1 + random.IntN(20), PageSize: 10 + random.IntN(90),
			})
		}
	}
	return gets(p, targets)
}
