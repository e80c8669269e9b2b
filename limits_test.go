package shopapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi"
)

// A costly is an entity whose requests use as much as a test wants. The user of a request
// is the number in its header User.
type costly struct {
	size  int           // bytes of an item
	hold  chan struct{} // lists end when it is closed; nil does not hold them
	lists atomic.Int64  // that run
}

func (c *costly) Describe() shopapi.Description {
	return shopapi.Description{Name: "costly", IDField: "id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
}

func (c *costly) List(ctx context.Context, _ *shopapi.Request) (any, error) {
	c.lists.Add(1)
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
		}
	}
	return shopapi.List{Name: "costly", Items: []string{strings.Repeat("x", c.size)}}, ctx.Err()
}

func (c *costly) Get(context.Context, *shopapi.Request, string) (any, error) {
	return strings.Repeat("x", c.size), nil
}

func (c *costly) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) {
	return shopapi.Reply{ID: "1"}, nil
}

func (c *costly) serve(t *testing.T, limits shopapi.Limits) *shopapi.API {
	t.Helper()
	api := shopapi.New(&shopapi.Options{Limits: limits, Identify: func(r *http.Request) (*shopapi.User, error) {
		id, err := strconv.ParseInt(r.Header.Get("User"), 10, 64)
		return &shopapi.User{ID: id, Type: shopapi.Administrator, Root: true}, err
	}})
	if err := api.Register(c); err != nil {
		t.Fatal(err)
	}
	return api
}

func sendAs(h http.Handler, user int, method, address string, body io.Reader, length int64) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, address, body)
	req.Header.Set("User", fmt.Sprint(user))
	req.Header.Set("Content-Type", "application/json")
	req.ContentLength = length
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

const (
	costlyList = "/api/costly"
	costlyOne  = "/api/costly/1"
)

// TestMemory_BodiesThatDoNotEnd: a user whose bodies lack their last byte holds no more
// than the user's share, and waits for it; other users do not wait.
func TestMemory_BodiesThatDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := (&costly{}).serve(t, shopapi.Limits{Memory: 64 << 20}) // 4 MiB of bodies for one user
		var reading atomic.Int64
		var wg sync.WaitGroup
		statuses := make(chan int, 20)
		for range 20 {
			wg.Go(func() {
				body := &endless{reading: &reading, until: make(chan struct{})}
				time.AfterFunc(8*time.Second, func() { close(body.until) })
				statuses <- sendAs(api, 1, "POST", costlyList, body, 1<<20).Code
			})
		}
		synctest.Wait()
		if n := reading.Load(); n != 4 {
			t.Errorf("%d bodies of one user are being read, want 4", n)
		}
		if w := sendAs(api, 2, "POST", costlyList, strings.NewReader(`{"a": 1}`), 8); w.Code != 201 {
			t.Errorf("another user is answered %d %s", w.Code, w.Body)
		}
		if w := sendAs(api, 1, "GET", costlyOne, http.NoBody, 0); w.Code != 200 {
			t.Errorf("the user's own GET is answered %d %s", w.Code, w.Body)
		}
		wg.Wait()
		refused := 0
		for range 20 {
			if <-statuses == 429 {
				refused++
			}
		}
		if refused != 16 {
			t.Errorf("%d requests are 429, want 16", refused)
		}
	})
}

// An endless is a body that does not come until it fails.
type endless struct {
	reading *atomic.Int64
	until   chan struct{}
}

func (e *endless) Read([]byte) (int, error) {
	e.reading.Add(1)
	<-e.until
	return 0, io.ErrUnexpectedEOF
}

// TestMemory_ListsTakeTurns: one user runs only so many lists at once, the others wait and
// are then 429 with Retry-After; lists of others and the user's own objects do not wait.
func TestMemory_ListsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &costly{hold: make(chan struct{})}
		api := c.serve(t, shopapi.Limits{})
		var wg sync.WaitGroup
		var refused atomic.Int64
		for range 50 {
			wg.Go(func() {
				if w := sendAs(api, 1, "GET", costlyList, http.NoBody, 0); w.Code == 429 && w.Header().Get("Retry-After") != "" {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		runs := c.lists.Load()
		if runs < 2 || runs > 40 {
			t.Fatalf("%d lists of one user run at once", runs)
		}
		wg.Go(func() { sendAs(api, 2, "GET", costlyList, http.NoBody, 0) })
		synctest.Wait()
		if c.lists.Load() != runs+1 {
			t.Error("the list of another user waits")
		}
		if w := sendAs(api, 1, "GET", costlyOne, http.NoBody, 0); w.Code != 200 {
			t.Errorf("GET of an object is answered %d", w.Code)
		}
		time.Sleep(21 * time.Second)
		close(c.hold)
		wg.Wait()
		if refused.Load() != 50-runs {
			t.Errorf("%d lists are 429, want %d", refused.Load(), 50-runs)
		}
	})
}

// TestMemory_OneRequest: a response that needs more than one user may use is 400, and what
// it used is given back.
func TestMemory_OneRequest(t *testing.T) {
	c := &costly{size: 8 << 20}
	api := c.serve(t, shopapi.Limits{Memory: 16 << 20}) // 3 MiB for one user
	for range 10 {
		if w := sendAs(api, 1, "GET", costlyList, http.NoBody, 0); w.Code != 400 || !strings.Contains(w.Body.String(), "memory") {
			t.Fatalf("a large list is answered %d %.200s", w.Code, w.Body)
		}
	}
	c.size = 100
	for range 10 {
		if w := sendAs(api, 1, "GET", costlyList, http.NoBody, 0); w.Code != 200 {
			t.Fatalf("a small list is answered %d %.200s", w.Code, w.Body)
		}
	}
}

// TestMemory_Nodes: a body of many empty objects, or of many values, is refused before it
// becomes a tree.
func TestMemory_Nodes(t *testing.T) {
	api := (&costly{}).serve(t, shopapi.Limits{})
	for _, item := range []string{"{}", "[]", "1", `""`} {
		body := `{"variants": [` + strings.TrimSuffix(strings.Repeat(item+",", 300_000/len(item)), ",") + `]}`
		if w := sendAs(api, 1, "POST", costlyList, strings.NewReader(body), int64(len(body))); w.Code != 400 || !strings.Contains(w.Body.String(), "more than") {
			t.Errorf("many %s are answered %d %.200s", item, w.Code, w.Body)
		}
	}
	body := `{"text": "` + strings.Repeat(",{[", 100_000) + `"}`
	if w := sendAs(api, 1, "POST", costlyList, strings.NewReader(body), int64(len(body))); w.Code != 201 {
		t.Errorf("a long text is answered %d %.200s", w.Code, w.Body)
	}
}

// Each user has a separate limit; cached responses and errors count; requests without a
// user do not.
func TestE10_Rate(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.RateLimit = shopapi.RateLimit{Requests: 3, Seconds: 10} })
	policy := func(r *reply, left string) *reply {
		t.Helper()
		return r.has("RateLimit-Policy", `"default";q=3;w=10`).has("RateLimit", left)
	}
	policy(s.do("GET", "/api/aisles", "").want(200), `"default";r=2;t=10`)
	s.now = s.now.Add(2500 * time.Millisecond)
	policy(s.do("GET", "/api/nothing", "").want(404), `"default";r=1;t=8`)
	policy(s.do("GET", "/api/aisles", "").want(200), `"default";r=0;t=8`)
	operations := len(s.trace)
	policy(s.do("POST", "/api/aisles", "name=x").want(429), `"default";r=0;t=8`).has("Retry-After", "8").contains("3 requests in 10 seconds")
	if len(s.trace) != operations {
		t.Error("an operation ran beyond the limit")
	}
	s.do("GET", "/api/aisles", "", anonymous).want(401).has("RateLimit", "").has("RateLimit-Policy", "")
	s.now = s.now.Add(7500 * time.Millisecond)
	policy(s.do("POST", "/api/aisles", "name=x").want(201), `"default";r=2;t=10`)
}

func TestE10_Rate_CachedResponses(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 2, Seconds: 60}})
	for _, want := range []int{200, 200, 429} {
		if w := askNotes(t, h, "GET", "/api/notes", ""); w.Code != want {
			t.Errorf("the response is %d, want %d", w.Code, want)
		}
	}
	if n.asked.Load() != 1 {
		t.Errorf("the entity was asked %d times", n.asked.Load())
	}
}

func TestE10_Rate_Each_User(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.RateLimit = shopapi.RateLimit{Requests: 1, Seconds: 60}
		o.Identify = func(r *http.Request) (*shopapi.User, error) {
			return &shopapi.User{Root: true, Type: shopapi.Administrator, Email: r.Header.Get("X-User")}, nil
		}
	})
	for _, user := range []string{"ann", "bob"} {
		s.do("GET", "/api/aisles", "", with("X-User", user)).want(200)
		s.do("GET", "/api/aisles", "", with("X-User", user)).want(429)
	}
}

func TestE10_Rate_Off(t *testing.T) {
	r := newShop(t).do("GET", "/api/aisles", "").want(200)
	for name := range r.Result().Header {
		if strings.HasPrefix(name, "Ratelimit") {
			t.Errorf("the response has the header %s", name)
		}
	}
}
