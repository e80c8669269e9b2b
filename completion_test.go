package shopapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shopapi/shopapi"
)

func TestCompleted_IsToldOfEveryRequest(t *testing.T) {
	var got []shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(_ *http.Request, c shopapi.Completion) { got = append(got, c) }
	})
	route := func(entity string, op shopapi.Operation, parents ...string) shopapi.Route {
		return shopapi.Route{Entity: entity, Operation: op, Parents: parents}
	}
	for _, c := range []struct {
		name, method, address, body string
		header                      header
		status                      int
		user                        int64 // its id, 0 for none
		route                       shopapi.Route
	}{
		{"a list", "GET", "/api/aisles", "", asJSON, 200, 1, route("aisles", shopapi.OpList)},
		{"HEAD", "HEAD", "/api/aisles/1", "", asJSON, 200, 1, route("aisles", shopapi.OpGet)},
		{"a nested object", "GET", "/api/2.0/aisles/1/shelves/2", "", asJSON, 200, 1, route("shelves", shopapi.OpGet, "aisles")},
		{"the script form", "GET", "/api.php?_d=aisles/1/shelves/2/labels", "", asJSON, 200, 1, route("labels", shopapi.OpList, "aisles", "shelves")},
		{"a create", "POST", "/api/aisles", `{"name": "x"}`, asJSON, 201, 1, route("aisles", shopapi.OpCreate)},
		{"an update", "PUT", "/api/aisles/1", `{"name": "x"}`, asJSON, 200, 1, route("aisles", shopapi.OpUpdate)},
		{"a delete", "DELETE", "/api/aisles/1", "", asJSON, 204, 1, route("aisles", shopapi.OpDelete)},
		{"no credentials", "GET", "/api/aisles", "", anonymous, 401, 0, shopapi.Route{}},
		{"no such address", "GET", "/api/nothing", "", asJSON, 404, 1, shopapi.Route{}},
		{"no such method", "PUT", "/api/aisles", "", asJSON, 405, 1, route("aisles", "")},
		{"no such format", "GET", "/api/aisles", "", with("Accept", "image/png"), 406, 1, route("aisles", shopapi.OpList)},
		{"no privilege", "GET", "/api/aisles/1", "", as("clerk@example.com", "key"), 403, 2, route("aisles", shopapi.OpGet)},
		{"no such object", "GET", "/api/aisles/99", "", asJSON, 404, 1, route("aisles", shopapi.OpGet)},
		{"a bad body", "POST", "/api/aisles", `{"count": "x"}`, asJSON, 400, 1, route("aisles", shopapi.OpCreate)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got = nil
			r := s.do(c.method, c.address, c.body, c.header).want(c.status)
			if len(got) != 1 {
				t.Fatalf("told %d times, want once", len(got))
			}
			var id int64
			if got[0].User != nil {
				id = got[0].User.ID
			}
			want := shopapi.Completion{Route: c.route, Status: c.status, Bytes: int64(r.Body.Len())}
			if diff := cmp.Diff(want, got[0], cmpopts.IgnoreFields(shopapi.Completion{}, "Duration", "User"), cmpopts.EquateEmpty()); diff != "" || id != c.user {
				t.Errorf("user %d, want %d; (-want +got):\n%s", id, c.user, diff)
			}
		})
	}
}

func TestCompleted_TellsDurationAndShutdown(t *testing.T) {
	var got shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { time.Sleep(2 * time.Millisecond); return nil, nil }
		o.Completed = func(_ *http.Request, c shopapi.Completion) { got = c }
	})
	s.do("GET", "/api/aisles", "")
	if got.Duration < 2*time.Millisecond {
		t.Errorf("a request of 2 ms took %s", got.Duration)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/aisles", "")
	if got.Status != 503 || got.Entity != "" || got.User != nil {
		t.Errorf("refused by Shutdown: got %+v", got)
	}
}

func TestCompleted_TellsWhatCameFromTheCache(t *testing.T) {
	var got shopapi.Completion
	user := &shopapi.User{ID: 5, Root: true}
	api := cachedNotes(t, &notes{}, &shopapi.Options{
		Identify:  func(*http.Request) (*shopapi.User, error) { return user, nil },
		Completed: func(_ *http.Request, c shopapi.Completion) { got = c },
	})
	for _, cached := range []bool{false, true} {
		w := askNotes(t, api, "GET", "/api/notes", "")
		want := shopapi.Completion{
			Route: shopapi.Route{Entity: "notes", Operation: shopapi.OpList}, User: user,
			Status: 200, Bytes: int64(w.Body.Len()), Cached: cached,
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(shopapi.Completion{}, "Duration")); diff != "" {
			t.Errorf("cached %v (-want +got):\n%s", cached, diff)
		}
	}
	req := httptest.NewRequest("GET", "/api/notes", nil)
	req.Header.Set("If-None-Match", "*")
	api.ServeHTTP(httptest.NewRecorder(), req)
	if got.Status != 304 || got.Bytes != 0 || !got.Cached {
		t.Errorf("not modified: got %+v", got)
	}
}

func TestCompleted_PanicIsLoggedAndHidden(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(*http.Request, shopapi.Completion) { panic("no metrics") }
	})
	s.do("GET", "/api/aisles/1", "").want(200).contains(`"name":"aisles"`)
	if !strings.Contains(s.log.String(), "no metrics") {
		t.Error("the log lacks the panic")
	}
}

// A connection that an entity cuts stays cut, and is told of without a status.
func TestCompleted_CutConnection(t *testing.T) {
	var got *shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(_ *http.Request, c shopapi.Completion) { got = &c; panic("no metrics") }
	})
	if err := s.Register(panicking{answers{http.ErrAbortHandler}}); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the server got the panic %v", p)
			}
		}()
		s.do("GET", "/api/answers", "")
	}()
	if got == nil || got.Status != 0 || got.Entity != "answers" {
		t.Errorf("got %+v", got)
	}
}

// A panic of an entity is a 500, in Completed as for the client.
func TestCompleted_EntityThatPanics(t *testing.T) {
	var got shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) { o.Completed = func(_ *http.Request, c shopapi.Completion) { got = c } })
	if err := s.Register(panicking{answers{"boom"}}); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/answers", "").want(500)
	if got.Status != 500 || got.Bytes == 0 || got.Operation != shopapi.OpList {
		t.Errorf("got %+v", got)
	}
}
