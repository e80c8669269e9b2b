package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// These tests are about receivers that do harm. Receivers listen on 127.0.0.2, which the shop
// allows; a private server, which is not to be reached, listens on 127.0.0.1.

// allowed is the address of receivers in these tests.
const allowed = "127.0.0.2"

// guarded opens a shop that may reach the receivers of the test and public addresses alone.
func guarded(t *testing.T) *fixture {
	t.Helper()
	o := options()
	o.Webhooks.AllowNetworks = []netip.Prefix{netip.MustParsePrefix(allowed + "/32")}
	return open(t, shoptest.Memory(t), o)
}

// listen starts a server on an address. The handler runs after the body was read: the context of
// the request ends with the connection then. Connections that are open at the end are closed.
func listen(t *testing.T, address string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		handler(w, r)
	}))
	server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server
}

// private starts a server that must get no request. It returns its port.
func private(t *testing.T) (port string) {
	t.Helper()
	server := listen(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the private address got %s %s", r.Method, r.URL)
	})
	_, port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return port
}

// fails makes a webhook at an address, and a change. It returns the failed delivery, after the
// webhook of a good receiver sent everything. ready says that the bad receiver has the request.
func (s *fixture) fails(t *testing.T, url string, ready <-chan struct{}) webhooks.Delivery {
	t.Helper()
	good := make(chan string, 100)
	server := listen(t, allowed, func(w http.ResponseWriter, r *http.Request) { good <- r.Header.Get("webhook-id") })
	bad, _ := s.add(s.Client, url, "categories.*")
	s.add(s.Client, server.URL, "categories.*")
	s.category("Cups")
	if ready != nil {
		<-ready
	}
	s.category("Jugs")
	for range 2 {
		select {
		case <-good:
		case <-time.After(patience):
			t.Fatal("the other webhook is delayed")
		}
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		for _, d := range s.deliveries(bad) {
			if d.Status == webhooks.Failed {
				return d
			}
		}
		if time.Now().After(end) {
			t.Fatalf("no delivery failed: %+v", s.deliveries(bad))
		}
	}
}

func wantReason(t *testing.T, d webhooks.Delivery, code int64, reason string) {
	t.Helper()
	if d.Code != code || !strings.Contains(d.Error, reason) {
		t.Errorf("the delivery failed with %d and %q, want %d and %q", d.Code, d.Error, code, reason)
	}
}

func TestReceiversCannotHurt_NeverAnswers(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	s.Webhooks.SetTimeout(time.Second)
	ready := make(chan struct{}, 100)
	server := listen(t, allowed, func(_ http.ResponseWriter, r *http.Request) {
		ready <- struct{}{}
		<-r.Context().Done()
	})
	wantReason(t, s.fails(t, server.URL, ready), 0, "no complete answer came within 1s")
}

func TestReceiversCannotHurt_AnswersByteByByte(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	s.Webhooks.SetTimeout(time.Second)
	ready := make(chan struct{}, 100)
	server := listen(t, allowed, func(w http.ResponseWriter, r *http.Request) {
		ready <- struct{}{}
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("."))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	wantReason(t, s.fails(t, server.URL, ready), 200, "no complete answer came within 1s")
}

func TestReceiversCannotHurt_100MB(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	var sent atomic.Int64
	server := listen(t, allowed, func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat("x", 1<<20))
		for range 100 {
			n, err := w.Write(block)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	d := s.fails(t, server.URL, nil)
	wantReason(t, d, 200, "longer than 64 KiB")
	if len(d.Answer) != 1024 {
		t.Errorf("%d bytes of the answer are kept", len(d.Answer))
	}
	if n := sent.Load(); n > 90<<20 {
		t.Errorf("%d bytes were taken from the receiver", n)
	}
}

func TestReceiversCannotHurt_RedirectsToAPrivateAddress(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	port := private(t)
	server := listen(t, allowed, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+port+"/", http.StatusTemporaryRedirect)
	})
	wantReason(t, s.fails(t, server.URL, nil), 307, "redirects are not followed")
}

// A name that resolves to a public address first and to 127.0.0.1 at the second look.
func TestReceiversCannotHurt_NameThatRebinds(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	port := private(t)
	s.Webhooks.Resolve(func(_ context.Context, host string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	})
	var dial func(context.Context, string, string) (net.Conn, error)
	dial = s.Webhooks.Dial(func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "8.8.8.8:") {
			address = net.JoinHostPort("127.0.0.1", port) // as the second look says
		}
		return dial(ctx, network, address)
	})
	wantReason(t, s.fails(t, "http://rebinds.example.com:"+port+"/", nil), 0, "127.0.0.1: it is not a public address")
}

func TestReceiversCannotHurt_NameWithBoth(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"8.8.8.8", "127.0.0.1"} {
		s := guarded(t)
		port := private(t)
		s.Webhooks.Resolve(func(_ context.Context, host string) ([]netip.Addr, error) {
			other := map[string]string{"8.8.8.8": "127.0.0.1", "127.0.0.1": "8.8.8.8"}[first]
			return []netip.Addr{netip.MustParseAddr(first), netip.MustParseAddr(other)}, nil
		})
		var dial func(context.Context, string, string) (net.Conn, error)
		dial = s.Webhooks.Dial(func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, allowed) {
				t.Errorf("a connection to %s was tried", address)
				return nil, errors.New("not in a test")
			}
			return dial(ctx, network, address)
		})
		wantReason(t, s.fails(t, "http://both.example.com:"+port+"/", nil), 0, "127.0.0.1: it is not a public address")
	}
}

func TestReceiversCannotHurt_PrivateAddresses(t *testing.T) {
	t.Parallel()
	port := private(t)
	for _, host := range []string{"[::ffff:169.254.169.254]", "[::ffff:127.0.0.1]:" + port, "127.0.0.1:" + port, "localhost:" + port, "[64:ff9b::7f00:1]:" + port, "10.0.0.1", "0.0.0.0:" + port} {
		s := guarded(t)
		wantReason(t, s.fails(t, "http://"+host+"/", nil), 0, "it is not a public address")
	}
}

func TestReceiversCannotHurt_WrongCertificate(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	l, err := net.Listen("tcp", allowed+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a server with a wrong certificate got the message")
	}))
	server.Listener.Close()
	server.Listener = l
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	wantReason(t, s.fails(t, server.URL, nil), 0, "certificate")
}

// The reason of a failure does not show the address, which may contain a secret.
func TestReceiversCannotHurt_ReasonsWithoutTheAddress(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	l, err := net.Listen("tcp", allowed+":0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody listens
	d := s.fails(t, "http://"+l.Addr().String()+"/in?token=hush", nil)
	if d.Code != 0 || d.Error == "" || strings.Contains(d.Error, "hush") {
		t.Errorf("the reason is %q", d.Error)
	}
}

// rows counts the deliveries in the database.
func (s *fixture) rows() (n int64) {
	s.t.Helper()
	err := s.Store.View(s.t.Context(), func(_ context.Context, tx store.Tx) (err error) {
		n, err = tx.Count(webhooks.DeliverySchemas()[0], nil)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// change writes a change of each of the products 1 to n to the log, in transactions of 500.
func (s *fixture) change(n int) {
	s.t.Helper()
	for from := 1; from <= n; from += 500 {
		ids := []int64{}
		for id := from; id <= n && id < from+500; id++ {
			ids = append(ids, int64(id))
		}
		err := s.Store.Update(s.t.Context(), func(ctx context.Context, _ store.Tx) error {
			s.RecordEach(ctx, "products", shopapi.OpUpdate, ids, "amount")
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// Many changes of few objects while the receiver is down are united by object.
func TestReceiversCannotHurt_ManyChangesWhileDown(t *testing.T) {
	t.Parallel()
	const objects, rounds = 250, 40 // 10,000 changes
	s := inMemory(t)
	r := receive(t)
	r.answers(503)
	s.add(s.Client, r.URL, "products.*")
	s.change(objects)
	for range objects {
		r.next()
	}
	for range rounds - 1 {
		s.change(objects)
	}
	newest, err := s.Changes.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); s.Webhooks.Position(t.Context(), 1) != newest; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the webhook stays behind; there are %d deliveries", s.rows())
		}
	}
	if n := s.rows(); n != 2*objects {
		t.Errorf("there are %d deliveries, want %d", n, 2*objects)
	}
	r.answers(204)
	s.advance(6 * time.Second)
	times := map[string]int{}
	for range 2 * objects {
		times[r.next().Data.ID]++
	}
	for id := range objects {
		if n := times[fmt.Sprint(id+1)]; n != 2 {
			t.Errorf("product %d is told %d times: the first time again, and once for all later changes", id+1, n)
		}
	}
	r.none()
}

// Of more objects than may wait, the rest waits in the change log.
func TestReceiversCannotHurt_ManyObjectsWhileDown(t *testing.T) {
	t.Parallel()
	const objects = webhooks.MaxOpen + 600
	s := inMemory(t)
	r := receive(t)
	r.answers(503)
	s.add(s.Client, r.URL, "products.*")
	s.change(objects)
	for range webhooks.MaxOpen {
		r.next()
	}
	if n := s.rows(); n > webhooks.MaxOpen {
		t.Errorf("there are %d deliveries, more than %d", n, webhooks.MaxOpen)
	}
	r.none()
	r.answers(204)
	s.advance(6 * time.Second)
	times := map[string]int{}
	for len(times) < objects {
		times[r.next().Data.ID]++
	}
	for id, n := range times {
		if n != 1 {
			t.Errorf("product %s is told %d times", id, n)
		}
	}
}
