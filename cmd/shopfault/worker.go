package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// maxObjects is the maximum number of objects of an entity that a worker has.
const maxObjects = 10

// counterName is the name of the category in whose position all workers count.
const counterName = "fault counter"

// A worker writes objects of its own, one request after the other, so that it knows
// their expected state; and it counts in one category that all workers share.
type worker struct {
	*client
	name    string
	random  *rand.Rand
	user    int64 // its id, which its cart has
	model   model
	made    int        // objects so far, for unique names
	counter key        // the shared category
	sale    sale       // what all workers order
	pending *operation // sent, without a response
	created *operation // the last acknowledged create

	promised promise // messages of the webhook

	acknowledged int // writes
	counted      int // acknowledged counts since the last check
	maybeCounted int // counts since then without a response
}

// An operation is one write and its effect on the worker's objects.
type operation struct {
	request
	status int    // status of success
	key    key    // of the object; without an id until a create is acknowledged
	name   string // of the object
	sent   time.Time
	apply  func(m model, id int64)
}

// work writes until the shop does not respond. Any other status than that of success is
// an error.
func (w *worker) work(ctx context.Context) error {
	for ctx.Err() == nil {
		if w.random.IntN(20) == 0 {
			if answered, err := w.count(ctx); !answered || err != nil {
				return err
			}
			continue
		}
		o, err := w.choose(ctx)
		if o == nil || err != nil {
			return err
		}
		w.pending, o.sent = o, time.Now()
		r, err := w.do(ctx, o.request)
		if err != nil || r.status == http.StatusServiceUnavailable {
			return nil
		}
		if r.status != o.status {
			return r.unexpected(o.method + " " + o.path)
		}
		if err := w.done(o, r); err != nil {
			return err
		}
		w.acknowledged++
	}
	return nil
}

// done records that an operation was carried out.
func (w *worker) done(o *operation, r *response) error {
	if o.status == http.StatusCreated {
		id, err := createdID(r)
		if err != nil {
			return err
		}
		o.key.id, w.created = id, o
	}
	o.apply(w.model, o.key.id)
	w.promised.note(o)
	w.pending = nil
	return nil
}

// createdID reads the response to a POST.
func createdID(r *response) (int64, error) {
	var ids map[string]string
	if err := json.Unmarshal(r.body, &ids); err != nil {
		return 0, err
	}
	for _, id := range ids {
		return strconv.ParseInt(id, 10, 64)
	}
	return 0, r.unexpected("a create without an id")
}

// choose returns the next operation, nil if the shop does not respond.
func (w *worker) choose(ctx context.Context) (*operation, error) {
	entity := [...]string{categories, products, discussions, orders, carts, shipments}[w.random.IntN(6)]
	if len(w.model.keys(categories)) == 0 {
		entity = categories
	}
	if entity == shipments && len(w.model.keys(orders)) == 0 {
		entity = orders
	}
	own, open := w.model.keys(entity), w.model.notShipped()
	n := w.random.IntN(10)
	switch {
	case entity == carts && (len(own) == 0 || n < 8):
		return w.putCart(ctx)
	case entity == shipments && len(open) > 0 && (len(own) == 0 || n < 4):
		return w.ship(ctx, open[w.random.IntN(len(open))])
	case len(own) == 0, n < 4 && len(own) < maxObjects && entity != shipments: // all orders are shipped
		return w.create(entity), nil
	case n < 8:
		return w.update(ctx, own[w.random.IntN(len(own))])
	}
	return w.remove(own[w.random.IntN(len(own))]), nil
}

// create creates an object, with an Idempotency-Key.
func (w *worker) create(entity string) *operation {
	w.made++
	s := state{name: fmt.Sprintf("%s-%d", w.name, w.made)}
	fields := w.fields(entity, &s, 0)
	switch entity {
	case discussions:
		fields["object_type"] = "E"
	case orders:
		w.sale.addTo(fields, 1+w.made%3, w.random.IntN(2) == 0)
	}
	return &operation{
		request: request{"POST", entity, encode(fields), [2]string{"Idempotency-Key", s.name}},
		status:  http.StatusCreated, key: key{entity: entity}, name: s.name,
		apply: func(m model, id int64) { m[key{entity, id}] = s },
	}
}

// update writes the next version of an object, with If-Match. It returns nil if the shop
// does not respond.
func (w *worker) update(ctx context.Context, k key) (*operation, error) {
	r, err := w.do(ctx, request{method: "GET", path: k.path()})
	if err != nil {
		return nil, nil
	}
	if r.status != http.StatusOK || r.etag == "" {
		return nil, r.unexpected("GET " + k.path())
	}
	s := w.model[k]
	s.version++
	body := encode(w.fields(k.entity, &s, k.id))
	return &operation{
		request: request{"PUT", k.path(), body, [2]string{"If-Match", r.etag}},
		status:  http.StatusOK, key: k, name: s.name,
		apply: func(m model, _ int64) { m[k] = s },
	}, nil
}

// remove removes an object, or the shipment of an order that has one.
func (w *worker) remove(k key) *operation {
	if s := w.model.shipmentOf(k); k.entity == orders && s != (key{}) {
		k = s
	}
	return &operation{
		request: request{method: "DELETE", path: k.path()},
		status:  http.StatusNoContent, key: k, name: w.model[k].name,
		apply: func(m model, _ int64) { m.remove(k) },
	}
}

// fields returns the fields of an object at a state, and chooses new parents for
// categories and products in it. The id of a new object is 0.
func (w *worker) fields(entity string, s *state, id int64) map[string]any {
	text := title(s.name, s.version)
	tree := w.model.keys(categories)
	switch entity {
	case categories:
		if len(tree) > 0 && w.random.IntN(2) == 0 {
			s.parent = 0
			if to := tree[w.random.IntN(len(tree))].id; id == 0 || !w.model.below(to, id) {
				s.parent = to
			}
		}
		return map[string]any{"category": text, "parent_id": s.parent, "position": s.version, "status": statusOf(s.version)}
	case products:
		fields := map[string]any{"product": text, "product_code": strconv.Itoa(s.version), "price": priceOf(s.version), "amount": s.version}
		if len(tree) > 0 {
			first := w.random.IntN(len(tree))
			ids := []int64{tree[first].id}
			if second := w.random.IntN(len(tree)); second != first {
				ids = append(ids, tree[second].id)
			}
			fields["category_ids"] = ids
			s.in = ascending(ids)
		}
		return fields
	}
	switch entity {
	case orders:
		return map[string]any{"notes": text, "details": text}
	case shipments:
		return map[string]any{"comments": text, "tracking_number": text}
	}
	return map[string]any{"message": text, "name": strconv.Itoa(s.version), "rating_value": ratingOf(s.version), "status": statusOf(s.version)}
}

// count adds one to the shared counter, unless another worker was first. It reports
// whether the shop responded.
func (w *worker) count(ctx context.Context) (answered bool, err error) {
	r, err := w.do(ctx, request{method: "GET", path: w.counter.path()})
	if err != nil {
		return false, nil
	}
	var c category
	if err := json.Unmarshal(r.body, &c); err != nil || r.status != http.StatusOK {
		return true, r.unexpected("GET " + w.counter.path())
	}
	body := encode(map[string]any{"position": c.Position + 1})
	r, err = w.do(ctx, request{"PUT", w.counter.path(), body, [2]string{"If-Match", r.etag}})
	switch {
	case err != nil, r.status == http.StatusServiceUnavailable:
		w.maybeCounted++
		return false, nil
	case r.status == http.StatusOK:
		w.counted++
		w.acknowledged++
	case r.status != http.StatusPreconditionFailed:
		return true, r.unexpected("PUT " + w.counter.path())
	}
	return true, nil
}

// encode returns a body with texts, numbers and lists of numbers.
func encode(fields map[string]any) string {
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}
