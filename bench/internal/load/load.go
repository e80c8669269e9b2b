// Package load asks a server as fast as it answers, and does the arithmetic of
// what was measured.
package load

import (
	"context"
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

// A Pool is the requests of an operation, of which connections take random ones.
type Pool struct {
	Requests [][]byte
	Status   int // of a good answer
	Refusal  int // of an answer that is right too, but not counted; 0 for none
}

// A Count is what one round of one peer gave.
type Count struct {
	Requests int
	Elapsed  time.Duration
}

// PerSecond is how many requests were answered in a second.
func (c Count) PerSecond() float64 { return float64(c.Requests) / c.Elapsed.Seconds() }

// Run asks over so many connections at once for the time, each connection sending
// when the answer before is read. An answer of a status that the pool does not
// have ends it with an error: what fails must not count as fast.
func Run(ctx context.Context, addr string, pool Pool, connections int, d time.Duration) (Count, error) {
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
	counts, failed := make([]int, connections), make(chan error, connections)
	began := time.Now()
	until := began.Add(d)
	for i, c := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), uint64(began.UnixNano())))
			_ = c.conn.SetDeadline(until.Add(patience))
			n := 0
			for time.Now().Before(until) && ctx.Err() == nil {
				status, err := c.Do(pool.Requests[random.IntN(len(pool.Requests))])
				if err == nil && status == pool.Refusal {
					continue
				}
				if err == nil && status != pool.Status {
					err = fmt.Errorf("load: status %d instead of %d", status, pool.Status)
				}
				if err != nil {
					failed <- err
					return
				}
				n++
			}
			counts[i] = n
		})
	}
	wg.Wait()
	result := Count{Elapsed: time.Since(began)}
	for _, n := range counts {
		result.Requests += n
	}
	select {
	case err := <-failed:
		return result, err
	default:
		return result, ctx.Err()
	}
}

// Paced sends a request every interval until ctx ends. What cannot keep pace
// sends as fast as it is answered. It returns how many were answered.
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
