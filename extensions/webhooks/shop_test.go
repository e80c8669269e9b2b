package webhooks_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// TestMain runs several tests at once, since deliveries wait.
func TestMain(m *testing.M) {
	fasttest.Waiting()
	os.Exit(m.Run())
}

// options allow receivers on the machine of the test.
func options() *shop.Options {
	return &shop.Options{
		Webhooks: webhooks.Options{On: true, AllowHTTP: true, AllowNetworks: []netip.Prefix{
			netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
		}},
		Options: shopapi.Options{Edition: shopapi.MultiVendor},
	}
}

// A fixture is a shop with webhooks.
type fixture struct {
	*apitest.Shop
	t testing.TB
}

// open opens a shop that sends webhooks.
func open(t testing.TB, st store.Store, o *shop.Options) *fixture {
	t.Helper()
	return &fixture{apitest.NewWithStore(t, st, o), t}
}

func inMemory(t testing.TB) *fixture {
	t.Helper()
	return open(t, shoptest.Memory(t), options())
}

// add makes a webhook as a client, and returns its id and its secret.
func (s *fixture) add(c *apitest.Client, url, events string) (id, secret string) {
	s.t.Helper()
	answer := c.Post("/api/2.0/webhooks", fmt.Sprintf(`{"url": %q, "events": %q}`, url, events))
	if answer.Status != 201 {
		s.t.Fatalf("POST webhooks: %d %s", answer.Status, answer.Body)
	}
	return answer.Field("webhook_id"), answer.Field("secret")
}

// category makes a category, a cheap change, and returns its id.
func (s *fixture) category(name string) string {
	s.t.Helper()
	return s.want(201, s.Post("/api/2.0/categories", fmt.Sprintf(`{"category": %q}`, name))).Field("category_id")
}

func (s *fixture) want(status int, answer *apitest.Answer) *apitest.Answer {
	s.t.Helper()
	if answer.Status != status {
		s.t.Fatalf("the answer is %d %s, want %d", answer.Status, answer.Body, status)
	}
	return answer
}

// deliveries returns the deliveries of a webhook, the newest first.
func (s *fixture) deliveries(id string) []webhooks.Delivery {
	s.t.Helper()
	var body struct{ Deliveries []webhooks.Delivery }
	s.want(200, s.Get("/api/2.0/webhooks/"+id+"/deliveries")).Decode(&body)
	return body.Deliveries
}

// await waits until the newest delivery of a webhook has ended an attempt with the status.
func (s *fixture) await(id, status string) webhooks.Delivery {
	s.t.Helper()
	return s.awaitThat(id, func(d *webhooks.Delivery) bool { return d.Status == status })
}

func (s *fixture) awaitThat(id string, is func(*webhooks.Delivery) bool) webhooks.Delivery {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		list := s.deliveries(id)
		if len(list) > 0 && is(&list[0]) {
			return list[0]
		}
		if time.Now().After(end) {
			s.t.Fatalf("the deliveries stay %+v", list)
		}
	}
}

// advance moves the clock of the shop.
func (s *fixture) advance(d time.Duration) {
	s.Clock.Advance(d)
	s.Webhooks.Wake()
}

// patience is how long a test waits for a message that should come at once.
const patience = 20 * time.Second

// A received is a message as a receiver got it.
type received struct {
	webhooks.Message
	id, at, signature string
	body              string
	header            http.Header
}

// String is the type, the id of the object and the changed fields.
func (r received) String() string {
	text := r.Type + " " + r.Data.ID
	if r.Data.Fields != nil {
		text += fmt.Sprint(" ", r.Data.Fields)
	}
	return text
}

// A receiver notes the messages that it gets.
type receiver struct {
	*httptest.Server
	t        testing.TB
	messages chan received

	mu     sync.Mutex
	answer func(w http.ResponseWriter, r *http.Request, m received)
}

// receive starts a receiver, which answers 204 until a test sets another answer.
func receive(t testing.TB) *receiver {
	r := &receiver{t: t, messages: make(chan received, 20_000)}
	r.answers(204)
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Server.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	m := received{
		id: req.Header.Get("webhook-id"), at: req.Header.Get("webhook-timestamp"), signature: req.Header.Get("webhook-signature"),
		body: string(body), header: req.Header,
	}
	if err := json.Unmarshal(body, &m.Message); err != nil {
		r.t.Errorf("the message %s is no JSON: %v", body, err)
	}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	r.messages <- m
	answer(w, req, m)
}

// answers has the receiver answer with a status and, by name and value, headers.
func (r *receiver) answers(status int, header ...string) {
	r.does(func(w http.ResponseWriter, _ *http.Request, _ received) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		if status != 204 {
			_, _ = io.WriteString(w, "an answer")
		}
	})
}

func (r *receiver) does(answer func(w http.ResponseWriter, r *http.Request, m received)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// next returns the next message.
func (r *receiver) next() received {
	r.t.Helper()
	select {
	case m := <-r.messages:
		return m
	case <-time.After(patience):
		r.t.Fatal("no message came")
		return received{}
	}
}

// wants reads messages, and compares them with "type id [fields]", in any order: only messages of
// one object are in theirs.
func (r *receiver) wants(list ...string) {
	r.t.Helper()
	got := make([]string, len(list))
	for i := range list {
		got[i] = r.next().String()
	}
	slices.Sort(got)
	slices.Sort(list)
	if diff := cmp.Diff(list, got); diff != "" {
		r.t.Errorf("the messages (-want +got):\n%s", diff)
	}
}

// none fails if a message has come. The caller has made sure that all have been sent.
func (r *receiver) none() {
	r.t.Helper()
	select {
	case m := <-r.messages:
		r.t.Errorf("the message %s came", m.body)
	default:
	}
}

// verify checks the signature of a message as a receiver does.
func (m received) verify(t testing.TB, secret string) {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := hook.VerifyIgnoringTimestamp([]byte(m.body), m.header); err != nil {
		t.Errorf("the signature %s: %v", m.signature, err)
	}
	tampered := strings.Replace(m.body, "{", "{ ", 1)
	if err := hook.VerifyIgnoringTimestamp([]byte(tampered), m.header); err == nil {
		t.Error("a changed message has a valid signature")
	}
}
