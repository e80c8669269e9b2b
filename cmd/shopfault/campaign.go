package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/bits"
	mathrand "math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/shopapi/shopapi/cmd/internal/example"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// A campaign kills the example repeatedly.
type campaign struct {
	program string
	db      string
	kills   int
	random  *mathrand.Rand
	out     io.Writer

	root    *client
	workers []*worker
	counter int // when it was last read
	sale    sale
	process *example.Process

	owners   map[int64]string // the workers by the ids of their users
	receiver *receiver
	imports  imports

	afterKill func() // damages the files, in tests
	figures   figures
}

// figures are the counts of a campaign.
type figures struct {
	kills, starting int // of which during the start
	acknowledged    int
	unanswered      int
	carriedOut      int // of writes without a response
	messages, jobs  int // of the webhook, and imports that ended
}

func (f figures) String() string {
	return fmt.Sprintf("%d kills (%d of them while it started), %d acknowledged writes, %d writes without an answer (%d of them carried out), %d messages, %d imports",
		f.kills, f.starting, f.acknowledged, f.unanswered, f.carriedOut, f.messages, f.jobs)
}

// newCampaign prepares a campaign in an empty folder.
func newCampaign(program, dir string, kills, workers int, seed uint64, out io.Writer) *campaign {
	c := &campaign{
		program: program, db: filepath.Join(dir, "shop.db"), kills: kills, out: out,
		random: mathrand.New(mathrand.NewPCG(seed, seed)), root: newClient("root@example.com", rand.Text()),
		afterKill: func() {}, owners: map[int64]string{},
	}
	for i := range workers {
		name := fmt.Sprintf("fault-%02d", i)
		c.workers = append(c.workers, &worker{
			client: newClient(name+"@example.com", rand.Text()), name: name, model: model{}, promised: promise{},
			random: mathrand.New(mathrand.NewPCG(seed, uint64(i))),
		})
	}
	return c
}

// A finding is a violated guarantee. It ends the campaign.
type finding []string

func (f finding) Error() string {
	text := fmt.Sprintf("%d findings:", len(f))
	for _, line := range f[:min(len(f), 20)] {
		text += "\n\t" + line
	}
	return text
}

// run runs the campaign. When it returns, the process that it started has ended.
func (c *campaign) run(ctx context.Context) (err error) {
	defer func() {
		if c.process != nil {
			c.process.Kill()
		}
	}()
	if c.receiver, err = newReceiver(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.receiver.server.Close()) }()
	for range 3 {
		if err := c.killStarting(); err != nil {
			return err
		}
	}
	if err := c.begin(ctx); err != nil {
		return err
	}
	for c.figures.kills < c.kills {
		if err := c.round(ctx); err != nil {
			return fmt.Errorf("after %v: %w", c.figures, err)
		}
		if n := c.figures.kills; bits.OnesCount(uint(n)) == 1 || n%50 == 0 {
			fmt.Fprintln(c.out, c.figures)
		}
	}
	return c.end(ctx)
}

// begin starts the shop, which must contain the whole demo, and adds the workers' users
// and the counter.
func (c *campaign) begin(ctx context.Context) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	for query, want := range map[string]string{"products?items_per_page=1": "240", "discussions?items_per_page=1": "500", "call_requests?items_per_page=1": "40"} {
		var list struct {
			Params struct {
				Total string `json:"total_items"`
			} `json:"params"`
		}
		if _, err := c.root.get(ctx, query, &list); err != nil {
			return err
		}
		if list.Params.Total != want {
			return finding{fmt.Sprintf("the demo is not whole: %s lists %s, want %s", query, list.Params.Total, want)}
		}
	}
	r, err := c.root.do(ctx, request{method: "POST", path: categories, body: encode(map[string]any{"category": counterName, "position": 0})})
	if err != nil {
		return err
	}
	id, err := createdID(r)
	if err != nil || r.status != http.StatusCreated {
		return r.unexpected("POST of the counter")
	}
	if c.sale, err = beginSale(ctx, c.root, id); err != nil {
		return err
	}
	c.imports.category = id
	st, err := sqlite.Open(ctx, c.db, nil)
	if err != nil {
		return err
	}
	for _, w := range c.workers {
		w.counter, w.sale = key{categories, id}, c.sale
		err = errors.Join(err, users.EnsureRootKey(ctx, st, w.email, w.key))
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	for _, w := range c.workers {
		if w.user, err = firstID(ctx, c.root, "users?user_type=A&items_per_page=1&email="+w.email); err != nil {
			return err
		}
		c.owners[w.user] = w.name
	}
	return nil
}

func (c *campaign) launch() (*example.Process, error) {
	return example.Launch(c.program, c.db, c.root.email+":"+c.root.key, "-webhook", c.receiver.url)
}

// start starts the example and passes its address to the clients.
func (c *campaign) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	p, err := c.launch()
	if err != nil {
		return err
	}
	c.process = p
	address, err := p.Address(ctx)
	if err != nil {
		return err
	}
	c.root.address = address
	for _, w := range c.workers {
		w.address = address
	}
	return nil
}

// kill kills the running process.
func (c *campaign) kill() {
	c.process.Kill()
	c.process = nil
	c.figures.kills++
	c.afterKill()
}

// killStarting kills the example while it starts.
func (c *campaign) killStarting() (err error) {
	if c.process, err = c.launch(); err != nil {
		return err
	}
	time.Sleep(time.Duration(c.random.Int64N(int64(200 * time.Millisecond))))
	c.kill()
	c.figures.starting++
	return nil
}

// round lets the workers write for a moment, kills the example, starts it again and
// checks the shop.
func (c *campaign) round(ctx context.Context) error {
	failed := make([]error, len(c.workers)+1)
	var wg sync.WaitGroup
	working, stop := context.WithCancel(ctx)
	defer stop()
	for i, w := range c.workers {
		wg.Go(func() {
			if failed[i] = w.work(working); failed[i] != nil {
				stop()
			}
		})
	}
	wg.Go(func() { failed[len(c.workers)] = c.imports.begin(working, c.root) })
	select {
	case <-time.After(time.Duration(20+c.random.IntN(300)) * time.Millisecond):
	case <-working.Done():
	}
	c.kill()
	wg.Wait()
	if err := errors.Join(append(failed, ctx.Err())...); err != nil {
		return err
	}
	for c.random.IntN(8) == 0 && c.figures.kills < c.kills {
		if err := c.killStarting(); err != nil {
			return err
		}
	}
	if c.random.IntN(4) == 0 {
		if err := c.endLeases(ctx); err != nil {
			return err
		}
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	return c.check(ctx)
}

// check compares the shop with the workers' models, repeats the writes without a
// response, and compares again.
func (c *campaign) check(ctx context.Context) error {
	shop, err := c.read(ctx)
	if err != nil {
		return err
	}
	found := finding(shop.broken)
	problems, err := c.imports.look(ctx, c.root)
	if err != nil {
		return err
	}
	found = append(found, problems...)
	c.figures.jobs, c.figures.messages = c.imports.ended, c.receiver.count()
	found = append(found, c.checkCounter(shop.counter)...)
	for _, w := range c.workers {
		unanswered := w.pending != nil
		carriedOut, problems, err := w.resolve(ctx, shop.models[w.name])
		if err != nil {
			return err
		}
		found = append(found, problems...)
		if unanswered {
			c.figures.unanswered++
		}
		if carriedOut {
			c.figures.carriedOut++
		}
		c.figures.acknowledged += w.acknowledged
		w.acknowledged = 0
	}
	if len(found) > 0 {
		return found
	}
	if shop, err = c.read(ctx); err != nil {
		return err
	}
	found = shop.broken
	for _, w := range c.workers {
		found = append(found, w.model.differences(shop.models[w.name])...)
	}
	if len(found) > 0 {
		return found
	}
	return nil
}

// read reads the whole shop, by several requests. A running import may change products between them,
// so damage that is found meanwhile is looked for again until the import has ended.
func (c *campaign) read(ctx context.Context) (shop *snapshot, err error) {
	for until := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		running := c.imports.running(ctx, c.root)
		shop, err = read(ctx, c.root, c.sale, c.owners)
		if err == nil && len(shop.broken) == 0 || !running || time.Now().After(until) {
			return shop, err
		}
	}
}

// checkCounter compares the counter with the acknowledged counts.
func (c *campaign) checkCounter(now int) (problems []string) {
	least, maybe := c.counter, 0
	for _, w := range c.workers {
		least += w.counted
		maybe += w.maybeCounted
		w.counted, w.maybeCounted = 0, 0
	}
	if now < least || now > least+maybe {
		problems = append(problems, fmt.Sprintf("the counter is %d, want %d, or up to %d more, which were not answered", now, least, maybe))
	}
	c.counter = now
	return problems
}

// end shuts down the example once all its work is done, and runs the engine's check of the
// file.
func (c *campaign) end(ctx context.Context) (err error) {
	if err := c.settle(ctx); err != nil {
		return err
	}
	c.figures.jobs, c.figures.messages = c.imports.ended, c.receiver.count()
	err = c.process.Stop()
	c.process = nil
	if err != nil {
		return err
	}
	st, err := sqlite.Open(ctx, c.db, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var said string
	if err := st.DB().QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return finding{"the engine finds in the file: " + said}
	}
	return nil
}
