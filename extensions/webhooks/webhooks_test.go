package webhooks_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// Changes of orders reach the receiver, signed by Standard Webhooks.
func TestE5_TellsChanges(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := open(t, st, options())
		r := receive(t)
		id, secret := s.add(s.Client, r.URL+"/in?token=x", "orders.*,product_features.updated")
		for _, e := range []struct{ entity, payload string }{
			{"categories", `{"category": "Cups"}`},
			{"features", `{"description": "Glaze", "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`},
			{"products", `{"product": "Mug", "category_ids": [1], "price": "9.50", "amount": 5, "product_features": {"1": 1}}`},
			{"users", `{"email": "ana@example.org", "user_type": "C"}`},
			{"payments", `{"payment": "Invoice"}`},
			{"shippings", `{"shipping": "Courier"}`},
			{"orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}}}`},
		} {
			s.want(201, s.Post("/api/2.0/"+e.entity, e.payload))
		}
		created := r.next()
		created.verify(t, secret)
		want := fmt.Sprintf(`{"type":"orders.created","timestamp":"2024-01-01T12:00:00Z","data":{"entity":"orders","id":"1","seq":%q,"op":"created","url":"/api/2.0/orders/1"`, created.Data.Seq)
		if !strings.HasPrefix(created.body, want) || created.header.Get("Content-Type") != "application/json" {
			t.Errorf("E5: the message is %s with %v, want %s", created.body, created.header, want)
		}
		if at := fmt.Sprint(apitest.Start.Unix()); created.at != at || !strings.HasPrefix(created.id, "msg_") {
			t.Errorf("E5: webhook-timestamp %s, want %s; webhook-id %s", created.at, at, created.id)
		}
		s.want(200, s.Put("/api/2.0/orders/1", `{"status": "C"}`))
		updated := r.next()
		if d := updated.Data; updated.Type != "orders.updated" || d.Status != "C" || d.PreviousStatus != "O" || updated.id == created.id {
			t.Errorf("E5: an order's new status is told as %s", updated.body)
		}
		s.want(200, s.Put("/api/2.0/products/1", `{"product_features": {"1": 2}}`))
		if m := r.next(); m.Data.URL != "/api/2.0/products/1/features/1" {
			t.Errorf("E5: a value of a feature is told as %s", m.body)
		}
		d := s.await(id, webhooks.Delivered)
		if d.Attempt != 1 || d.Code != 204 || d.Error != "" || d.Time != apitest.Start.Unix() {
			t.Errorf("E5: the delivery is %+v", d)
		}
	})
}

// The secret is shown in the answers to POST and rotate_secret alone; after a rotation both
// sign for a day.
func TestE5_Secret(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	post := func() *apitest.Answer {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "/api/2.0/webhooks", strings.NewReader(`{"url": "`+r.URL+`", "events": ["categories.*"]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "once")
		req.SetBasicAuth(s.Email, s.Key)
		return s.Send(req)
	}
	first := s.want(201, post())
	secret := first.Field("secret")
	if again := s.want(201, post()); strings.Contains(again.Body, "secret") || again.Field("webhook_id") != first.Field("webhook_id") {
		t.Errorf("E5: the repeated request is answered %s", again.Body)
	}
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		t.Errorf("E5: the secret is %d characters", len(secret))
	}
	one := s.Get("/api/2.0/webhooks/1")
	want := `{"webhook_id":"1","url":"` + r.URL + `","events":["categories.*"],"status":"A","description":"","company_id":"1"}`
	if one.Body != want {
		t.Errorf("E5: GET answers %s, want %s", one.Body, want)
	}
	rotate := func() string {
		return s.want(201, s.Post("/api/2.0/webhooks/1/rotate_secret", "")).Field("secret")
	}
	second := rotate()
	s.category("Cups")
	m := r.next()
	m.verify(t, secret)
	m.verify(t, second)
	third := rotate()
	s.category("Jugs")
	if m = r.next(); strings.Count(m.signature, "v1,") != 2 {
		t.Errorf("E5: after two rotations the signature is %s", m.signature)
	}
	m.verify(t, second)
	m.verify(t, third)
	s.Clock.Advance(24 * 3600e9)
	s.category("Mugs")
	if m = r.next(); strings.Contains(m.signature, " ") {
		t.Errorf("E5: a day after the rotation the signature is %s", m.signature)
	}
	m.verify(t, third)
	for _, address := range []string{"webhooks", "webhooks/1", "webhooks/1/deliveries", "changes?since=0&include=object"} {
		if body := s.want(200, s.Get("/api/2.0/"+address)).Body; strings.Contains(body, "whsec_") || strings.Contains(body, "secret") {
			t.Errorf("E5: GET %s shows a secret: %s", address, body)
		}
	}
}

// Others than the maker and root may read a webhook, disable and delete it.
func TestE5_OnlyTheMakerAndRootChangeIt(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	maker, other := s.User("manage_webhooks", "view_catalog"), s.User("manage_webhooks")
	id, _ := s.add(maker, r.URL, "categories.*")
	at := "/api/2.0/webhooks/" + id
	for _, c := range []struct {
		client       *apitest.Client
		status       int
		method, path string
		body         string
	}{
		{other, 200, "GET", "", ""},
		{other, 403, "PUT", "", `{"url": "https://elsewhere.example.com/"}`},
		{other, 403, "PUT", "", `{"status": "D", "events": ["users.*"]}`},
		{other, 403, "POST", "/rotate_secret", ""},
		{other, 403, "POST", "/ping", ""},
		{other, 403, "POST", "/redeliver", `{"since": "0"}`},
		{other, 403, "GET", "/deliveries", ""},
		{other, 200, "PUT", "", `{"status": "D"}`},
		{other, 403, "PUT", "", `{"status": "A"}`},
		{maker, 200, "PUT", "", `{"status": "A", "description": "ERP"}`},
		{s.Client, 200, "PUT", "", `{"description": "The ERP"}`},
		{maker, 200, "GET", "/deliveries", ""},
		{s.Client, 200, "GET", "/deliveries", ""},
		{s.User("view_catalog"), 403, "GET", "", ""},
		{s.User("view_catalog"), 403, "GET", "/deliveries", ""},
		{other, 204, "DELETE", "", ""},
		{maker, 404, "GET", "/deliveries", ""},
	} {
		if got := c.client.Do(c.method, at+c.path, "application/json", c.body); got.Status != c.status {
			t.Errorf("E5: %s %s %s: %d %s, want %d", c.method, c.path, c.body, got.Status, got.Body, c.status)
		}
	}
}

// Vendors have the webhooks of their company, to 20; the webhooks send the changes that
// the vendor may see.
func TestE5_Vendors(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r, of3 := receive(t), receive(t)
	two, three := s.UserOf(2, "manage_webhooks", "view_call_requests", "manage_call_requests"), s.UserOf(3, "manage_webhooks", "view_call_requests", "manage_call_requests")
	id, _ := s.add(two, r.URL, "call_requests.*")
	s.add(three, of3.URL, "call_requests.created")
	s.want(404, three.Get("/api/2.0/webhooks/"+id))
	s.want(201, s.Post("/api/2.0/call_requests", `{"phone": "1", "company_id": 1}`))
	s.want(201, two.Post("/api/2.0/call_requests", `{"phone": "2"}`))
	s.want(201, three.Post("/api/2.0/call_requests", `{"phone": "3"}`))
	r.wants("call_requests.created 2")
	of3.wants("call_requests.created 3")
	s.want(200, s.Put("/api/2.0/call_requests/2", `{"company_id": 3}`))
	r.wants("call_requests.deleted 2")
	of3.wants("call_requests.created 2")
	for range 19 {
		s.add(two, r.URL, "call_requests.*")
	}
	if answer := two.Post("/api/2.0/webhooks", `{"url": "`+r.URL+`", "events": ["call_requests.*"]}`); answer.Status != 400 || !strings.Contains(answer.Body, "20") {
		t.Errorf("E5: the 21st webhook: %d %s", answer.Status, answer.Body)
	}
	s.add(three, r.URL, "call_requests.*")
}

// A webhook whose maker is disabled sends nothing, and does not send the changes of that time later.
func TestE5_MakerDisabled(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r, root := receive(t), receive(t)
	maker := s.User("manage_webhooks", "view_catalog")
	id, _ := s.add(maker, r.URL, "categories.*")
	s.add(s.Client, root.URL, "categories.*,users.updated")
	s.category("Cups")
	r.wants("categories.created 1")
	root.wants("categories.created 1")
	s.want(200, s.Put("/api/2.0/users/2", `{"status": "D"}`))
	s.category("Jugs")
	root.wants("users.updated 2 [status]", "categories.created 2")
	if answer := s.Post("/api/2.0/webhooks/"+id+"/redeliver", `{"since": "0"}`); answer.Status != 409 {
		t.Errorf("E5: a redelivery without a maker: %d %s", answer.Status, answer.Body)
	}
	s.want(201, s.Post("/api/2.0/webhooks/"+id+"/ping", ""))
	if d := s.await(id, webhooks.GivenUp); !strings.Contains(d.Error, "disabled or gone") {
		t.Errorf("E5: the ping is %+v", d)
	}
	s.want(200, s.Put("/api/2.0/users/2", `{"status": "A"}`))
	s.category("Mugs")
	r.wants("categories.created 3")
	root.wants("users.updated 2 [status]", "categories.created 3")
	r.none()
}

// A waiting delivery is not sent once the maker may no longer see its object.
func TestE5_RightsOfTheMoment(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	r.answers(500)
	maker := s.User("manage_webhooks", "view_catalog")
	id, _ := s.add(maker, r.URL, "categories.*")
	s.category("Cups")
	r.wants("categories.created 1")
	s.await(id, webhooks.Failed)
	s.want(200, s.Put("/api/2.0/usergroups/3", `{"privileges": ["manage_webhooks"]}`))
	s.advance(10e9)
	if d := s.await(id, webhooks.GivenUp); d.Attempt != 1 {
		t.Errorf("E5: the delivery is %+v", d)
	}
	r.none()
}

// A webhook without the key that gave its address is disabled; a key that replaces it takes it
// over.
func TestE5_KeyRevoked(t *testing.T) {
	t.Parallel()
	o := options()
	o.Keys.On = true
	s := open(t, shoptest.Memory(t), o)
	key := func(with *apitest.Client, body string) *apitest.Answer {
		return s.want(201, with.Post("/api/2.0/users/1/keys", body))
	}
	made := key(s.Client, `{"note": "ERP"}`)
	erp := s.As(s.Email, made.Field("key"))
	id, _ := s.add(erp, "https://erp.example.com/", "categories.*")
	replaced := key(erp, `{"replaces": "`+made.Field("key_id")+`"}`)
	status := func() string { return s.Get("/api/2.0/webhooks/" + id).Field("status") }
	if got := status(); got != "A" {
		t.Errorf("E5: after the key was replaced the status is %s", got)
	}
	s.want(204, s.Delete("/api/2.0/users/1/keys/"+replaced.Field("key_id")))
	if got := status(); got != "D" {
		t.Errorf("E5: after the key was revoked the status is %s", got)
	}
}

// A key that is revoked while the body of its request comes gives no webhook an address, and gets no secret.
func TestE5_KeyRevokedDuringARequest(t *testing.T) {
	t.Parallel()
	o := options()
	o.Keys.On = true
	s := open(t, shoptest.Memory(t), o)
	id, _ := s.add(s.Client, "https://erp.example.com/", "categories.*")
	for _, test := range []struct{ method, path string }{{"POST", "webhooks"}, {"PUT", "webhooks/" + id}, {"POST", "webhooks/" + id + "/rotate_secret"}} {
		made := s.want(201, s.Post("/api/2.0/users/1/keys", "{}"))
		body := strings.NewReader(`{"url": "https://thief.example.com/", "events": "orders.*"}`)
		req := httptest.NewRequest(test.method, "/api/2.0/"+test.path, readFunc(func(p []byte) (int, error) {
			n, err := body.Read(p)
			if err != nil {
				s.want(204, s.Delete("/api/2.0/users/1/keys/"+made.Field("key_id")))
			}
			return n, err
		}))
		req.Header.Set("Content-Type", "application/json")
		req.SetBasicAuth(s.Email, made.Field("key"))
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, req)
		if w.Code != 401 {
			t.Errorf("%s with the revoked key is answered %d %s, want 401", test.method, w.Code, w.Body)
		}
	}
	if list := s.Get("/api/2.0/webhooks").Body; strings.Contains(string(list), "thief") {
		t.Errorf("the webhooks are %s", list)
	}
}

// A readFunc is a body.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// A disabled webhook sends only the changes after it was enabled again.
func TestE5_StatusD(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r, other := receive(t), receive(t)
	id, _ := s.add(s.Client, r.URL, "categories.*,webhooks.updated")
	s.add(s.Client, other.URL, "categories.*")
	s.want(200, s.Put("/api/2.0/webhooks/"+id, `{"status": "D"}`))
	s.category("Cups")
	other.wants("categories.created 1")
	s.want(200, s.Put("/api/2.0/webhooks/"+id, `{"status": "A"}`))
	s.category("Jugs")
	r.wants("webhooks.updated "+id+" [status]", "categories.created 2")
	r.none()
}

// A webhook whose position is gone asks its receiver to read everything, and goes on.
func TestE5_PositionGone(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	s.add(s.Client, r.URL, "categories.created")
	s.category("Cups")
	r.wants("categories.created 1")
	if err := s.Changes.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Webhooks.Wake()
	m := r.next()
	want := webhooks.Data{Entity: "*", ID: "*", Op: changes.Updated, Seq: m.Data.Seq}
	if diff := cmp.Diff(want, m.Data); m.Type != "*.updated" || diff != "" {
		t.Errorf("E5: after a new log began the message is %s", m.body)
	}
	if answer := s.Get("/api/2.0/changes?since=" + m.Data.Seq); answer.Status != 200 {
		t.Errorf("E5: its seq is answered %d %s", answer.Status, answer.Body)
	}
	s.category("Jugs")
	r.wants("categories.created 2")
}
