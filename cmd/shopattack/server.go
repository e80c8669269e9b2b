package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// The environment variables that make this program the shop: a file or a URL of PostgreSQL, and
// Limits.Memory in MiB.
const (
	serveVariable  = "SHOPATTACK_DB"
	memoryVariable = "SHOPATTACK_MEMORY"
)

// A hello is what the shop prints when it serves.
type hello struct {
	Address string
	Root    login
	Other   login            // the user whom others' requests must not cost much
	Users   map[string]login // by the privilege to change things
	Memory  int64            // Limits.Memory, in bytes
}

// A login is an e-mail address and an API key.
type login struct{ Email, Key string }

// A cost is what the process used since the last one.
type cost struct {
	CPU       time.Duration
	Held      time.Duration // the longest transaction
	Allocated int64         // bytes
	Peak      int64         // bytes in RAM, at most
}

// serve is the shop. It answers each line of its input with a [cost].
func serve(ctx context.Context, db string, in io.Reader, out io.Writer, more func(*shop.Shop) error) error {
	inner, err := open(ctx, db)
	if err != nil {
		return err
	}
	st := &timedStore{Store: inner}
	memory, err := strconv.ParseInt(os.Getenv(memoryVariable), 10, 64)
	if err != nil {
		return err
	}
	imports, err := os.MkdirTemp("", "shopattack-imports-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(imports) }()
	o := &shop.Options{Batch: true, Changes: changes.Options{Mode: changes.On}}
	o.Jobs.Dir = imports
	o.Limits.Memory = memory << 20
	var images atomic.Int64
	o.StoreUpload = func(_ context.Context, _, _ string, body io.Reader) (string, error) {
		_, err := io.Copy(io.Discard, body)
		return fmt.Sprintf("/attack/%d.png", images.Add(1)), err
	}
	o.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	sh, err := shop.New(ctx, st, o)
	if err != nil {
		return err
	}
	if more != nil {
		if err := more(sh); err != nil {
			return err
		}
	}
	first := hello{Users: map[string]login{}, Memory: o.Limits.Memory}
	if err := first.addUsers(ctx, sh); err != nil {
		return err
	}
	document, err := apidoc.JSON(ctx, sh.API, nil)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", sh)
	mux.HandleFunc("/openapi.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(document) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	first.Address = listener.Addr().String()
	server := &http.Server{Handler: mux}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(first); err != nil {
		return err
	}
	u := usage{store: st}
	u.next()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if err := encoder.Encode(u.next()); err != nil {
			return err
		}
	}
	err = server.Close()
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, sh.Shutdown(ctx), inner.Close())
}

func open(ctx context.Context, db string) (store.Store, error) {
	if strings.Contains(db, "://") {
		return postgres.Open(ctx, db)
	}
	return sqlite.Open(ctx, db, nil)
}

// addUsers adds two root administrators, and one user for each privilege to change objects. That
// user may also view them.
func (h *hello) addUsers(ctx context.Context, sh *shop.Shop) error {
	h.Root = login{"attack-root@example.com", rand.Text()}
	h.Other = login{"attack-other@example.com", rand.Text()}
	for _, root := range []login{h.Root, h.Other} {
		if err := users.EnsureRootKey(ctx, sh.Store, root.Email, root.Key); err != nil {
			return err
		}
	}
	views := map[string][]string{}
	for _, d := range sh.Descriptions() {
		views[d.Privileges.Manage] = append(views[d.Privileges.Manage], d.Privileges.View)
	}
	for manage, view := range views {
		email := "attack-" + manage + "@example.com"
		user, err := sh.Users.Create(ctx, users.User{Summary: users.Summary{Email: email, UserType: shopapi.Administrator}}, "")
		if err != nil {
			return err
		}
		group, err := sh.Users.Groups().Create(ctx, users.Group{Type: shopapi.Administrator, Status: users.Active, Name: email})
		if err != nil {
			return err
		}
		if err := sh.Users.Groups().SetPrivileges(ctx, group.UsergroupID, append(view, manage)...); err != nil {
			return err
		}
		if err := sh.Users.SetMembership(ctx, user.UserID, group.UsergroupID, users.Member); err != nil {
			return err
		}
		key, err := sh.Users.GenerateKey(ctx, user.UserID)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		h.Users[manage] = login{email, key}
	}
	return nil
}

// A usage measures the process.
type usage struct {
	store     *timedStore
	cpu       time.Duration
	allocated uint64
}

// next returns the cost since the last call.
func (u *usage) next() cost {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	cpu := cpuTime()
	c := cost{CPU: cpu - u.cpu, Held: u.store.longest(), Allocated: int64(m.TotalAlloc - u.allocated), Peak: peakMemory()}
	u.cpu, u.allocated = cpu, m.TotalAlloc
	resetPeak()
	return c
}

// A timedStore measures how long Updates hold the writer.
type timedStore struct {
	store.Store
	mu   sync.Mutex
	most time.Duration
}

// Update implements [store.Store].
func (s *timedStore) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	var began time.Time
	err := s.Store.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		began = time.Now()
		return fn(ctx, tx)
	})
	if !began.IsZero() {
		held := time.Since(began)
		s.mu.Lock()
		s.most = max(s.most, held)
		s.mu.Unlock()
	}
	return err
}

// Unwrap returns the store that is measured.
func (s *timedStore) Unwrap() store.Store { return s.Store }

func (s *timedStore) longest() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := s.most
	s.most = 0
	return most
}
