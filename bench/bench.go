package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// A bench is the peers of a run, each with the same rows.
type bench struct {
	scale
	dir       string
	source    string // the SQLite file with the rows
	processes map[string]*peer.Process
	progress  io.Writer
	profile   string // file for a CPU profile of shopapi over SQLite

	postgres     string // the DSN of the server, "" before a peer needs it
	stopPostgres func()
}

// newBench creates the rows. Close removes them.
func newBench(ctx context.Context, s scale, progress io.Writer) (*bench, error) {
	dir, err := os.MkdirTemp("", "shopapi-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{scale: s, dir: dir, source: filepath.Join(dir, "source.db"), processes: map[string]*peer.Process{}, progress: progress}
	b.say("making %d reviews and %d categories", s.rows, s.rows)
	self, err := os.Executable()
	if err == nil {
		var output []byte
		output, err = exec.CommandContext(ctx, self, seedSubcommand, b.source, strconv.Itoa(s.rows)).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("making the rows: %w: %s", err, output)
		}
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close stops all peers and removes their files.
func (b *bench) Close() {
	for _, p := range b.processes {
		p.Stop()
	}
	if b.stopPostgres != nil {
		b.stopPostgres()
		b.stopPostgres = nil
	}
	if err := os.RemoveAll(b.dir); err != nil {
		b.say("%v", err)
	}
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.progress, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// start starts a peer in a folder of its own.
func (b *bench) start(ctx context.Context, c peer.Config) (*peer.Process, error) {
	began := time.Now()
	dir, err := os.MkdirTemp(b.dir, c.Name+"-")
	if err != nil {
		return nil, err
	}
	if slices.Contains(peer.OverPostgreSQL, c.Name) {
		if c.Database, err = peer.CopyPostgreSQL(ctx, b.postgres, c.Name); err != nil {
			return nil, err
		}
	}
	c.Dir, c.Source, c.Rows, c.Prepared = dir, b.source, b.rows, filepath.Join(b.dir, "prepared")
	p, err := peer.Start(ctx, c)
	if err == nil {
		b.say("%s serves, after %.1f s", c.Name, time.Since(began).Seconds())
	}
	return p, err
}

// withPostgreSQL starts the server that some peers need. Where that fails, it says so and
// returns the other peers.
func (b *bench) withPostgreSQL(ctx context.Context, names []string) []string {
	needs := func(name string) bool { return slices.Contains(peer.OverPostgreSQL, name) }
	if b.postgres != "" || !slices.ContainsFunc(names, needs) {
		return names
	}
	b.say("copying the rows to PostgreSQL")
	var err error
	if b.postgres, b.stopPostgres, err = peer.LaunchPostgreSQL(ctx, b.source); err == nil {
		return names
	}
	b.say("%v are left out: %v", peer.OverPostgreSQL, err)
	return slices.DeleteFunc(slices.Clone(names), needs)
}

// startAll starts the peers and checks that each responds correctly.
func (b *bench) startAll(ctx context.Context, names []string) error {
	verify := newVerifier(b.rows)
	if slices.Contains(names, peer.Floor) { // it serves responses of shopapi
		names = append([]string{peer.Shop}, names...)
	}
	for _, name := range names {
		if b.processes[name] != nil {
			continue
		}
		c := peer.Config{Name: name}
		if name == peer.Shop {
			c.CPUProfile = b.profile
		}
		p, err := b.start(ctx, c)
		if err != nil {
			return err
		}
		b.processes[name] = p
		if err := verify.check(p, b.scale); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, p.Said())
		}
		if name == peer.Shop && slices.Contains(names, peer.Floor) {
			if err := b.prepare(p); err != nil {
				return err
			}
		}
	}
	b.say("all answer correctly: %v", slices.Sorted(maps.Keys(b.processes)))
	return nil
}

// prepare sends all reads to the library, and writes the responses for the floor.
func (b *bench) prepare(p *peer.Process) error {
	const connections = 8
	targets := targetsOfReads(b.scale)
	bodies, failed := make([]string, len(targets)), make([]error, connections)
	var wg sync.WaitGroup
	for i := range connections {
		wg.Go(func() {
			c, err := load.Dial(p.Addr)
			if err != nil {
				failed[i] = err
				return
			}
			defer func() { _ = c.Close() }()
			for n := i; n < len(targets) && failed[i] == nil; n += connections {
				var status int
				if status, _, bodies[n], failed[i] = c.Answer(dialect.Get(targets[n], p.Authorization)); status != 200 {
					failed[i] = errors.Join(failed[i], fmt.Errorf("%s was answered with status %d", targets[n], status))
				}
			}
		})
	}
	wg.Wait()
	answers := make(map[string]string, len(targets))
	for n, target := range targets {
		answers[target] = bodies[n]
	}
	return errors.Join(errors.Join(failed...), peer.WritePrepared(filepath.Join(b.dir, "prepared"), answers))
}

// A result is the measurements of an operation.
type result struct {
	Operation   string               `json:"operation"`
	Connections int                  `json:"connections"`
	Peers       map[string]*measured `json:"peers"`
}

// A measured is the measurement of an operation at one peer.
type measured struct {
	PerSecond load.Spread `json:"per_second"`
	Rounds    []float64   `json:"rounds"`        // requests per second
	CPU       load.Spread `json:"cpu_seconds"`   // of the peer's process, per request
	Written   load.Spread `json:"written_bytes"` // by the process, per request, the response included
	Writes    load.Spread `json:"writes"`        // calls of the system, per request

	cpu, written, writes []float64

	answered int
}

// measure runs an operation: a warm-up of each peer, then the rounds, in each of
// which the peers take turns.
func (b *bench) measure(ctx context.Context, o operation, names []string, rounds int, d time.Duration) (result, error) {
	r := result{Operation: o.Name, Connections: o.Connections, Peers: map[string]*measured{}}
	pools := map[string]load.Pool{}
	for _, name := range names {
		if !o.takesPart(name) {
			continue
		}
		pools[name], r.Peers[name] = o.pool(b.processes[name], b.scale), &measured{}
		if err := b.warmUp(ctx, o, r.Peers[name], name, pools[name], d/4); err != nil {
			return r, b.blame(o, name, err)
		}
	}
	for range rounds {
		for _, name := range names {
			m, p := r.Peers[name], b.processes[name]
			if m == nil {
				continue
			}
			cpu := p.CPU()
			written, writes := p.Written()
			count, err := b.turn(ctx, o, p, pools[name], d)
			if err != nil {
				return r, b.blame(o, name, err)
			}
			m.answered += count.Requests
			m.Rounds = append(m.Rounds, count.PerSecond())
			requests := float64(max(1, count.Requests))
			m.cpu = append(m.cpu, (p.CPU()-cpu).Seconds()/requests)
			nowWritten, nowWrites := p.Written()
			if nowWritten > written { // else the system does not provide it
				m.written = append(m.written, float64(nowWritten-written)/requests)
				m.writes = append(m.writes, float64(nowWrites-writes)/requests)
			}
		}
	}
	for _, m := range r.Peers {
		m.PerSecond, m.CPU = load.SpreadOf(m.Rounds), load.SpreadOf(m.cpu)
		m.Written, m.Writes = load.SpreadOf(m.written), load.SpreadOf(m.writes)
	}
	b.say("%s: %s", o.Name, summary(r, names))
	return r, nil
}

func (b *bench) blame(o operation, name string, err error) error {
	return fmt.Errorf("%s: %s: %w\n%s", o.Name, name, err, b.processes[name].Said())
}

// maxHot is the maximum number of requests that are sent once before the rounds, so that
// they are cached.
const maxHot = 1000

func (b *bench) warmUp(ctx context.Context, o operation, m *measured, name string, pool load.Pool, d time.Duration) error {
	p := b.processes[name]
	if o.each || len(pool.Requests) <= maxHot {
		if _, err := load.Each(ctx, p.Addr, pool, o.Connections); err != nil {
			return err
		}
	}
	count, err := b.turn(ctx, o, p, pool, d)
	m.answered += count.Requests
	return err
}

// turn runs one round of one peer.
func (b *bench) turn(ctx context.Context, o operation, p *peer.Process, pool load.Pool, d time.Duration) (load.Count, error) {
	if !o.writing {
		return load.Run(ctx, p.Addr, pool, o.Connections, d)
	}
	writing, stop := context.WithCancel(ctx)
	failed := make(chan error, 1)
	changes := load.Pool{Requests: o.changes(p, b.scale), Status: 200, Refusal: refusal(p.Name)}
	go func() {
		_, err := load.Paced(writing, p.Addr, changes, time.Second/50)
		failed <- err
	}()
	count, err := load.Run(ctx, p.Addr, pool, o.Connections, d)
	stop()
	return count, errors.Join(err, <-failed)
}

// checkCreated checks that every acknowledged create is stored.
func (b *bench) checkCreated(results []result) error {
	for name, p := range b.processes {
		if name == peer.Floor {
			continue
		}
		created := 0
		for _, r := range results {
			if m := r.Peers[name]; m != nil && (r.Operation == create64 || r.Operation == createAlone) {
				created += m.answered
			}
		}
		_, total, err := ask(p, dialect.List{Page: 1, PageSize: 1})
		if err != nil {
			return err
		}
		if total != b.rows+created {
			return fmt.Errorf("%s: %d creates of %d rows were answered, but there are %d rows", name, created, b.rows, total)
		}
	}
	return b.checkPlaced(results)
}

// checkPlaced checks that every acknowledged order is stored.
func (b *bench) checkPlaced(results []result) error {
	placed := map[string]int{}
	for _, r := range results {
		if r.Operation != place64 && r.Operation != placeAlone {
			continue
		}
		for name, m := range r.Peers {
			if name != peer.Floor {
				placed[name] += m.answered
			}
		}
	}
	for name, n := range placed {
		p, d := b.processes[name], dialect.Of(name)
		l := dialect.OrderList{Status: data.Placed, From: data.Last + 1, To: math.MaxInt32, Page: 1, PageSize: 1}
		_, body, err := answer(p, dialect.Get(d.Orders(l), p.Authorization))
		if err != nil {
			return err
		}
		_, total, err := d.Rows("", body)
		if err != nil {
			return err
		}
		if total != n {
			return fmt.Errorf("%s: %d orders were placed, but there are %d", name, n, total)
		}
	}
	return nil
}
