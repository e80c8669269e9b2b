package resource_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
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

// Users of a host that have no id are told apart by their e-mail addresses.
func TestIdempotencyKey_UsersWithoutID(t *testing.T) {
	var user *shopapi.User
	f := newFixtureWith(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { return user, nil }
	})
	for _, c := range []struct{ email, body, want string }{
		{"ana@example.com", "part=a", `{"part_id":"1"}`},
		{"ben@example.com", "part=a", `{"part_id":"2"}`},
		{"cid@example.com", "part=b", `{"part_id":"3"}`},
		{"ana@example.com", "part=a", `{"part_id":"1"}`},
	} {
		user = &shopapi.User{Email: c.email, Type: shopapi.Administrator, Root: true}
		if got := f.send("POST", "/api/parts", c.body, "Idempotency-Key", "k"); got.Code != 201 || got.Body.String() != c.want {
			t.Errorf("%s: %d %s, want %s", c.email, got.Code, got.Body, c.want)
		}
	}
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

// The table refuses a second row for a key of a user, which a process adds that has not seen
// the first one. Likewise there is one secret.
func TestIdempotencyKey_StoredOnce(t *testing.T) {
	f := newFixtureWith(t, func(*shopapi.Options) {})
	for _, c := range []struct {
		name   string
		insert func() error
		want   error
	}{
		{"a key", func() error { return resource.InsertReplays(t.Context(), f.st, 1, resource.MaxReplays-1) }, nil},
		{"the same of another user", func() error { return resource.InsertReplays(t.Context(), f.st, 2, resource.MaxReplays-1) }, nil},
		{"the same key", func() error { return resource.InsertReplays(t.Context(), f.st, 1, resource.MaxReplays-1) }, store.ErrConflict},
		{"a secret", func() error { return resource.InsertSecret(t.Context(), f.st) }, nil},
		{"another secret", func() error { return resource.InsertSecret(t.Context(), f.st) }, store.ErrConflict},
	} {
		if err := c.insert(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// A POST that times out before it looks for its key is not told that another request is
// being carried out.
func TestIdempotencyKey_TimeoutBeforeTheLookUp(t *testing.T) {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, st)
	inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		left <- st.Update(context.Background(), func(context.Context, store.Tx) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	req := httptest.NewRequestWithContext(ctx, "POST", "/api/parts", strings.NewReader("part=a"))
	req.Header.Set("Idempotency-Key", "k")
	w := httptest.NewRecorder()
	f.API.ServeHTTP(w, req)
	close(leave)
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("got %d %s, want 503", w.Code, w.Body)
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
}

// A slowInsert is a store in which insertions into one table take until the deadline.
type slowInsert struct {
	store.Store
	table *string
}

func (s slowInsert) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error { return fn(ctx, slowInsertTx{tx, s.table}) })
}

type slowInsertTx struct {
	store.Tx
	table *string
}

func (tx slowInsertTx) Insert(s *store.Schema, row []store.Value) (int64, error) {
	if s.Name == *tx.table {
		return 0, context.DeadlineExceeded
	}
	return tx.Tx.Insert(s, row)
}

// A POST that waits for another one with the same key until it times out is a 409. One that
// times out while it creates the object is not.
func TestIdempotencyKey_Timeout(t *testing.T) {
	table := ""
	f := newFixture(t, slowInsert{memory.New(), &table})
	for _, c := range []struct {
		table string
		want  int
	}{{"idempotency_keys", http.StatusConflict}, {"parts", http.StatusServiceUnavailable}, {"", http.StatusCreated}} {
		table = c.table
		if got := f.send("POST", "/api/parts", "part=a", "Idempotency-Key", "k"); got.Code != c.want {
			t.Errorf("a slow insertion into %q: %d %s, want %d", c.table, got.Code, got.Body, c.want)
		}
	}
}

// A takenInsert is a store in which another transaction is first to insert into a table, once.
type takenInsert struct {
	store.Store
	table *string
}

func (s takenInsert) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error { return fn(ctx, takenInsertTx{tx, s.table}) })
}

type takenInsertTx struct {
	store.Tx
	table *string
}

func (tx takenInsertTx) Insert(s *store.Schema, row []store.Value) (int64, error) {
	if s.Name == *tx.table {
		*tx.table = ""
		return 0, &store.ConflictError{Table: s.Name}
	}
	return tx.Tx.Insert(s, row)
}

// A POST that is overtaken by another one, with the same key or in a new database, looks again.
func TestIdempotencyKey_Overtaken(t *testing.T) {
	table := ""
	f := newFixture(t, takenInsert{memory.New(), &table})
	for i, name := range []string{"secrets", "idempotency_keys"} {
		table = name
		want := fmt.Sprintf(`{"part_id":"%d"}`, i+1)
		if got := f.send("POST", "/api/parts", "part=a", "Idempotency-Key", name); got.Code != http.StatusCreated || got.Body.String() != want || table != "" {
			t.Errorf("overtaken in %s: %d %s, want %s", name, got.Code, got.Body, want)
		}
	}
}
