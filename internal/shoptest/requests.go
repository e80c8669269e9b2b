package shoptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/apitest"
)

// Request returns a request of the user. An address that does not begin with /api
// goes on from /api/2.0. A body that begins with { is JSON, any other a form, unless
// a header says otherwise; headers are pairs of name and value.
func (s *Shop) Request(method, address, body string, header ...string) *http.Request {
	s.Helper()
	if !strings.HasPrefix(address, "/api") {
		address = "/api/2.0/" + strings.TrimPrefix(address, "/")
	}
	req := httptest.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body))
	key, ok := s.Keys[s.Email]
	if !ok {
		key = Key
	}
	req.SetBasicAuth(s.Email, key)
	if strings.HasPrefix(body, "{") {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// Send sends a [Shop.Request].
func (s *Shop) Send(method, address, body string, header ...string) *apitest.Answer {
	s.Helper()
	return s.Serve(s.Request(method, address, body, header...))
}

// Serve sends a request as it is.
func (s *Shop) Serve(req *http.Request) *apitest.Answer { return s.fixture.In(s.TB).Send(req) }

// Call sends a request that is to be answered with the status, and returns the
// body; otherwise it ends the test.
func (s *Shop) Call(status int, method, address, body string) string {
	s.Helper()
	answer := s.Send(method, address, body)
	if answer.Status != status {
		s.Fatalf("%s %s %.200s: status %d, want %d; body %.500s", method, address, body, answer.Status, status, answer.Body)
	}
	return answer.Body
}

// Status checks the status of a response.
func (s *Shop) Status(method, address, body string, want int) {
	s.Helper()
	if answer := s.Send(method, address, body); answer.Status != want {
		s.Errorf("%s %s %.200s: status %d, want %d; body %.500s", method, address, body, answer.Status, want, answer.Body)
	}
}

// Want checks the status and the whole body of a response.
func (s *Shop) Want(method, address, body string, status int, want string) {
	s.Helper()
	answer := s.Send(method, address, body)
	if diff := cmp.Diff(want, answer.Body); answer.Status != status || diff != "" {
		s.Errorf("%s %s %.200s: status %d, want %d; body (-want +got):\n%s", method, address, body, answer.Status, status, diff)
	}
}

// Refuses checks that a request gets a 400 about exactly these fields, and changes
// nothing. It returns the message of each field.
func (s *Shop) Refuses(method, address, body string, fields ...string) map[string]string {
	s.Helper()
	var answer struct {
		Message string
		Status  int
		Errors  map[string]string
	}
	s.Unchanged(func() { Decode(s, s.Call(http.StatusBadRequest, method, address, body), &answer) })
	if answer.Message == "" || answer.Status != http.StatusBadRequest {
		s.Errorf("%s %s %.200s: an error without message or status: %+v", method, address, body, answer)
	}
	got := slices.Sorted(maps.Keys(answer.Errors))
	if diff := cmp.Diff(slices.Sorted(slices.Values(fields)), got); diff != "" {
		s.Errorf("%s %s %.200s: the fields that the errors name (-want +got):\n%s", method, address, body, diff)
	}
	return answer.Errors
}

// Forbids checks that a request gets a 403, and that nothing changes.
func (s *Shop) Forbids(method, address, body string) {
	s.Helper()
	s.Unchanged(func() { s.Call(http.StatusForbidden, method, address, body) })
}

// Unchanged checks that do neither changes [Shop.Dump] nor causes events.
func (s *Shop) Unchanged(do func()) {
	s.Helper()
	dump := s.Dump
	if dump == nil {
		dump = func() any { return nil }
	}
	before, events := dump(), s.Events()
	do()
	if diff := cmp.Diff(before, dump()); diff != "" {
		s.Errorf("something changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(events, s.Events()); diff != "" {
		s.Errorf("the events (-before +after):\n%s", diff)
	}
}

// Object reads an object as a client sees it.
func (s *Shop) Object(address string) (object map[string]any) {
	s.Helper()
	Decode(s, s.Call(http.StatusOK, "GET", address, ""), &object)
	return object
}

// List reads a list, bare or in an envelope, and returns one field of each item,
// with spaces between.
func (s *Shop) List(address, field string) string {
	s.Helper()
	body := s.Call(http.StatusOK, "GET", address, "")
	var items []map[string]any
	if strings.HasPrefix(body, "[") {
		Decode(s, body, &items)
	} else {
		var envelope map[string]any
		Decode(s, body, &envelope)
		delete(envelope, "params")
		for _, list := range envelope {
			for _, item := range list.([]any) {
				items = append(items, item.(map[string]any))
			}
		}
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item[field])
	}
	return strings.Join(texts, " ")
}

// Field returns one member of an object as JSON.
func (s *Shop) Field(address, name string) string {
	s.Helper()
	var members map[string]json.RawMessage
	Decode(s, s.Send("GET", address, "").Body, &members)
	return string(members[name])
}
