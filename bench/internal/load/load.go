// Package load sends requests to a server as fast as it responds, and computes
// statistics of the measurements.
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Request renders a request. authorization is the whole value of the header.
func Request(method, target, authorization, body string) []byte {
	b := make([]byte, 0, 160+len(target)+len(authorization)+len(body))
	b = append(b, method+" "+target+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: "+authorization+"\r\n"...)
	if body != "" {
		b = append(b, "Content-Type: application/json\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(body)), 10)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	return append(b, body...)
}

// A Pool is the requests of an operation, from which connections pick at random.
type Pool struct {
	Requests [][]byte
	Status   int // of success, 0 for any 2xx
	Refusal  int // of a correct response that is not counted; 0 for none
}

// A Count is the result of one round of one peer.
type Count struct {
	Requests int
	Elapsed  time.Duration
}

// PerSecond is the number of responses per second.
func (c Count) PerSecond() float64 { return float64(c.Requests) / c.Elapsed.Seconds() }

// Run sends requests over a number of connections for a time, and at least one over each;
// each connection sends the next request after the response to the last. A response with another status than the
// pool's ends it with an error: failures must not count as fast.
func Run(ctx context.Context, addr string, pool Pool, connections int, d time.Duration) (Count, error) {
	began := time.Now()
	until := began.Add(d)
	return ask(ctx, addr, pool, connections, func(connection int) func() []byte {
		random := rand.New(rand.NewPCG(uint64(connection), uint64(began.UnixNano())))
		sent := false
		return func() []byte {
			if sent && !time.Now().Before(until) {
				return nil
			}
			sent = true
			return pool.Requests[random.IntN(len(pool.Requests))]
		}
	})
}

// Each sends every request of the pool once.
func Each(ctx context.Context, addr string, pool Pool, connections int) (Count, error) {
	return ask(ctx, addr, pool, connections, func(connection int) func() []byte {
		n := connection - connections
		return func() []byte {
			if n += connections; n >= len(pool.Requests) {
				return nil
			}
			return pool.Requests[n]
		}
	})
}

// ask sends the requests that next returns for each connection, until it returns nil.
func ask(ctx context.Context, addr string, pool Pool, connections int, next func(connection int) func() []byte) (Count, error) {
	clients := make([]*Client, connections)
	defer func() {
		for _, c := range clients {
			if c != nil {
				_ = c.Close()
			}
		}
	}()
	for i := range clients {
		var err error
		if clients[i], err = Dial(addr); err != nil {
			return Count{}, err
		}
	}
	var wg sync.WaitGroup
	counts, failed := make([]int, connections), make([]error, connections)
	began := time.Now()
	for i, c := range clients {
		wg.Go(func() { counts[i], failed[i] = c.ask(ctx, pool, next(i)) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil { // the error of each connection follows from it
		return Count{}, err
	}
	result := Count{Elapsed: time.Since(began)}
	for _, n := range counts {
		result.Requests += n
	}
	return result, errors.Join(failed...)
}

// ask sends one request after the other and returns the number of counted responses.
func (c *Client) ask(ctx context.Context, pool Pool, next func() []byte) (n int, err error) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if err := c.conn.SetDeadline(time.Now().Add(turnPatience)); err != nil {
		return 0, err
	}
	for request := next(); request != nil; request = next() {
		status, err := c.Do(request)
		switch {
		case err != nil:
			return n, err
		case status == pool.Status || pool.Status == 0 && status/100 == 2:
			n++
		case status != pool.Refusal:
			return n, fmt.Errorf("load: status %d instead of %d", status, pool.Status)
		}
	}
	return n, nil
}

// Paced sends a request every interval until ctx ends, or as fast as it gets responses
// if these take longer. It returns the number of responses.
func Paced(ctx context.Context, addr string, pool Pool, interval time.Duration) (int, error) {
	c, err := Dial(addr)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.Close() }()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return n, nil
		case <-tick.C:
		}
		status, _, body, err := c.Answer(pool.Requests[rand.IntN(len(pool.Requests))])
		if err == nil && status != pool.Status && status != pool.Refusal {
			err = fmt.Errorf("load: a write was answered with status %d: %.200s", status, body)
		}
		if err != nil {
			return n, err
		}
	}
}
