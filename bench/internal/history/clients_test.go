package history

import (
	"encoding/json"
	"fmt"
	"io"
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
	shops   []http.Handler
	parent  string
	ids     [objects]string
	numbers atomic.Int64 // the last number that was written
	began   time.Time

	mu  sync.Mutex
	all []porcupine.Operation
}

// newRound creates the objects.
func newRound(t *testing.T, shops []http.Handler) *round {
	r := &round{t: t, shops: shops, began: time.Now()}
	r.parent = r.create(`{"category": "parent"}`)
	for i := range r.ids {
		r.ids[i] = r.create(`{"category": "object", "position": 0, "parent_id": ` + r.parent + `}`)
	}
	return r
}

func (r *round) create(body string) string {
	w := send(r.shops[0], "POST", "categories", body, "")
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
			for range requests {
				c.next()
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

// next sends one request, or two for a swap: it reads first.
func (c *client) next() {
	object := c.random.IntN(objects)
	switch n := c.random.IntN(10); {
	case n < 2:
		c.read(object)
	case n < 5:
		c.list()
	case n < 7:
		value := int(c.numbers.Add(1))
		c.record(input{kind: write, object: object, value: value}, func() output {
			c.want(c.put(object, value, ""), 200)
			return output{}
		})
	case n < 8:
		expected, etag := c.read(object)
		value := int(c.numbers.Add(1))
		c.record(input{kind: swap, object: object, expected: expected, value: value}, func() output {
			w := c.put(object, value, etag)
			c.want(w, 200, 412)
			return output{done: w.Code == 200}
		})
	case n < 9:
		i := input{kind: both, object: object, value: int(c.numbers.Add(1)), other: (object + 1) % objects, second: int(c.numbers.Add(1))}
		c.record(i, func() output {
			c.want(c.batch(c.member(i.object, i.value), c.member(i.other, i.second)), 200)
			return output{}
		})
	default:
		value := int(c.numbers.Add(1))
		c.record(input{kind: torn}, func() output {
			w := c.batch(c.member(object, value), `{"method": "DELETE", "url": "categories/999999"}`)
			if w.Code < 400 {
				c.t.Errorf("a batch with a member that fails: %d %s", w.Code, w.Body)
			}
			return output{}
		})
	}
}

func (c *client) read(object int) (value int, etag string) {
	c.record(input{kind: readOne, object: object}, func() output {
		w := send(c.shop, "GET", "categories/"+c.ids[object], "", "")
		c.want(w, 200)
		value, etag = number(w.Body.Bytes()), w.Header().Get("Etag")
		return output{values: []int{value}}
	})
	return value, etag
}

func (c *client) list() {
	c.record(input{kind: readList}, func() output {
		w := send(c.shop, "GET", "categories?parent_id="+c.parent, "", "")
		c.want(w, 200)
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
	})
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

func (c *client) want(w *httptest.ResponseRecorder, statuses ...int) {
	for _, status := range statuses {
		if w.Code == status {
			return
		}
	}
	c.t.Errorf("%d %s, want %v", w.Code, w.Body, statuses)
}

// record adds a request and its response to the history, with the times before and after it.
func (c *client) record(in input, send func() output) {
	call := time.Since(c.began).Nanoseconds()
	out := send()
	op := porcupine.Operation{ClientId: c.number, Input: in, Call: call, Output: out, Return: time.Since(c.began).Nanoseconds()}
	c.mu.Lock()
	c.all = append(c.all, op)
	c.mu.Unlock()
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
	w.Header().Set("Etag", resp.Header.Get("Etag"))
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}
