package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// send sends a form with headers, pairs of name and value.
func (f *fixture) send(method, address, body string, headers ...string) *httptest.ResponseRecorder {
	return send(f.API, method, address, body, headers...)
}

func send(h http.Handler, method, address, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, address, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// If-Match and If-None-Match on PUT and DELETE compare with the ETag that GET on
// the same address, query and Accept gives (decisions §25).
func TestPreconditions(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.create(part{Name: "a"})
		tagOf := func(headers ...string) string {
			return f.send("GET", "/api/parts/1", "", headers...).Header().Get("Etag")
		}
		first := tagOf()
		text := tagOf("Accept", "text/plain")
		for _, c := range []struct {
			name, method, body string
			headers            []string
			status             int
		}{
			{"the tag", "PUT", "part=b", []string{"If-Match", "{tag}"}, 200},
			{"an old tag", "PUT", "part=c", []string{"If-Match", first}, 412},
			{"one of several tags", "PUT", "part=c", []string{"If-Match", `"x", {tag}`}, 200},
			{"in two fields", "PUT", "part=d", []string{"If-Match", `"x"`, "If-Match", "{tag}"}, 200},
			{"a weak tag is never strong", "PUT", "part=e", []string{"If-Match", "W/{tag}"}, 412},
			{"any object", "PUT", "part=e", []string{"If-Match", "*"}, 200},
			{"the tag of another format", "PUT", "part=f", []string{"If-Match", text}, 412},
			{"not this one", "PUT", "part=f", []string{"If-None-Match", "{tag}"}, 412},
			{"not this one, weakly", "PUT", "part=f", []string{"If-None-Match", "W/{tag}"}, 412},
			{"no object at all", "PUT", "part=f", []string{"If-None-Match", "*"}, 412},
			{"not another one", "PUT", "part=f", []string{"If-None-Match", first}, 200},
			{"no change, and another's tag", "PUT", "part=f", []string{"If-Match", first}, 412},
			{"an old tag", "DELETE", "", []string{"If-Match", first}, 412},
			{"the tag", "DELETE", "", []string{"If-Match", "{tag}"}, 204},
		} {
			tag, before := tagOf(), f.do("GET", "/api/parts/1", "", 200)
			for i := range c.headers {
				c.headers[i] = strings.ReplaceAll(c.headers[i], "{tag}", tag)
			}
			f.told()
			got := f.send(c.method, "/api/parts/1", c.body, c.headers...)
			if got.Code != c.status {
				f.Errorf("%s with %s: %d %s, want %d", c.method, c.name, got.Code, got.Body, c.status)
			}
			switch {
			case c.status == 412 && (f.do("GET", "/api/parts/1", "", 200) != before || f.told() != nil):
				f.Errorf("%s with %s was refused, and changed something", c.method, c.name)
			case c.status == 200 && got.Header().Get("Etag") != tagOf():
				f.Errorf("%s with %s: Etag %s, GET has %s", c.method, c.name, got.Header().Get("Etag"), tagOf())
			}
		}
		if got := f.send("PUT", "/api/parts/1", "part=x", "If-Match", "*"); got.Code != 404 {
			f.Errorf("an object that does not exist: %d, want 404", got.Code)
		}
		f.create(part{Name: "z"})
		if got := f.send("PUT", "/api/parts/2", "part=y"); got.Header().Get("Etag") != "" {
			f.Errorf("PUT without a precondition has the Etag %s", got.Header().Get("Etag"))
		}
	})
}

// The preconditions of an action are checked before it runs.
func TestPreconditions_OfActions(t *testing.T) {
	eachStore(t, func(f *fixture) {
		foldSheets(f)
		tag := f.send("GET", "/api/sheets/1", "").Header().Get("Etag")
		if got := f.send("POST", "/api/sheets/1/fold_sheet", "times=1", "If-Match", tag); got.Code != 201 {
			f.Errorf("with the tag: %d %s", got.Code, got.Body)
		}
		if got := f.send("POST", "/api/sheets/1/fold_sheet", "times=1", "If-Match", tag); got.Code != 412 {
			f.Errorf("with an old tag: %d %s", got.Code, got.Body)
		}
		if got := f.do("GET", "/api/sheets/1", "", 200); !strings.Contains(got, `"part":"a|"`) {
			f.Errorf("the sheet is %s", got)
		}
	})
}

// Preconditions are about the object of the request, and not about others that a hook changes.
func TestPreconditions_OfTheObjectAlone(t *testing.T) {
	eachStore(t, func(f *fixture) {
		f.create(part{Name: "a"})
		f.create(part{Name: "b"})
		f.parts.AfterSave(func(ctx context.Context, _ store.Tx, _, after *part) error {
			if after.PartID != 1 {
				return nil
			}
			_, err := f.parts.Update(ctx, 2, func(p *part) error { p.Name = after.Name; return nil })
			return err
		})
		tag := f.send("GET", "/api/parts/1", "").Header().Get("Etag")
		if got := f.send("PUT", "/api/parts/1", "part=c", "If-Match", tag); got.Code != 200 {
			f.Errorf("%d %s", got.Code, got.Body)
		}
		if got := f.do("GET", "/api/parts/2", "", 200); !strings.Contains(got, `"part":"c"`) {
			f.Errorf("the other part is %s", got)
		}
	})
}

// A precondition reveals the state of an object, so it needs the privilege to view the
// object.
func TestPreconditions_NeedViewPrivilege(t *testing.T) {
	f := newFixtureAs(t, &shopapi.User{ID: 3, Type: shopapi.Administrator, Privileges: map[string]bool{"manage_parts": true}})
	f.create(part{Name: "a"})
	if got := f.send("PUT", "/api/parts/1", "part=b", "If-Match", "*"); got.Code != 403 || !strings.Contains(got.Body.String(), "view_parts") {
		t.Errorf("got %d %s, want a 403 that names view_parts", got.Code, got.Body)
	}
	f.do("PUT", "/api/parts/1", "part=b", 200)
}

// Of clients that change one object at the same time, each with the tag that it
// has read, one gets through at a time: no change is lost.
func TestPreconditions_NoLostUpdate(t *testing.T) {
	twoHandles(t, func(t *testing.T, handles [2]*fixture) {
		handles[0].create(part{Name: "a", SupplierID: 0})
		const clients, each = 8, 10
		var group sync.WaitGroup
		var refused atomic.Int64
		for i := range clients {
			group.Go(func() {
				f := handles[i%2]
				for done := 0; done < each; {
					read := f.send("GET", "/api/parts/1", "")
					var n int64
					if _, err := fmt.Sscanf(after(read.Body.String(), `"supplier_id":"`), "%d", &n); err != nil {
						t.Errorf("%v in %s", err, read.Body)
						return
					}
					got := f.send("PUT", "/api/parts/1", fmt.Sprintf("supplier_id=%d", n+1), "If-Match", read.Header().Get("Etag"))
					switch got.Code {
					case 200:
						done++
					case 412:
						refused.Add(1)
					default:
						t.Errorf("PUT: %d %s", got.Code, got.Body)
						return
					}
				}
			})
		}
		group.Wait()
		p, err := handles[1].parts.Get(context.Background(), 1)
		if err != nil || p.SupplierID != clients*each {
			t.Errorf("counted to %d, %v; want %d (%d were refused)", p.SupplierID, err, clients*each, refused.Load())
		}
	})
}

func after(s, prefix string) string {
	_, rest, _ := strings.Cut(s, prefix)
	return rest
}
