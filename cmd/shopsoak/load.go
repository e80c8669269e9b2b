package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// A login is an e-mail address and an API key.
type login struct{ email, key string }

// administrators is the number of users who send requests.
const administrators = 40

// A load is the requests of all clients.
type load struct {
	address string
	logins  []login
	demo    demo

	requests atomic.Int64
	mu       sync.Mutex
	statuses map[string]int // by kind of request
	slowest  time.Duration
}

// A demo is the initial number of objects of each kind.
type demo struct{ categories, products, discussions, callRequests int }

// newLoad adds the administrators, and reads the data on which the load depends.
func newLoad(ctx context.Context, address, db string, root login) (*load, error) {
	l := &load{address: address, logins: []login{root}, statuses: map[string]int{}}
	st, err := sqlite.Open(ctx, db, nil)
	if err != nil {
		return nil, err
	}
	for i := range administrators {
		user := login{fmt.Sprintf("soak-%d@example.com", i), rand.Text()}
		l.logins = append(l.logins, user)
		err = errors.Join(err, users.EnsureRootKey(ctx, st, user.email, user.key))
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return nil, err
	}
	for path, total := range map[string]*int{"products": &l.demo.products, "discussions": &l.demo.discussions, "call_requests": &l.demo.callRequests} {
		c := l.client(http.DefaultTransport)
		body, err := c.send(ctx, request{kind: "list", method: "GET", path: path + "?items_per_page=1", want: []int{200}})
		if err != nil {
			return nil, err
		}
		var list struct {
			Params struct {
				Total int `json:"total_items,string"`
			} `json:"params"`
		}
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, err
		}
		*total = list.Params.Total
	}
	l.demo.categories = 68
	return l, nil
}

// run sends requests until ctx ends.
func (l *load) run(ctx context.Context, clients int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make([]error, clients)
	var wg sync.WaitGroup
	for i := range failed {
		wg.Go(func() {
			transport := &http.Transport{MaxIdleConnsPerHost: 1}
			defer transport.CloseIdleConnections()
			if failed[i] = l.client(transport).run(ctx); failed[i] != nil {
				stop()
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// String returns the number of requests by status, and the time of the slowest.
func (l *load) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for kind, n := range l.statuses {
		lines = append(lines, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d requests: %s; the slowest took %.0f ms", l.requests.Load(), strings.Join(lines, ", "), l.slowest.Seconds()*1000)
}

// A client sends one request after the other.
type client struct {
	*load
	http   *http.Client
	random *mathrand.Rand
	own    []string // paths of what it created
}

func (l *load) client(transport http.RoundTripper) *client {
	return &client{load: l, http: &http.Client{Transport: transport, Timeout: time.Minute}, random: mathrand.New(mathrand.NewPCG(mathrand.Uint64(), 1))}
}

// A request, and the allowed statuses of its response.
type request struct {
	kind, method, path, body, accept string
	login                            *login // nil for one of the administrators
	want                             []int
}

func (c *client) run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := c.next(ctx)
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// next sends one request.
func (c *client) next(ctx context.Context) error {
	switch n := c.random.IntN(100); {
	case n < 40:
		_, err := c.send(ctx, c.object())
		return err
	case n < 60:
		_, err := c.send(ctx, c.list())
		return err
	case n < 75:
		_, err := c.send(ctx, c.search())
		return err
	case n < 95:
		return c.write(ctx)
	}
	return c.wrongCredentials(ctx)
}

// send sends a request and returns the body of the response.
func (c *client) send(ctx context.Context, r request) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+c.address+"/api/2.0/"+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	who := r.login
	if who == nil {
		who = &c.logins[c.random.IntN(len(c.logins))]
	}
	req.SetBasicAuth(who.email, who.key)
	req.Header.Set("Content-Type", "application/json")
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	began := time.Now()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	c.note(r.kind, resp.StatusCode, time.Since(began))
	if !slices.Contains(r.want, resp.StatusCode) {
		return nil, fmt.Errorf("%s %s was answered %d %.300s", r.method, r.path, resp.StatusCode, body)
	}
	return body, nil
}

func (l *load) note(kind string, status int, took time.Duration) {
	l.requests.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statuses[fmt.Sprintf("%s %d", kind, status)]++
	l.slowest = max(l.slowest, took)
}

// wrongCredentials sends a request from an address of the loopback network, if the
// system has several.
func (c *client) wrongCredentials(ctx context.Context) error {
	user := &login{fmt.Sprintf("nobody-%d@example.com", c.random.IntN(100_000)), rand.Text()}
	if c.random.IntN(2) == 0 {
		user.email = c.logins[1+c.random.IntN(administrators)].email
	}
	from := &net.TCPAddr{IP: net.IPv4(127, byte(1+c.random.IntN(200)), byte(c.random.IntN(256)), byte(1+c.random.IntN(200)))}
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: from}).DialContext, DisableKeepAlives: true}
	stranger := &client{load: c.load, http: &http.Client{Transport: transport, Timeout: time.Minute}, random: c.random}
	_, err := stranger.send(ctx, request{kind: "wrong credentials", method: "GET", path: "categories/1", login: user, want: []int{401, 429}})
	if oe := (*net.OpError)(nil); errors.As(err, &oe) && oe.Op == "dial" { // no such address here
		return nil
	}
	return err
}
