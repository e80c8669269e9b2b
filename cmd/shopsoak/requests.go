package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The words of searches: words of the demo, and others.
var words = []string{"mug", "bowl", "ash", "clay", "vase", "straße", "week", "chipped", "love", "lamp", "jar", "zzz", "é", "kiln"}

// object requests one object.
func (c *client) object() request {
	paths := []struct {
		path string
		n    int
	}{{"products", c.demo.products}, {"categories", c.demo.categories}, {"discussions", c.demo.discussions}, {"call_requests", c.demo.callRequests}}
	p := paths[c.random.IntN(len(paths))]
	return request{
		kind: "object", method: "GET", path: fmt.Sprintf("%s/%d", p.path, 1+c.random.IntN(p.n)), accept: c.accept(), want: []int{200},
	}
}

// accept is usually JSON, sometimes the other format.
func (c *client) accept() string {
	if c.random.IntN(8) == 0 {
		return "text/plain"
	}
	return "application/json"
}

// list requests a page of a list.
func (c *client) list() request {
	size := 1 + c.random.IntN(60)
	page := func(total int) string {
		return fmt.Sprintf("items_per_page=%d&page=%d", size, 1+c.random.IntN(1+total/size))
	}
	paths := []func() string{
		func() string { return "products?sort_by=price&" + page(c.demo.products) },
		func() string {
			return fmt.Sprintf("products?cid=%d&subcats=Y&price_from=%d&%s", 1+c.random.IntN(c.demo.categories), c.random.IntN(90), page(40))
		},
		func() string {
			return "discussions?status=" + string("AD"[c.random.IntN(2)]) + "&" + page(c.demo.discussions/2)
		},
		func() string {
			return fmt.Sprintf("products/%d/discussions?%s", 1+c.random.IntN(c.demo.products), page(5))
		},
		func() string { return "call_requests?sort_by=name&" + page(c.demo.callRequests) },
		func() string { return fmt.Sprintf("categories?parent_id=%d", c.random.IntN(c.demo.categories)) },
		func() string { return "users?" + page(administrators) },
	}
	return request{kind: "list", method: "GET", path: paths[c.random.IntN(len(paths))](), accept: c.accept(), want: []int{200}}
}

// search searches for a word.
func (c *client) search() request {
	word := words[c.random.IntN(len(words))]
	if c.random.IntN(2) == 0 { // most searches are new
		word += fmt.Sprint(c.random.IntN(1_000_000))
	}
	path := [...]string{"products?pname=Y&pshort=Y&pfull=Y&q=", "discussions?message=", "categories?category=", "call_requests?name=", "users?name="}[c.random.IntN(5)]
	return request{kind: "search", method: "GET", path: path + strings.ReplaceAll(word, "é", "%C3%A9"), accept: c.accept(), want: []int{200}}
}

// maxOwn is the maximum number of objects of a client.
const maxOwn = 50

// write creates, changes or deletes.
func (c *client) write(ctx context.Context) error {
	switch n := c.random.IntN(10); {
	case len(c.own) == 0, n < 3 && len(c.own) < maxOwn:
		return c.create(ctx)
	case n < 6:
		i := c.random.IntN(len(c.own))
		path := c.own[i]
		c.own = append(c.own[:i], c.own[i+1:]...)
		_, err := c.send(ctx, request{kind: "delete", method: "DELETE", path: path, want: []int{http.StatusNoContent}})
		return err
	case n < 8:
		path := fmt.Sprintf("products/%d", 1+c.random.IntN(c.demo.products))
		_, err := c.send(ctx, request{kind: "update", method: "PUT", path: path, want: []int{200},
			body: fmt.Sprintf(`{"amount": %d, "price": "%d.50"}`, c.random.IntN(100), c.random.IntN(100))})
		return err
	}
	path := fmt.Sprintf("discussions/%d", 1+c.random.IntN(c.demo.discussions))
	_, err := c.send(ctx, request{kind: "update", method: "PUT", path: path, want: []int{200},
		body: fmt.Sprintf(`{"status": "%c"}`, "AD"[c.random.IntN(2)])})
	return err
}

// create creates a review, a callback request or a product.
func (c *client) create(ctx context.Context) error {
	bodies := []struct{ path, body string }{
		{"discussions", fmt.Sprintf(`{"object_type": "P", "object_id": %d, "message": "soaked %d", "rating_value": 4}`, 1+c.random.IntN(c.demo.products), c.random.IntN(1_000_000))},
		{"call_requests", fmt.Sprintf(`{"name": "Soak", "phone": "%d"}`, c.random.IntN(1_000_000))},
		{"products", fmt.Sprintf(`{"product": "Soaked %d", "category_ids": [%d], "price": 3}`, c.random.IntN(1_000_000), 1+c.random.IntN(c.demo.categories))},
	}
	b := bodies[c.random.IntN(len(bodies))]
	body, err := c.send(ctx, request{kind: "create", method: "POST", path: b.path, body: b.body, want: []int{http.StatusCreated}})
	if err != nil {
		return err
	}
	var ids map[string]string
	if err := json.Unmarshal(body, &ids); err != nil {
		return err
	}
	for _, id := range ids {
		c.own = append(c.own, b.path+"/"+id)
	}
	return nil
}
