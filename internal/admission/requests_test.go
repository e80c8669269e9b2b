package admission_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi"
)

// A costly entity uses as much memory and time as a test wants. The user of a request
// is the number in its header User.
type costly struct {
	size int           // bytes of an item
	hold chan struct{} // long operations end when it is closed; nil does not hold them
	long atomic.Int64  // long operations that run
}

func (c *costly) Describe() shopapi.Description {
	return shopapi.Description{Name: "costly", IDField: "id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
}

func (c *costly) List(ctx context.Context, _ *shopapi.Request) (any, error) {
	c.runLong(ctx)
	return shopapi.List{Name: "costly", Items: []string{strings.Repeat("x", c.size)}}, ctx.Err()
}

func (c *costly) runLong(ctx context.Context) {
	c.long.Add(1)
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
		}
	}
}

func (c *costly) Get(context.Context, *shopapi.Request, string) (any, error) {
	return strings.Repeat("x", c.size), nil
}

// Create takes long if the payload has a text.
func (c *costly) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if r.Payload.Has("text") {
		c.runLong(ctx)
	}
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

// TestMemory_BodiesThatDoNotEnd: bodies without their last byte use at most the share of their user.
// Further ones of this user wait, and other users do not.
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

// TestMemory_LongOperationsTakeTurns: one user runs only so many lists, or writes with large
// bodies, at once. The others wait and are then 429 with Retry-After. Operations of others,
// and the user's own objects and small writes, do not wait.
func TestMemory_LongOperationsTakeTurns(t *testing.T) {
	large := `{"text": "` + strings.Repeat("x", 64<<10) + `"}`
	cpus := int64(runtime.GOMAXPROCS(0))
	for _, test := range []struct {
		name, method, body string
		most               int64 // at once
	}{
		{"lists", "GET", "", max(2, cpus)},
		{"large bodies", "POST", large, max(1, cpus/2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &costly{hold: make(chan struct{})}
				api := c.serve(t, shopapi.Limits{})
				send := func(user int) *httptest.ResponseRecorder {
					return sendAs(api, user, test.method, costlyList, strings.NewReader(test.body), int64(len(test.body)))
				}
				var wg sync.WaitGroup
				var refused atomic.Int64
				for range 50 {
					wg.Go(func() {
						if w := send(1); w.Code == 429 && w.Header().Get("Retry-After") != "" {
							refused.Add(1)
						}
					})
				}
				synctest.Wait()
				runs := c.long.Load()
				if runs != test.most {
					t.Fatalf("%d of one user run at once, want %d", runs, test.most)
				}
				wg.Go(func() { send(2) })
				synctest.Wait()
				if c.long.Load() != runs+1 {
					t.Error("another user waits")
				}
				if w := sendAs(api, 1, "GET", costlyOne, http.NoBody, 0); w.Code != 200 {
					t.Errorf("GET of an object is answered %d", w.Code)
				}
				if w := sendAs(api, 1, "POST", costlyList, strings.NewReader(`{"a": 1}`), 8); w.Code != 201 {
					t.Errorf("a small write is answered %d", w.Code)
				}
				time.Sleep(21 * time.Second)
				close(c.hold)
				wg.Wait()
				if refused.Load() != 50-runs {
					t.Errorf("%d are 429, want %d", refused.Load(), 50-runs)
				}
			})
		})
	}
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
