package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A receiver gets the messages of the shop's webhook for orders.
type receiver struct {
	url    string
	server *http.Server

	mu  sync.Mutex
	got map[message]time.Time // when it came last
}

// A message is about one change of an order.
type message struct {
	op string // created, updated or deleted
	id int64
}

func newReceiver() (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + l.Addr().String() + "/", got: map[message]time.Time{}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(l) }()
	return r, nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Data struct {
			ID string `json:"id"`
			Op string `json:"op"`
		} `json:"data"`
	}
	err := json.NewDecoder(req.Body).Decode(&body)
	id, errOfID := strconv.ParseInt(body.Data.ID, 10, 64)
	if err != nil || errOfID != nil {
		http.Error(w, "no message about an order", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.got[message{body.Data.Op, id}] = time.Now()
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// A promise is a message that the shop owes: it comes after the request was sent that made
// the change.
type promise map[message]time.Time

// note notes the change of an acknowledged operation on an order. A deleted order needs no
// other message.
func (p promise) note(o *operation) {
	if o.key.entity != orders {
		return
	}
	op := map[string]string{"POST": "created", "PUT": "updated", "DELETE": "deleted"}[o.method]
	if op == "deleted" {
		delete(p, message{"created", o.key.id})
		delete(p, message{"updated", o.key.id})
	}
	p[message{op, o.key.id}] = o.sent
}

// missing describes the messages that did not come.
func (r *receiver) missing(p promise) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m, sent := range p {
		if r.got[m].Before(sent) {
			list = append(list, fmt.Sprintf("no message: orders/%d, %s", m.id, m.op))
		}
	}
	slices.Sort(list)
	return list
}

// count returns how many different messages came.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}
