package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A client sends requests to the shop as one user.
type client struct {
	http       *http.Client
	address    string // host and port; different after each start
	email, key string
}

// newClient returns a client with connections of its own.
func newClient(email, key string) *client {
	return &client{
		http:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, Timeout: time.Minute},
		email: email, key: key,
	}
}

// A request can be sent twice.
type request struct {
	method, path, body string
	header             [2]string // name and value, if set
}

// A response was read to its end.
type response struct {
	status int
	etag   string
	body   []byte
}

// do sends a request, and again after a 429, which says that it was not carried out: the shop
// checks the credentials of so many clients of one address at once, and all clients start
// together. An error means that no complete response came: the operation may have been carried
// out or not.
func (c *client) do(ctx context.Context, r request) (*response, error) {
	for range maxRefusals {
		got, wait, err := c.send(ctx, r)
		if err != nil || wait == 0 {
			return got, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	got, _, err := c.send(ctx, r)
	return got, err
}

// maxRefusals is the number of times that a request is sent again after a 429.
const maxRefusals = 20

// send sends a request once. A wait above 0 is what a 429 asks for.
func (c *client) send(ctx context.Context, r request) (got *response, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+c.address+"/api/2.0/"+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, 0, err
	}
	req.SetBasicAuth(c.email, c.key)
	req.Header.Set("Content-Type", "application/json")
	if r.header[0] != "" {
		req.Header.Set(r.header[0], r.header[1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, 0, err
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		wait = time.Duration(max(1, seconds)) * time.Second
	}
	return &response{resp.StatusCode, resp.Header.Get("Etag"), body}, wait, nil
}

// get reads the object at a path, which must exist.
func (c *client) get(ctx context.Context, path string, into any) (etag string, err error) {
	r, err := c.do(ctx, request{method: "GET", path: path})
	if err != nil {
		return "", err
	}
	if r.status != http.StatusOK {
		return "", r.unexpected("GET " + path)
	}
	return r.etag, json.Unmarshal(r.body, into)
}

// unexpected returns the error for a response with an unexpected status.
func (r *response) unexpected(what string) error {
	return fmt.Errorf("%s was answered %d %.300s", what, r.status, r.body)
}
