package history

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The clients of a history, and how many requests each of them sends.
const (
	clients  = 6
	requests = 25
)

const (
	email = "root@example.com"
	key   = "a key of the histories of this test"
)

// A round is a history about new objects below a category of their own.
type round struct {
	t       *testing.T
	fails   bool // the database is interrupted: 503 is a response, too
	shops   []http.Handler
	parent  string
	ids     [objects]string
	numbers atomic.Int64 // the last number that was written
	refused atomic.Int64 // requests that the shop could not carry out
	unknown atomic.Int64 // changes that it may have carried out
	began   time.Time

	mu  sync.Mutex
	all []porcupine.Operation
}

// newRound creates the objects.
func newRound(t *testing.T, shops []http.Handler, fails bool) *round {
	r := &round{t: t, fails: fails, shops: shops, began: time.Now()}
	r.parent = r.create(`{"category": "parent"}`)
	for i := range r.ids {
		r.ids[i] = r.create(`{"category": "object", "position": 0, "parent_id": ` + r.parent + `}`)
	}
	return r
}

func (r *round) create(body string) string {
	w := send(r.shops[0], "POST", "categories", body, "")
	for r.unavailable(w) {
		w = send(r.shops[0], "POST", "categories", body, "")
	}
	var reply struct {
		ID string `json:"category_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || w.Code != 201 {
		r.t.Fatalf("POST categories: %d %s", w.Code, w.Body)
	}
	return reply.ID
}

// send sends a request to a shop without a network.
func send(shop http.Handler, method, path, body, ifMatch string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "/api/2.0/"+path, strings.NewReader(body))
	req.SetBasicAuth(email, key)
	req.Header.Set("Content-Type", "application/json")
	if ifMatch != "" {
		req.Header.Set("If-Match", ifMatch)
	}
	w := httptest.NewRecorder()
	shop.ServeHTTP(w, req)
	return w
}

// run lets the clients send their requests, and returns the history.
func (r *round) run(seed uint64) []porcupine.Operation {
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			c := &client{round: r, number: i, shop: r.shops[i%len(r.shops)], random: rand.New(rand.NewPCG(seed, uint64(i)))}
			for n := 0; n < requests; {
				if c.next() {
					n++
				}
			}
		})
	}
	wait.Wait()
	return r.all
}

// A client sends one request after the other.
type client struct {
	*round
	number int
	shop   http.Handler
	random *rand.Rand
}

// next sends one request, or two for a swap: it reads first. It reports whether the shop
// could answer.
func (c *client) next() bool {
	object := c.random.IntN(objects)
	switch n := c.random.IntN(10); {
	case n < 2:
		w, _ := c.read(object)
		return w != nil
	case n < 5:
		return c.list()
	case n < 7:
		in := input{kind: write, object: object, value: int(c.numbers.Add(1))}
		return c.record(in, nil, 200, 200, func() *httptest.ResponseRecorder { return c.put(object, in.value, "") }) != nil
	case n < 8:
		w, expected := c.read(object)
		if w == nil {
			return false
		}
		in := input{kind: swap, object: object, expected: expected, value: int(c.numbers.Add(1))}
		out := func(w *httptest.ResponseRecorder) output { return output{done: w.Code == 200} }
		return c.record(in, out, 200, 412, func() *httptest.ResponseRecorder { return c.put(object, in.value, w.Header().Get("Etag")) }) != nil
	case n < 9:
		in := input{kind: both, object: object, value: int(c.numbers.Add(1)), other: (object + 1) % objects, second: int(c.numbers.Add(1))}
		return c.record(in, nil, 200, 200, func() *httptest.ResponseRecorder {
			return c.batch(c.member(in.object, in.value), c.member(in.other, in.second))
		}) != nil
	}
	value := int(c.numbers.Add(1))
	return c.record(input{kind: torn}, nil, 400, 499, func() *httptest.ResponseRecorder {
		return c.batch(c.member(object, value), `{"method": "DELETE", "url": "categories/999999"}`)
	}) != nil
}

// read returns the response and the number in it.
func (c *client) read(object int) (w *httptest.ResponseRecorder, value int) {
	w = c.record(input{kind: readOne, object: object}, func(w *httptest.ResponseRecorder) output {
		value = number(w.Body.Bytes())
		return output{values: []int{value}}
	}, 200, 200, func() *httptest.ResponseRecorder { return send(c.shop, "GET", "categories/"+c.ids[object], "", "") })
	return w, value
}

func (c *client) list() bool {
	return c.record(input{kind: readList}, func(w *httptest.ResponseRecorder) output {
		var list []json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			c.t.Errorf("the list: %v: %s", err, w.Body)
		}
		values := make([]int, objects)
		for _, item := range list {
			for i, id := range c.ids {
				if strings.Contains(string(item), `"category_id":"`+id+`"`) {
					values[i] = number(item)
				}
			}
		}
		return output{values: values}
	}, 200, 200, func() *httptest.ResponseRecorder {
		return send(c.shop, "GET", "categories?parent_id="+c.parent, "", "")
	}) != nil
}

func (c *client) put(object, value int, ifMatch string) *httptest.ResponseRecorder {
	return send(c.shop, "PUT", "categories/"+c.ids[object], fmt.Sprintf(`{"position": %d}`, value), ifMatch)
}

func (c *client) member(object, value int) string {
	return fmt.Sprintf(`{"method": "PUT", "url": "categories/%s", "body": {"position": %d}}`, c.ids[object], value)
}

func (c *client) batch(members ...string) *httptest.ResponseRecorder {
	return send(c.shop, "POST", "batch", `{"atomic": true, "requests": [`+strings.Join(members, ", ")+`]}`, "")
}

// unavailable reports whether the shop carried out nothing because it could not in time: an
// atomic batch that was undone after its second, which a busy machine needs, or, while its
// database is interrupted, any request. It waits for less time than clients are asked to.
func (r *round) unavailable(w *httptest.ResponseRecorder) bool {
	if w.Code == http.StatusRequestEntityTooLarge && strings.Contains(w.Body.String(), "was undone") {
		return true
	}
	if r.fails && w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "" {
		time.Sleep(20 * time.Millisecond)
		return true
	}
	return false
}

// record sends a request and adds it to the history with its response, which has a status
// from least to most, and with the times before and after it. A request that the shop
// refused is not in the history. A request that may have been carried out can take effect at any
// time after its call. Both return nil.
func (c *client) record(in input, read func(*httptest.ResponseRecorder) output, least, most int, send func() *httptest.ResponseRecorder) *httptest.ResponseRecorder {
	op := porcupine.Operation{ClientId: c.number, Input: in, Call: time.Since(c.began).Nanoseconds()}
	w := send()
	op.Return = time.Since(c.began).Nanoseconds()
	switch {
	case w.Code >= least && w.Code <= most:
		out := output{}
		if read != nil {
			out = read(w)
		}
		op.Output = out
	case c.unavailable(w):
		if !strings.Contains(w.Body.String(), "may have been saved") {
			c.refused.Add(1)
			return nil
		}
		c.unknown.Add(1)
		w, op.Return, op.Output = nil, math.MaxInt64, output{unknown: true}
	default:
		c.t.Errorf("%s: %d %s, want %d to %d", in.kind, w.Code, w.Body, least, most)
		return nil
	}
	c.mu.Lock()
	c.all = append(c.all, op)
	c.mu.Unlock()
	return w
}

// number is the number of an object.
func number(body []byte) int {
	var object struct {
		Position string `json:"position"`
	}
	if err := json.Unmarshal(body, &object); err != nil {
		return -1
	}
	n, err := strconv.Atoi(object.Position)
	if err != nil {
		return -1
	}
	return n
}

// A remote is a shop in another process.
type remote struct{ address string }

func (s remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := r.Clone(r.Context())
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "http", s.address
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for _, name := range []string{"Etag", "Retry-After"} {
		w.Header().Set(name, resp.Header.Get(name))
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}
