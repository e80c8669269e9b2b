package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// The entities that follow from others: a worker's cart, and shipments of its orders.
const (
	carts     = "carts"
	shipments = "shipments"
)

// A cart has the fields that are checked.
type cart struct {
	UserID   int64  `json:"user_id,string"`
	Products []line `json:"products"`
}

// putCart writes the next version of the worker's cart: as many pieces of both products of
// the sale as the version plus one. It returns nil if the shop does not respond.
func (w *worker) putCart(ctx context.Context) (*operation, error) {
	k := key{carts, w.user}
	s, exists := w.model[k]
	header := [2]string{"If-None-Match", "*"}
	if exists {
		r, err := w.do(ctx, request{method: "GET", path: k.path()})
		if err != nil {
			return nil, nil
		}
		if r.status != http.StatusOK || r.etag == "" {
			return nil, r.unexpected("GET " + k.path())
		}
		s.version++
		header = [2]string{"If-Match", r.etag}
	} else {
		s = state{name: cartName(w.name)}
	}
	lines := map[string]any{}
	for _, product := range []int64{w.sale.product, w.sale.other} {
		lines[strconv.FormatInt(product, 10)] = map[string]int{"amount": s.version + 1}
	}
	return &operation{
		request: request{"PUT", k.path(), encode(map[string]any{"products": lines}), header},
		status:  http.StatusOK, key: k, name: s.name,
		apply: func(m model, _ int64) { m[k] = s },
	}, nil
}

func cartName(worker string) string { return worker + "-cart" }

// readCarts reads the carts of all users that have one.
func readCarts(ctx context.Context, c *client, owners map[int64]string) (all []cart, err error) {
	for id := range owners {
		path := key{carts, id}.path()
		r, err := c.do(ctx, request{method: "GET", path: path})
		switch {
		case err != nil:
			return nil, err
		case r.status == http.StatusNotFound:
			continue
		case r.status != http.StatusOK:
			return nil, r.unexpected("GET " + path)
		}
		var one cart
		if err := json.Unmarshal(r.body, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// addCarts records the carts of the workers, whose names owners has by the users' ids.
func (s *snapshot) addCarts(all []cart, goods sale, owners map[int64]string) {
	for _, c := range all {
		var of []int64
		amount, half := 0, len(c.Products) != 2
		for _, l := range c.Products {
			half = half || amount != 0 && l.Amount != amount
			of, amount = append(of, l.ProductID), l.Amount
		}
		half = half || !slices.Contains(of, goods.product) || !slices.Contains(of, goods.other)
		s.add(key{carts, c.UserID}, title(cartName(owners[c.UserID]), amount-1), half, state{})
	}
}
