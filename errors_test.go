package shopapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// §5: one table from errors to statuses, wrapped or not.
func TestErrors_Table(t *testing.T) {
	for _, test := range []struct {
		name       string
		err        error
		status     int
		message    string // in the body
		retryAfter string
	}{
		{"not found", shopapi.ErrNotFound, 404, "Not Found.", ""},
		{"not found with words", shopapi.NotFound("thing", "7"), 404, `There is no thing with the id "7".`, ""},
		{"a field", shopapi.Invalid("name", "must not be %s", "empty"), 400, "name must not be empty.", ""},
		{"of its own", shopapi.Errorf(http.StatusConflict, "The %s is locked.", "thing"), 409, "The thing is locked.", ""},
		{"bare", &shopapi.Error{Status: 422}, 422, "Unprocessable Entity.", ""},
		{"no status", &shopapi.Error{Message: "secret"}, 500, "could not be served", ""},
		{"no error status", &shopapi.Error{Status: 200, Message: "secret"}, 500, "could not be served", ""},
		{"beyond", &shopapi.Error{Status: 1000, Message: "secret"}, 500, "could not be served", ""},
		{"500 of an entity", &shopapi.Error{Status: 500, Message: "secret"}, 500, "could not be served", ""},
		{"no such row", store.ErrNotFound, 404, "There is no such object.", ""},
		{"conflict", &store.ConflictError{Table: "secret", Columns: []string{"email", "company_id"}}, 400, "email is taken: another object has the same; company_id is taken", ""},
		{"bad text", &store.TextError{Column: "name"}, 400, "name must be valid UTF-8 without NUL characters.", ""},
		{"too long for its index", &store.TextError{Column: "name", Most: 2500}, 400, "name is too long: at most 2500 bytes are allowed.", ""},
		{"too large", &http.MaxBytesError{Limit: 7}, 413, "larger than the 7 bytes", ""},
		{"unavailable", store.ErrUnavailable, 503, "busy or not reachable", "1"},
		{"outcome unknown", store.ErrOutcomeUnknown, 503, "may have been saved or not", "1"},
		{"deadline", context.DeadlineExceeded, 503, "busy or not reachable", "1"},
		{"cancelled", context.Canceled, 503, "busy or not reachable", "1"},
		{"read-only view", store.ErrReadOnly, 500, "could not be served", ""},
		{"anything else", errors.New("secret: SELECT * FROM users"), 500, "could not be served", ""},
	} {
		for wrapping, err := range map[string]error{
			"plain":   test.err,
			"wrapped": fmt.Errorf("secret place: %w", test.err),
			"joined":  errors.Join(errors.New("secret"), test.err),
		} {
			t.Run(test.name+" "+wrapping, func(t *testing.T) {
				s := newShop(t)
				s.aisles.fail = err
				for _, r := range []*reply{
					s.do("GET", "/api/aisles", ""), s.do("GET", "/api/aisles/1", ""), s.do("GET", "/api/aisles/1/shelves", ""),
					s.do("POST", "/api/aisles", "name=x"), s.do("PUT", "/api/aisles/1", "name=x"), s.do("DELETE", "/api/aisles/1", ""),
				} {
					r.want(test.status).contains(strings.ReplaceAll(test.message, `"`, `\"`)).has("Retry-After", test.retryAfter)
					tree := r.tree()
					if tree["status"] != float64(test.status) {
						t.Errorf("the body says status %v", tree["status"])
					}
					if strings.Contains(r.Body.String(), "secret") {
						t.Errorf("the body gives away %s", r.Body)
					}
				}
			})
		}
	}
}

// §5: the shape of the body, in both formats.
func TestErrors_Shape(t *testing.T) {
	s := newShop(t)
	var p shopapi.Problems
	p.Add("name", "must not be empty")
	p.Add("name", "is noted once")
	p.OneOf("status", "X", "A", "D")
	p.OneOf("type", "A", "A", "D")
	s.aisles.fail = p.Err()
	s.do("GET", "/api/aisles", "").want(400).has("Content-Type", jsonType).
		is(`{"message":"name must not be empty; status must be one of A, D, not \"X\".","status":400,"errors":{"name":"must not be empty","status":"must be one of A, D, not \"X\""}}`)
	s.do("GET", "/api/aisles", "", with("Accept", "text/plain")).want(400).has("Content-Type", textType).
		is("message=name%20must%20not%20be%20empty%3B%20status%20must%20be%20one%20of%20A%2C%20D%2C%20not%20%22X%22.&status=400&errors[name]=must%20not%20be%20empty&errors[status]=must%20be%20one%20of%20A%2C%20D%2C%20not%20%22X%22")
	s.do("GET", "/api/aisles", "", with("Accept", "image/png")).want(406).has("Content-Type", jsonType)
	s.do("GET", "/api/nothing", "", with("Accept", "image/png")).want(404).has("Content-Type", jsonType)
	s.do("GET", "/api/aisles", "", anonymous, with("Accept", "text/plain")).want(401).has("Content-Type", textType)

	var none shopapi.Problems
	if none.Err() != nil {
		t.Error("no problems are an error")
	}
}

// §5: 405 lists the allowed methods.
func TestErrors_Allow(t *testing.T) {
	s := newShop(t)
	s.do("PUT", "/api/aisles", "name=x").want(405).has("Allow", "GET, HEAD, POST").is(`{"message":"PUT needs the id of the object in the address.","status":405}`)
	s.do("POST", "/api/aisles/1", "name=x").want(405).has("Allow", "GET, HEAD, PUT, DELETE").contains("takes no id")
	s.do("DELETE", "/api/aisles", "").want(405).contains("needs the id")

	lists := newShop(t)
	if err := lists.Register(answers{1}); err != nil {
		t.Fatal(err)
	}
	lists.do("POST", "/api/answers", "name=x").want(405).has("Allow", "GET, HEAD").contains("Allowed: GET, HEAD.")
	lists.do("GET", "/api/answers/1", "").want(405).has("Allow", "").contains("No method is allowed here.")
	lists.do("PUT", "/api/answers", "name=x").want(405).has("Allow", "GET, HEAD")
}

// §5: 500 carries a request id that the log has too, and nothing else.
func TestErrors_RequestID(t *testing.T) {
	s := newShop(t)
	s.aisles.fail = errors.New("secret detail")
	r := s.do("GET", "/api/aisles/1", "").want(500)
	id := r.Result().Header.Get("X-Request-Id")
	if id == "" || !strings.Contains(r.Body.String(), id) {
		t.Errorf("the answer %s lacks the request id %q", r.Body, id)
	}
	for _, want := range []string{id, "secret detail", "path=/api/aisles/1", "level=ERROR"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log %s lacks %s", s.log, want)
		}
	}
	if again := s.do("GET", "/api/aisles/1", ""); again.Result().Header.Get("X-Request-Id") == id {
		t.Error("two requests have one id")
	}
	if strings.Contains(s.log.String(), "key") {
		t.Error("the log holds a key")
	}
}

// Panicking is an entity whose list panics.
type panicking struct{ answers }

func (p panicking) List(context.Context, *shopapi.Request) (any, error) { panic(p.value) }

// §5: a panic is logged under its request id, and not shown.
func TestErrors_Panic(t *testing.T) {
	for _, value := range []any{"secret", errors.New("secret"), shopapi.NotFound("secret", "1")} {
		s := newShop(t)
		if err := s.Register(panicking{answers{value}}); err != nil {
			t.Fatal(err)
		}
		r := s.do("GET", "/api/answers", "").want(500)
		id := r.Result().Header.Get("X-Request-Id")
		if id == "" || !strings.Contains(s.log.String(), id) || !strings.Contains(s.log.String(), "secret") || !strings.Contains(s.log.String(), "panicking") {
			t.Errorf("the log %s lacks the panic of request %s and where it was", s.log, id)
		}
		if strings.Contains(r.Body.String(), "secret") {
			t.Errorf("the answer shows the panic: %s", r.Body)
		}
		s.do("GET", "/api/aisles", "").want(200)
	}
}

// A handler that aborts is left to the server, as net/http has it.
func TestErrors_AbortHandler(t *testing.T) {
	s := newShop(t)
	if err := s.Register(panicking{answers{http.ErrAbortHandler}}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("recovered %v", p)
		}
	}()
	s.do("GET", "/api/answers", "")
	t.Error("the panic was swallowed")
}

// A disconnected client is not an error in the log.
func TestErrors_ClientGone(t *testing.T) {
	s := newShop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.aisles.fail = ctx.Err()
	s.do("GET", "/api/aisles", "", func(r *http.Request) { *r = *r.WithContext(ctx) })
	if log := s.log.String(); !strings.Contains(log, "level=DEBUG") || strings.Contains(log, "level=WARN") {
		t.Errorf("log %s", log)
	}
}

func TestErrors_Headers(t *testing.T) {
	s := newShop(t)
	for _, address := range []string{"/api/aisles", "/api/aisles/9"} {
		s.do("GET", address, "").has("Cache-Control", "private, no-cache").has("Vary", "Accept, Authorization").has("X-Content-Type-Options", "nosniff")
	}
}

func TestErrors_Is(t *testing.T) {
	wrapped := fmt.Errorf("reading: %w", shopapi.NotFound("thing", "7"))
	if !errors.Is(wrapped, shopapi.ErrNotFound) {
		t.Error("NotFound is not ErrNotFound")
	}
	for _, other := range []error{shopapi.Errorf(400, "x"), shopapi.ErrNotRegistered} {
		if errors.Is(other, shopapi.ErrNotFound) {
			t.Errorf("%v is ErrNotFound", other)
		}
	}
}

func TestErrors_Problems(t *testing.T) {
	var p shopapi.Problems
	p.Range("position", 5, 0, 10)
	p.Length("label", "größe", 5)
	p.Bytes("note", "größe", 7)
	p.Merge(nil)
	if p.Err() != nil || p.Has("position") {
		t.Errorf("problems %v", p.Err())
	}
	p.Range("position", 11, 0, 10)
	p.Length("label", "größen", 5)
	p.Bytes("note", "größen", 7)
	if !p.Has("position") || p.Has("name") {
		t.Errorf("Has: position %v, name %v; want true, false", p.Has("position"), p.Has("name"))
	}
	p.Merge(fmt.Errorf("binding: %w", shopapi.Invalid("name", "must not be empty")))
	const want = "position must be a whole number from 0 to 10, not 11; label must have at most 5 characters, not 6; note must have at most 7 bytes, not 8; name must not be empty."
	if err := p.Err(); err == nil || err.Error() != want {
		t.Errorf("problems %v, want %s", err, want)
	}
	p.Merge(store.ErrUnavailable)
	p.Merge(shopapi.ErrNotFound)
	if err := p.Err(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error %v, want the first that is of another kind", err)
	}
}

// §5: rules pass over the columns that a change leaves as they were.
func TestErrors_ProblemsSkipUnchangedColumns(t *testing.T) {
	type row struct {
		ID   int64  `json:"id" store:"key"`
		Name string `json:"name"`
		Note string `json:"note"`
	}
	var p shopapi.Problems
	p.SkipAllBut([]string{"note"}, store.MustTable[row]("rows").Schema())
	if !p.Skips("name") || p.Skips("note") || p.Skips("extra") {
		t.Errorf("Skips: name %v, note %v, extra %v; want true, false, false", p.Skips("name"), p.Skips("note"), p.Skips("extra"))
	}
	p.Required("name", "", "the name")
	p.OneOf("name", "x", "A")
	p.Range("name", 2, 0, 1)
	p.Length("name", "xx", 1)
	p.Bytes("name", "xx", 1)
	if err := p.Err(); err != nil {
		t.Errorf("rules on an unchanged column: %v", err)
	}
	p.Bytes("note", "xx", 1)
	const want = "note must have at most 1 bytes, not 2."
	if err := p.Err(); err == nil || err.Error() != want {
		t.Errorf("problems %v, want %s", err, want)
	}
}

// The fields of an error that is merged keep the order in which they were noted.
func TestErrors_ProblemsKeepTheirOrder(t *testing.T) {
	var inner, outer shopapi.Problems
	inner.Add("z", "is last")
	inner.Add("a", "is first")
	outer.Add("m", "is before")
	outer.Merge(fmt.Errorf("binding: %w", inner.Err()))
	outer.Merge(&shopapi.Error{Status: 400, Fields: map[string]string{"y": "by name", "x": "by name", "z": "again"}})
	const want = "m is before; z is last; a is first; x by name; y by name."
	if err := outer.Err(); err.Error() != want {
		t.Errorf("problems %v, want %s", err, want)
	}
}

// What a client sends comes back in messages cut to a bearable length.
func TestErrors_LongValues(t *testing.T) {
	s := newShop(t)
	long := strings.Repeat("x", 100_000)
	for _, r := range []*reply{
		s.do("GET", "/api/"+long, ""), s.do("GET", "/api/aisles/"+long, ""), s.do("GET", "/api/aisles?sort_by="+long, ""),
		s.do("POST", "/api/aisles", "count="+long), s.do("POST", "/api/aisles", long+"[=1"), s.do("POST", "/api/aisles", "%"+long),
		s.do("POST", "/api/aisles", "name=x", with("Content-Type", long)), s.do("POST", "/api/aisles", long+"[a][b][c][d][e][f]=1"),
		s.do("POST", "/api/aisles", long+"=%ff"), s.do("POST", "/api/aisles", long+"=1&"+long+"[a]=1"), s.do("GET", "/api/aisles?"+long+"=%ff", ""),
	} {
		if r.Code < 400 || r.Code >= 500 || r.Body.Len() > 1000 {
			t.Errorf("%s is answered %d with %d bytes", r.request, r.Code, r.Body.Len())
		}
	}
}
