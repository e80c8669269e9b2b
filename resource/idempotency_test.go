package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
)

// twoHandles runs a test over two APIs on one database, as two processes have it.
func twoHandles(t *testing.T, test func(t *testing.T, handles [2]*fixture)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "shop.db")
		test(t, open2(t, func() (store.Store, error) { return sqlite.Open(t.Context(), path, nil) }))
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := pgtest.DSN(t)
		test(t, open2(t, func() (store.Store, error) { return postgres.Open(t.Context(), dsn) }))
	})
}

func open2(t *testing.T, open func() (store.Store, error)) (handles [2]*fixture) {
	t.Helper()
	for i := range handles {
		st, err := open()
		if err != nil {
			t.Fatal(err)
		}
		handles[i] = newFixture(t, st)
	}
	return handles
}

// A POST that is repeated with its Idempotency-Key gets the first answer again, and
// creates nothing (decisions §25).
func TestIdempotencyKey(t *testing.T) {
	eachStore(t, func(f *fixture) {
		post := func(address, body string, headers ...string) (int, string) {
			f.Helper()
			got := f.send("POST", address, body, headers...)
			return got.Code, got.Body.String()
		}
		for _, c := range []struct {
			name, address, body string
			headers             []string
			status              int
			want                string
		}{
			{"a new key", "/api/parts", "part=a", []string{"Idempotency-Key", "k1"}, 201, `{"part_id":"1"}`},
			{"the same again", "/api/parts", "part=a", []string{"Idempotency-Key", "k1"}, 201, `{"part_id":"1"}`},
			{"in another address form", "/api.php?_d=2.0/parts", "part=a", []string{"Idempotency-Key", "k1"}, 201, `{"part_id":"1"}`},
			{"in another format", "/api/parts", "part=a", []string{"Idempotency-Key", "k1", "Accept", "text/plain"}, 201, `part_id=1`},
			{"with another body", "/api/parts", "part=b", []string{"Idempotency-Key", "k1"}, 422, "Use a new key"},
			{"with another query", "/api/parts?x=1", "part=a", []string{"Idempotency-Key", "k1"}, 422, "Use a new key"},
			{"at another address", "/api/suppliers", "part=a", []string{"Idempotency-Key", "k1"}, 422, "Use a new key"},
			{"a failure is not stored", "/api/parts", "note=a", []string{"Idempotency-Key", "k2"}, 400, "part is required"},
			{"so that it can be mended", "/api/parts", "part=c", []string{"Idempotency-Key", "k2"}, 201, `{"part_id":"2"}`},
			{"no key", "/api/parts", "part=a", nil, 201, `{"part_id":"3"}`},
			{"an empty key", "/api/parts", "part=a", []string{"Idempotency-Key", ""}, 400, "Idempotency-Key must be"},
			{"two keys", "/api/parts", "part=a", []string{"Idempotency-Key", "a", "Idempotency-Key", "b"}, 400, "Idempotency-Key must be"},
			{"a key that is too long", "/api/parts", "part=a", []string{"Idempotency-Key", strings.Repeat("k", 256)}, 400, "Idempotency-Key must be"},
			{"a key of other characters", "/api/parts", "part=a", []string{"Idempotency-Key", "ключ"}, 400, "Idempotency-Key must be"},
		} {
			if status, body := post(c.address, c.body, c.headers...); status != c.status || !strings.Contains(body, c.want) {
				f.Errorf("%s: %d %s, want %d %s", c.name, status, body, c.status, c.want)
			}
		}
		if _, total, err := f.parts.Find(f.Context(), new(partFilter)); err != nil || total != 3 {
			f.Errorf("%d parts, %v; want 3", total, err)
		}
		if told := f.told(); len(told) != 3 {
			f.Errorf("the observer was told %v", told)
		}
	})
}

// Keys belong to a user, and live for a day.
func TestIdempotencyKey_UserAndAge(t *testing.T) {
	user := &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}
	now := time.Unix(1_700_000_000, 0)
	f := newFixtureWith(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { return user, nil }
		o.Clock = func() time.Time { return now }
	})
	post := func(want string) {
		t.Helper()
		if got := f.send("POST", "/api/parts", "part=a", "Idempotency-Key", "k"); got.Code != 201 || got.Body.String() != want {
			t.Errorf("got %d %s, want %s", got.Code, got.Body, want)
		}
	}
	post(`{"part_id":"1"}`)
	now = now.Add(24*time.Hour - time.Second)
	post(`{"part_id":"1"}`)
	user = &shopapi.User{ID: 2, Type: shopapi.Administrator, Root: true}
	post(`{"part_id":"2"}`)
	now = now.Add(time.Second)
	post(`{"part_id":"2"}`)
	user = &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}
	post(`{"part_id":"3"}`)
}

// Of requests with one key that run at the same time, in two processes, one
// creates and all get its answer.
func TestIdempotencyKey_AtTheSameTime(t *testing.T) {
	twoHandles(t, func(t *testing.T, handles [2]*fixture) {
		for round := range 10 {
			var group sync.WaitGroup
			answers := make([]string, 8)
			for i := range answers {
				group.Go(func() {
					got := handles[i%2].send("POST", "/api/parts", "part=a", "Idempotency-Key", fmt.Sprint("k", round))
					answers[i] = fmt.Sprint(got.Code, got.Body)
				})
			}
			group.Wait()
			for _, a := range answers {
				if a != answers[0] || !strings.HasPrefix(a, "201") {
					t.Fatalf("answers differ: %q", answers)
				}
			}
		}
		if _, total, err := handles[0].parts.Find(context.Background(), new(partFilter)); err != nil || total != 10 {
			t.Errorf("%d parts, %v; want 10", total, err)
		}
	})
}

// A user has at most 10,000 live keys: another new key is refused, a known key is not.
func TestIdempotencyKey_Limit(t *testing.T) {
	f := newFixtureWith(t, func(*shopapi.Options) {})
	if err := resource.InsertReplays(t.Context(), f.st, 1, 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  string
		want int
	}{{"last", 201}, {"one more", 429}, {"last", 201}} {
		if got := f.send("POST", "/api/parts", "part=a", "Idempotency-Key", c.key); got.Code != c.want {
			t.Errorf("key %s: %d %s, want %d", c.key, got.Code, got.Body, c.want)
		}
	}
}
