package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A Client sends requests to a handler as one user, without a network. A request that it
// cannot send, or a response that it cannot read, ends the test.
type Client struct {
	T       testing.TB
	Handler http.Handler
	Email   string // "" sends no credentials
	Key     string
	Accept  string // the header Accept, if any
}

// As returns a client of the same handler for another user.
func (c *Client) As(email, key string) *Client {
	other := *c
	other.Email, other.Key = email, key
	return &other
}

// In returns a client of the same user that reports failures to a subtest.
func (c *Client) In(t testing.TB) *Client {
	other := *c
	other.T = t
	return &other
}

// Accepting returns a client of the same user that sends the header Accept.
func (c *Client) Accepting(accept string) *Client {
	other := *c
	other.Accept = accept
	return &other
}

// Get sends GET to the address, which begins with /api.
func (c *Client) Get(address string) *Answer { return c.Do("GET", address, "", "") }

// Post sends a JSON body.
func (c *Client) Post(address, body string) *Answer {
	return c.Do("POST", address, "application/json", body)
}

// Put sends a JSON body.
func (c *Client) Put(address, body string) *Answer {
	return c.Do("PUT", address, "application/json", body)
}

// Delete sends DELETE.
func (c *Client) Delete(address string) *Answer { return c.Do("DELETE", address, "", "") }

// PostForm sends a form body, such as "combination[12]=33&product_id=41".
func (c *Client) PostForm(address, body string) *Answer {
	return c.Do("POST", address, "application/x-www-form-urlencoded", body)
}

// PutForm sends a form body.
func (c *Client) PutForm(address, body string) *Answer {
	return c.Do("PUT", address, "application/x-www-form-urlencoded", body)
}

// Do sends a request with any method and body.
func (c *Client) Do(method, address, contentType, body string) *Answer {
	c.T.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req := httptest.NewRequestWithContext(c.T.Context(), method, address, reader)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if c.Accept != "" {
		req.Header.Set("Accept", c.Accept)
	}
	if c.Email != "" {
		req.SetBasicAuth(c.Email, c.Key)
	}
	return c.Send(req)
}

// encoded returns a value as JSON.
func encoded(t testing.TB, v any) string {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	return string(body)
}

// Send sends a request unchanged.
func (c *Client) Send(req *http.Request) *Answer {
	recorder := httptest.NewRecorder()
	c.Handler.ServeHTTP(recorder, req)
	return &Answer{t: c.T, Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String()}
}

// An Answer is a response of the handler.
type Answer struct {
	Status int
	Header http.Header
	Body   string

	t testing.TB
}

// JSON returns the body as encoding/json reads it into an empty interface.
func (a *Answer) JSON() any {
	a.t.Helper()
	var v any
	a.Decode(&v)
	return v
}

// Decode reads the body into the value that v points to.
func (a *Answer) Decode(v any) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.Body), v); err != nil {
		a.t.Fatalf("apitest: the answer %d %q is no JSON of this form: %v", a.Status, a.Body, err)
	}
}

// Field returns a member of the response's object as text, such as the id in the
// response to POST. It ends the test if there is none.
func (a *Answer) Field(name string) string {
	a.t.Helper()
	var fields map[string]json.RawMessage
	a.Decode(&fields)
	var text string
	if json.Unmarshal(fields[name], &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(fields[name], &number) == nil {
		return number.String()
	}
	a.t.Fatalf("apitest: the answer %d %s has no field %s with a single value", a.Status, a.Body, name)
	return ""
}
