package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A client asks the shop as one user.
type client struct {
	http       *http.Client
	address    string // host and port; another after each start
	email, key string
}

// newClient returns a client with connections of its own.
func newClient(email, key string) *client {
	return &client{
		http:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, Timeout: time.Minute},
		email: email, key: key,
	}
}

// A request is what is sent, the second time too.
type request struct {
	method, path, body string
	header             [2]string // name and value, if any
}

// A response was read to its end.
type response struct {
	status int
	etag   string
	body   []byte
}

// do sends a request. An error means that no whole response came: what was asked may
// have been done or not.
func (c *client) do(ctx context.Context, r request) (*response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+c.address+"/api/2.0/"+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(c.email, c.key)
	req.Header.Set("Content-Type", "application/json")
	if r.header[0] != "" {
		req.Header.Set(r.header[0], r.header[1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &response{resp.StatusCode, resp.Header.Get("Etag"), body}, nil
}

// get reads what is at a path, which must be there.
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

// unexpected is the error of a response with a status that has no place here.
func (r *response) unexpected(what string) error {
	return fmt.Errorf("%s was answered %d %.300s", what, r.status, r.body)
}
