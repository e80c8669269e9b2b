package changes_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// An eventReader reads a stream of server-sent events.
type eventReader struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

// An event is the text between two empty lines of a stream.
type event struct{ id, name, data string }

// connect opens a stream as a user.
func connect(t *testing.T, server *httptest.Server, user, query string, header ...string) *eventReader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/changes?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(user, "key")
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("Content-Encoding") != "" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("E4: a stream is answered %d %v", resp.StatusCode, resp.Header)
	}
	r := &eventReader{t, bufio.NewScanner(resp.Body), func() { cancel(); _ = resp.Body.Close() }}
	t.Cleanup(r.close)
	return r
}

// block reads the lines up to the next empty one; ok is false at the end of the stream.
func (r *eventReader) block() (lines []string, ok bool) {
	for r.lines.Scan() {
		if r.lines.Text() == "" {
			return lines, true
		}
		lines = append(lines, r.lines.Text())
	}
	return nil, false
}

// next reads the next event with data.
func (r *eventReader) next() (e event, ok bool) {
	for {
		lines, ok := r.block()
		if !ok {
			return e, false
		}
		for _, line := range lines {
			switch name, value, _ := strings.Cut(line, ": "); name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			}
		}
		if e.name != "" {
			return e, true
		}
	}
}

// want checks the name of the next event, and returns it.
func (r *eventReader) want(name string) event {
	r.t.Helper()
	e, ok := r.next()
	if !ok || e.name != name {
		r.t.Fatalf("E4: the next event is %+v (%v), want %s", e, ok, name)
	}
	return e
}

// ends checks that the stream ends without a further event.
func (r *eventReader) ends(why string) {
	r.t.Helper()
	if e, ok := r.next(); ok {
		r.t.Errorf("E4: after %s the stream goes on with %+v", why, e)
	}
}

func serve(t *testing.T, st store.Store, limits shopapi.Limits) (*shop.Shop, *staff, *httptest.Server) {
	t.Helper()
	s, users, _ := openHTTP(t, st, limits)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, users, server
}

func TestE4_Stream_TellsAndResumes(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s, _, server := serve(t, st, shopapi.Limits{})
		r := connect(t, server, "root", "entity=categories&include=object")
		if lines, _ := r.block(); len(lines) != 1 || lines[0] != "retry: 3000" {
			t.Errorf("E4: a stream begins with %q", lines)
		}
		must[categories.Category](t)(s.Categories.Create(t.Context(), category("Cups")))
		first := r.want("categories.created")
		if !strings.Contains(first.data, `"seq":"`+first.id+`"`) || !strings.Contains(first.data, `"object":{"category_id":"1"`) {
			t.Errorf("E4: the event with the id %s has %s", first.id, first.data)
		}
		if err := s.Categories.Delete(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if gone := r.want("categories.deleted"); !strings.Contains(gone.data, `"object":null`) {
			t.Errorf("E4: the object of a deletion: %s", gone.data)
		}
		r.close()
		again := connect(t, server, "root", "since=0", "Last-Event-ID", first.id)
		again.want("categories.deleted")
		fromStart := connect(t, server, "root", "since=0&op=deleted")
		fromStart.want("categories.deleted")
	})
}

func TestE4_Stream_ShowsThatItIsAlive(t *testing.T) {
	t.Parallel()
	s, _, server := serve(t, shoptest.Memory(t), shopapi.Limits{})
	s.Changes.SetBeat(time.Millisecond)
	r := connect(t, server, "root", "entity=products")
	must[categories.Category](t)(s.Categories.Create(t.Context(), category("Cups"))) // is looked at, and not sent
	position := must[string](t)(s.Changes.Position(t.Context()))
	for {
		lines, ok := r.block()
		if !ok {
			t.Fatal("E4: the stream ended")
		}
		if len(lines) == 2 && lines[0] == ":" && lines[1] == "id: "+position {
			return
		}
	}
}

func TestE4_Stream_Reset(t *testing.T) {
	t.Parallel()
	s, _, server := serve(t, shoptest.Memory(t), shopapi.Limits{})
	r := connect(t, server, "root", "since=another.7")
	reset := r.want("reset")
	if position := must[string](t)(s.Changes.Position(t.Context())); reset.id != position || !strings.Contains(reset.data, `"first_seq":"`) {
		t.Errorf("E4: reset %+v; the newest position is %s", reset, position)
	}
	r.ends("a reset")
	open := connect(t, server, "root", "")
	if err := s.Changes.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	open.want("reset")
	open.ends("a reset")
}

func TestE4_Stream_ObeysRightsOfTheMoment(t *testing.T) {
	t.Parallel()
	s, users, server := serve(t, shoptest.Memory(t), shopapi.Limits{})
	r := connect(t, server, "clerk", "")
	create := func(name string) { must[categories.Category](t)(s.Categories.Create(t.Context(), category(name))) }
	create("Cups")
	r.want("categories.created")
	rights := func(names ...string) {
		u := &shopapi.User{ID: 2, Type: shopapi.Administrator, Privileges: map[string]bool{}}
		for _, name := range names {
			u.Privileges[name] = true
		}
		users.set("clerk", u)
	}
	rights("view_users")
	create("Jugs")
	rights("view_catalog")
	create("Mugs")
	if e := r.want("categories.created"); !strings.Contains(e.data, `"id":"3"`) && !strings.Contains(e.data, `"id":"2"`) {
		t.Errorf("E4: after the privilege came back: %s", e.data)
	}
	users.set("clerk", nil)
	create("Bowls")
	for {
		e, ok := r.next()
		if !ok {
			break
		}
		if strings.Contains(e.data, `"id":"4"`) {
			t.Errorf("E4: a user who is gone is told %s", e.data)
		}
	}
}

func TestE4_Stream_LimitsAndEnd(t *testing.T) {
	t.Parallel()
	s, _, server := serve(t, shoptest.Memory(t), shopapi.Limits{Streams: 3, UserStreams: 2, Time: time.Second})
	status := func(user string) int {
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/changes", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(user, "key")
		req.Header.Set("Accept", "text/event-stream")
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	streams := []*eventReader{connect(t, server, "root", ""), connect(t, server, "root", "")}
	if got := status("root"); got != 429 {
		t.Errorf("E4: a third stream of one user is answered %d, want 429", got)
	}
	streams = append(streams, connect(t, server, "clerk", ""))
	if got := status("two"); got != 429 {
		t.Errorf("E4: a fourth stream of all is answered %d, want 429", got)
	}
	s.EndStreams()
	for _, r := range streams {
		r.ends("the end of the service")
	}
}

// A stream costs nothing of the database while nothing changes.
func TestE4_Stream_HoldsNoTransaction(t *testing.T) {
	t.Parallel()
	counting := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	s, _, server := serve(t, counting, shopapi.Limits{})
	r := connect(t, server, "root", "entity=categories")
	r.block()
	must[categories.Category](t)(s.Categories.Create(t.Context(), category("Cups"))) // a writer is not held up
	r.want("categories.created")
	if _, err := changes.Open(t.Context(), s.API, counting, changes.Options{}); err == nil {
		t.Error("E4: the address of the log can be registered while requests are served")
	}
}
