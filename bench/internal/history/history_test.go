package history

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// otherStore is the environment variable that makes the test binary serve the shop in a file,
// or in a database of PostgreSQL.
const otherStore = "SHOPAPI_HISTORY_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(otherStore); path != "" {
		serve(path)
	}
	os.Exit(m.Run())
}

// open opens a shop over a store, and sets the key of its root user.
func open(ctx context.Context, st store.Store) (http.Handler, error) {
	h, err := shop.New(ctx, st, &shop.Options{Batch: true, Options: shopapi.Options{Logger: slog.New(slog.DiscardHandler)}})
	if err != nil {
		return nil, err
	}
	return h, users.EnsureRootKey(ctx, st, email, key)
}

// openStore opens a file, or a database of PostgreSQL.
func openStore(ctx context.Context, path string) (store.Store, error) {
	if strings.HasPrefix(path, "postgres:") {
		return postgres.Open(ctx, path)
	}
	return sqlite.Open(ctx, path, nil)
}

func openFile(t *testing.T, path string) http.Handler {
	t.Helper()
	st, err := openStore(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened(t, st)
}

func opened(t *testing.T, st store.Store) http.Handler {
	t.Helper()
	h, err := open(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// serve is the other process: it serves the shop until its standard input ends.
func serve(path string) {
	ctx := context.Background()
	st, err := openStore(ctx, path)
	if err != nil {
		panic(err)
	}
	h, err := open(ctx, st)
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() { _ = http.Serve(l, h) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// otherProcess starts another process with the shop in the file or database.
func otherProcess(t *testing.T, path string) http.Handler {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), otherStore+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return remote{strings.TrimSpace(address)}
}

// duration is how long histories of each kind of shop are recorded.
func duration(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SHOPAPI_HISTORIES")
	if text == "" {
		return time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// check records histories until the time is over, or one cannot be explained, and reports
// whether all can. Interrupt, if it is not nil, interrupts the database in a round.
func check(t *testing.T, shops []http.Handler, during time.Duration, interrupt func()) (explained bool) {
	t.Helper()
	until, rounds := time.Now().Add(during), 0
	refused, unknown := int64(0), int64(0)
	for seed := uint64(1); rounds == 0 || time.Now().Before(until); seed++ {
		r := newRound(t, shops, interrupt != nil)
		var interrupted sync.WaitGroup
		if interrupt != nil {
			interrupted.Go(interrupt)
		}
		history := r.run(seed)
		interrupted.Wait()
		refused, unknown = refused+r.refused.Load(), unknown+r.unknown.Load()
		rounds++
		switch porcupine.CheckOperationsTimeout(model, history, time.Minute) {
		case porcupine.Illegal:
			t.Logf("round %d of %d requests has no order that explains it", rounds, len(history))
			return false
		case porcupine.Unknown:
			t.Errorf("round %d was not decided within a minute", rounds)
		}
	}
	t.Logf("%d rounds of %d clients with %d requests each; %d further requests were refused, of %d changes the outcome is unknown",
		rounds, clients, requests, refused, unknown)
	return true
}

// TestHistories: there is an order of all requests, each of which takes effect at one moment
// between its call and its response, that explains all responses.
func TestHistories(t *testing.T) {
	for name, shops := range map[string]func(t *testing.T) []http.Handler{
		"memory": func(t *testing.T) []http.Handler { return []http.Handler{opened(t, memory.New())} },
		"sqlite": func(t *testing.T) []http.Handler {
			return []http.Handler{openFile(t, filepath.Join(t.TempDir(), "shop.db"))}
		},
		"sqlite, two stores and two processes": func(t *testing.T) []http.Handler {
			path := filepath.Join(t.TempDir(), "shop.db")
			return []http.Handler{openFile(t, path), openFile(t, path), otherProcess(t, path)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !check(t, shops(t), duration(t), nil) {
				t.Error("the shop is not linearizable")
			}
		})
	}
}

// A stale shop has a defect: it repeats a response to a GET for some milliseconds.
type stale struct {
	http.Handler
	mu   sync.Mutex
	seen map[string]recorded
}

type recorded struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (s *stale) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != "GET" {
		s.Handler.ServeHTTP(w, r)
		return
	}
	s.mu.Lock()
	last, ok := s.seen[r.URL.String()]
	s.mu.Unlock()
	if !ok || time.Now().After(last.until) {
		last = recorded{httptest.NewRecorder(), time.Now().Add(5 * time.Millisecond)}
		s.Handler.ServeHTTP(last, r)
		s.mu.Lock()
		s.seen[r.URL.String()] = last
		s.mu.Unlock()
	}
	w.Header().Set("Etag", last.Header().Get("Etag"))
	w.WriteHeader(last.Code)
	_, _ = w.Write(last.Body.Bytes())
}

// TestHistories_Notice: responses that are some milliseconds old have no explanation.
func TestHistories_Notice(t *testing.T) {
	shops := []http.Handler{&stale{Handler: opened(t, memory.New()), seen: map[string]recorded{}}}
	if check(t, shops, 20*time.Second, nil) {
		t.Error("old responses were explained")
	}
}

// A list that has one of two writes of an atomic batch is not a snapshot.
func TestModel_ListIsASnapshot(t *testing.T) {
	history := func(values ...int) []porcupine.Operation {
		return []porcupine.Operation{
			{ClientId: 0, Input: input{kind: both, object: 0, value: 1, other: 1, second: 2}, Output: output{}, Call: 0, Return: 10},
			{ClientId: 1, Input: input{kind: readList}, Output: output{values: values}, Call: 5, Return: 6},
		}
	}
	for _, c := range []struct {
		values []int
		want   bool
	}{{[]int{0, 0, 0}, true}, {[]int{1, 2, 0}, true}, {[]int{1, 0, 0}, false}, {[]int{0, 2, 0}, false}} {
		if got := porcupine.CheckOperations(model, history(c.values...)); got != c.want {
			t.Errorf("the list %v beside the batch is explained: %v, want %v", c.values, got, c.want)
		}
	}
}
