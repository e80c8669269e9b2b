package shopapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	_ "github.com/shopapi/shopapi/internal/fasttest"
)

// A thing is an object of the entities that these tests register.
type thing struct {
	ID    int64  `json:"thing_id,string" bind:"-"`
	Name  string `json:"name"`
	Count int64  `json:"count,string"`
}

// Things is an entity in memory with every capability. Its operations are noted
// in trace, so that a test sees which ones ran.
type things struct {
	shopapi.Description

	mu    sync.Mutex
	rows  map[int64]thing
	last  int64
	trace *[]string
	fail  error // of every operation, when set
	saw   *shopapi.Request
}

// newThings returns an entity that holds the objects 1 to 3.
func newThings(name string, trace *[]string, parents ...string) *things {
	e := &things{
		Description: shopapi.Description{
			Name:       name,
			IDField:    "thing_id",
			Privileges: shopapi.Privileges{View: "view_" + name, Manage: "manage_" + name},
			Parents:    parents,
		},
		rows: map[int64]thing{}, trace: trace, last: 3,
	}
	for id := range int64(3) {
		e.rows[id+1] = thing{ID: id + 1, Name: name, Count: 10 * (id + 1)}
	}
	return e
}

func (e *things) Describe() shopapi.Description { return e.Description }

func (e *things) note(op, id string, r *shopapi.Request) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	*e.trace = append(*e.trace, strings.TrimSpace(op+" "+e.Name+" "+id))
	e.saw = r
	return e.fail
}

func (e *things) List(_ context.Context, r *shopapi.Request) (any, error) {
	if err := e.note("list", "", r); err != nil {
		return nil, err
	}
	p, err := r.Page(false, "id", "name")
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]thing, 0, len(e.rows))
	for _, row := range e.rows {
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b thing) int { return int(a.ID - b.ID) })
	if p.Descending {
		slices.Reverse(all)
	}
	from := min(p.Offset(), len(all))
	to := min(from+p.Limit(), len(all))
	return shopapi.List{Name: e.Name, Items: all[from:to], Params: p.Params(int64(len(all)))}, nil
}

func (e *things) Get(_ context.Context, r *shopapi.Request, id string) (any, error) {
	if err := e.note("get", id, r); err != nil {
		return nil, err
	}
	return e.row(id)
}

func (e *things) row(id string) (thing, error) {
	n, err := shopapi.ParseID("thing", id)
	if err != nil {
		return thing{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	row, ok := e.rows[n]
	if !ok {
		return thing{}, shopapi.NotFound("thing", id)
	}
	return row, nil
}

func (e *things) Create(_ context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if err := e.note("create", "", r); err != nil {
		return shopapi.Reply{}, err
	}
	var row thing
	if err := r.Bind(&row); err != nil {
		return shopapi.Reply{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	row.ID = e.last
	e.rows[row.ID] = row
	return shopapi.Reply{ID: shopapi.FormatID(row.ID)}, nil
}

func (e *things) Update(_ context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	if err := e.note("update", id, r); err != nil {
		return shopapi.Reply{}, err
	}
	row, err := e.row(id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	if err := r.Bind(&row); err != nil {
		return shopapi.Reply{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rows[row.ID] = row
	return shopapi.Reply{ID: id}, nil
}

func (e *things) Delete(_ context.Context, r *shopapi.Request, id string) error {
	if err := e.note("delete", id, r); err != nil {
		return err
	}
	row, err := e.row(id)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.rows, row.ID)
	return nil
}

// A shop is an API with the entities aisles, shelves under them, labels under
// those, and the users root (who may do everything), clerk (as privileges say)
// and customer. Every key is "key".
type shop struct {
	*shopapi.API
	t                       *testing.T
	aisles, shelves, labels *things
	trace                   []string
	log                     *syncBuffer
	now                     time.Time
	clerk                   map[string]bool
}

func newShop(t *testing.T, change ...func(*shopapi.Options)) *shop {
	t.Helper()
	s := &shop{t: t, now: time.Unix(1_700_000_000, 0), clerk: map[string]bool{}, log: &syncBuffer{}}
	opts := &shopapi.Options{
		Authenticator: shopapi.AuthenticatorFunc(s.authenticate),
		Clock:         func() time.Time { return s.now },
		Logger:        slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(opts)
	}
	s.API = shopapi.New(opts)
	s.aisles = newThings("aisles", &s.trace)
	s.shelves = newThings("shelves", &s.trace, "aisles")
	s.labels = newThings("labels", &s.trace, "shelves")
	for _, e := range []*things{s.aisles, s.shelves, s.labels} {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *shop) authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	if c.Key != "key" {
		return nil, shopapi.ErrBadCredentials
	}
	switch strings.ToLower(strings.TrimSpace(c.Email)) {
	case "root@example.com":
		return &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}, nil
	case "clerk@example.com":
		return &shopapi.User{ID: 2, Type: shopapi.Administrator, Privileges: s.clerk}, nil
	case "customer@example.com":
		return &shopapi.User{ID: 3, Type: shopapi.Customer, Root: true}, nil
	}
	return nil, shopapi.ErrBadCredentials
}

// A header sets or changes one thing of a request.
type header func(*http.Request)

func with(name, value string) header {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

func as(email, key string) header {
	return func(r *http.Request) { r.SetBasicAuth(email, key) }
}

func from(addr string) header {
	return func(r *http.Request) { r.RemoteAddr = addr }
}

func anonymous(r *http.Request) { r.Header.Del("Authorization") }

var asJSON = with("Content-Type", "application/json")

// do sends a request as root, unless the headers say otherwise.
func (s *shop) do(method, target, body string, headers ...header) *reply {
	s.t.Helper()
	var req *http.Request
	if body == "" {
		req = httptest.NewRequest(method, target, nil)
	} else {
		req = httptest.NewRequest(method, target, strings.NewReader(body))
	}
	return s.send(s.API, req, headers...)
}

func (s *shop) send(h http.Handler, req *http.Request, headers ...header) *reply {
	s.t.Helper()
	req.SetBasicAuth("root@example.com", "key")
	for _, set := range headers {
		set(req)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return &reply{ResponseRecorder: w, t: s.t, request: fmt.Sprintf("%s %.100s", req.Method, req.URL)}
}

// A reply is the response to a request.
type reply struct {
	*httptest.ResponseRecorder
	t       *testing.T
	request string
}

// want checks the status.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.Code != status {
		r.t.Errorf("%s: status %d, want %d; body %.300s", r.request, r.Code, status, r.Body)
	}
	return r
}

// contains checks that the body has the text.
func (r *reply) contains(text string) *reply {
	r.t.Helper()
	if !strings.Contains(r.Body.String(), text) {
		r.t.Errorf("%s: the body %.300s lacks %s", r.request, r.Body, text)
	}
	return r
}

// is checks the whole body.
func (r *reply) is(body string) *reply {
	r.t.Helper()
	if r.Body.String() != body {
		r.t.Errorf("%s: body %.500s, want %s", r.request, r.Body, body)
	}
	return r
}

// tree is the body as JSON.
func (r *reply) tree() map[string]any {
	r.t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(r.Body.Bytes(), &tree); err != nil {
		r.t.Fatalf("%s: the body %.300s is no JSON object: %v", r.request, r.Body, err)
	}
	return tree
}

// has checks a header.
func (r *reply) has(name, value string) *reply {
	r.t.Helper()
	if got := r.Result().Header.Get(name); got != value {
		r.t.Errorf("%s: header %s is %q, want %q", r.request, name, got, value)
	}
	return r
}

// A syncBuffer is a log that several goroutines write to.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// names are the members of a JSON object in their order.
func names(object string) []string {
	d := json.NewDecoder(strings.NewReader(object))
	_, _ = d.Token()
	var list []string
	for d.More() {
		name, _ := d.Token()
		list = append(list, name.(string))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
	}
	return list
}

// A waiting entity answers when it is let.
type waiting struct {
	answers
	began, let chan struct{}
}

func (w waiting) List(context.Context, *shopapi.Request) (any, error) {
	close(w.began)
	<-w.let
	return 1, nil
}

// §5: 503 with Retry-After while the service shuts down; running requests are finished.
func TestShutdown(t *testing.T) {
	s := newShop(t)
	w := waiting{began: make(chan struct{}), let: make(chan struct{})}
	if err := s.Register(w); err != nil {
		t.Fatal(err)
	}
	answered := make(chan *reply, 1)
	go func() { answered <- s.do("GET", "/api/answers", "") }()
	<-w.began

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown did not wait: %v", err)
	}
	s.do("GET", "/api/aisles", "").want(503).has("Retry-After", "1").contains("shutting down")
	s.do("GET", "/api/aisles", "", with("Accept", "text/plain")).want(503).contains("status=503")
	close(w.let)
	(<-answered).want(200).is("1")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// After Shutdown returned nothing runs any more.
func TestShutdown_Concurrent(t *testing.T) {
	for range 50 {
		s := newShop(t)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if r := s.do("GET", "/api/aisles", ""); r.Code != 200 && r.Code != 503 {
					t.Errorf("status %d", r.Code)
				}
			})
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		s.aisles.mu.Lock()
		served := len(s.trace)
		s.aisles.mu.Unlock()
		group.Wait()
		if len(s.trace) != served {
			t.Fatalf("%d requests were served after Shutdown", len(s.trace)-served)
		}
	}
}

// What Completed does belongs to the request, also after a panic.
func TestShutdown_WaitsForCompleted(t *testing.T) {
	began, let := make(chan struct{}), make(chan struct{})
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(*http.Request, shopapi.Completion) {
			close(began)
			<-let
		}
	})
	if err := s.Register(panicking{answers{"boom"}}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan *reply, 1)
	go func() { answered <- s.do("GET", "/api/answers", "") }()
	<-began
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown did not wait: %v", err)
	}
	close(let)
	(<-answered).want(500)
}

// Functions run from the first request on, and Shutdown waits for them.
func TestBackground_RunsUntilShutdown(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*shopapi.API) error{
		"Start": (*shopapi.API).Start,
		"a request": func(api *shopapi.API) error {
			api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/2.0/products", nil))
			return nil
		},
	} {
		api := shopapi.New(nil)
		began, ended := make(chan struct{}), false
		api.Background(func(ctx context.Context) {
			close(began)
			<-ctx.Done()
			ended = true
		})
		if err := errors.Join(start(api), api.Start()); err != nil {
			t.Fatal(err)
		}
		<-began
		if err := api.Shutdown(t.Context()); err != nil || !ended {
			t.Errorf("%s: Shutdown returned %v before the function ended: %v", name, err, !ended)
		}
	}
}

// After Shutdown nothing starts, and a wrong configuration is reported.
func TestBackground_DoesNotStart(t *testing.T) {
	t.Parallel()
	api := shopapi.New(nil)
	api.Background(func(context.Context) { t.Error("it runs after Shutdown") })
	if err := errors.Join(api.Shutdown(t.Context()), api.Start()); err != nil {
		t.Error(err)
	}
	api = shopapi.New(&shopapi.Options{Privileges: map[string]shopapi.Privileges{"nothing": {}}})
	api.Background(func(context.Context) { t.Error("it runs without a valid configuration") })
	if err := api.Start(); err == nil {
		t.Error("Start passes a privilege of an entity that is not registered")
	}
	if err := api.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestUserByID(t *testing.T) {
	t.Parallel()
	if _, err := shopapi.New(nil).UserByID(t.Context(), 1); !errors.Is(err, shopapi.ErrNoUserByID) {
		t.Errorf("without the option: %v", err)
	}
	api := shopapi.New(&shopapi.Options{
		Edition: shopapi.MultiStorefront,
		UserByID: func(_ context.Context, id int64) (*shopapi.User, error) {
			return map[int64]*shopapi.User{
				1: {ID: 1, Type: shopapi.Administrator, CompanyID: 2}, 2: {ID: 2, Type: shopapi.Customer},
			}[id], nil
		},
	})
	if user, err := api.UserByID(t.Context(), 1); err != nil || !user.IsConfined() {
		t.Errorf("an administrator of one storefront: %v, %v", user, err)
	}
	for _, id := range []int64{2, 3} {
		if _, err := api.UserByID(t.Context(), id); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("user %d: %v, want ErrNotFound", id, err)
		}
	}
}
