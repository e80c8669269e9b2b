package main

import (
	"context"
	"math"
	"time"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

const startName = "start to first response"

// A startTime is how long shopapi over SQLite takes from the start of its process to the first
// response: the newest ten orders with a status, and their number.
type startTime struct {
	Orders  int         `json:"orders"`
	Seconds load.Spread `json:"seconds"`
	Met     bool        `json:"met"` // by so many orders
}

// maxStart is the goal with a million orders.
const maxStart = 0.150 // seconds

// startTimes stops shopapi, and starts it again with its file in each round.
func (b *bench) startTimes(ctx context.Context, rounds int) (*startTime, error) {
	newest := dialect.Of(peer.Shop).Orders(dialect.OrderList{Status: data.Placed, To: math.MaxInt32, Page: 1, PageSize: 10})
	var seconds []float64
	for range rounds {
		p := b.processes[peer.Shop]
		p.Stop()
		began := time.Now()
		p, err := peer.Start(ctx, p.Again())
		if err != nil {
			return nil, err
		}
		b.processes[peer.Shop] = p
		if _, _, err := answer(p, dialect.Get(newest, p.Authorization)); err != nil {
			return nil, err
		}
		seconds = append(seconds, time.Since(began).Seconds())
	}
	s := &startTime{Orders: b.rows, Seconds: load.SpreadOf(seconds)}
	s.Met = s.Seconds.Median <= maxStart
	b.say("%s: %.0f ms", startName, 1000*s.Seconds.Median)
	return s, nil
}
