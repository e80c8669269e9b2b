package webhooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/webhooks"
)

func rename(to string) func(*categories.Category) error {
	return func(c *categories.Category) error { c.Name = to; return nil }
}

// A change is sent again under the id that its message had, also while the status is D.
func TestE5_Redeliver(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	maker := s.User("manage_webhooks", "view_catalog")
	id, _ := s.add(maker, r.URL, "categories.created,users.*")
	at := "/api/2.0/webhooks/" + id + "/redeliver"
	start := s.want(200, s.Get("/api/2.0/changes?since=now")).Field("last_seq")
	name, _, _ := strings.Cut(start, ".")
	s.category("Cups")
	first := r.next()
	s.category("Jugs")
	second := r.next()
	s.want(200, s.Put("/api/2.0/categories/1", `{"category": "Bowls"}`))
	hidden := s.want(200, s.Get("/api/2.0/changes?since=now")).Field("last_seq") // an update, which events do not name
	s.want(200, s.Put("/api/2.0/users/1", `{"firstname": "Ana"}`))
	unseen := s.want(200, s.Get("/api/2.0/changes?since=now")).Field("last_seq") // of users, whom the maker may not view
	s.await(id, webhooks.Delivered)

	s.want(201, maker.Post(at, fmt.Sprintf(`{"seq": %q}`, second.Data.Seq)))
	if m := r.next(); m.id != second.id || m.body != second.body {
		t.Errorf("E5: the redelivery is %s %s, want %s %s", m.id, m.body, second.id, second.body)
	}
	s.want(200, s.Put("/api/2.0/webhooks/"+id, `{"status": "D"}`))
	s.awaitThat(id, func(d *webhooks.Delivery) bool { return d.Seq == second.Data.Seq && d.Status == webhooks.Delivered })
	if count := s.want(201, s.Post(at, fmt.Sprintf(`{"since": %q}`, start))).Field("count"); count != "2" {
		t.Errorf("E5: %s changes are sent again, want 2", count)
	}
	r.wants("categories.created 1", "categories.created 2")
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{}`, 400}, {`{"seq": "41"}`, 400}, {`{"seq": "0"}`, 400}, {`{"since": "41"}`, 400}, {`{"since": "now"}`, 400},
		{`{"seq": "` + first.Data.Seq + `", "since": "0"}`, 400}, {`{"seq": "` + name + `.01"}`, 400}, {`{"seq": "` + name + `.-1"}`, 400}, {`{"seq": ["x"]}`, 400},
		{`{"seq": "` + hidden + `"}`, 404}, {`{"seq": "` + unseen + `"}`, 404},
		{`{"seq": "another.1"}`, 410}, {`{"seq": "` + name + `.999999"}`, 410}, {`{"since": "another.1"}`, 410},
	} {
		if got := s.Post(at, c.body); got.Status != c.status || c.status == 410 && got.Field("first_seq") == "" {
			t.Errorf("E5: %s: %d %s, want %d", c.body, got.Status, got.Body, c.status)
		}
	}
	s.want(404, s.Post("/api/2.0/webhooks/99/redeliver", `{"since": "0"}`))
}

// A redelivery is tried once; a second one while it runs is 409.
func TestE5_RedeliverOnce(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	id, _ := s.add(s.Client, r.URL, "categories.*")
	s.category("Cups")
	seq := r.next().Data.Seq
	s.await(id, webhooks.Delivered)
	waits := make(chan struct{})
	r.does(func(w http.ResponseWriter, _ *http.Request, _ received) {
		<-waits
		w.WriteHeader(500)
	})
	redeliver := func() int {
		return s.Post("/api/2.0/webhooks/"+id+"/redeliver", fmt.Sprintf(`{"seq": %q}`, seq)).Status
	}
	if status := redeliver(); status != 201 {
		t.Fatalf("E5: the first redelivery is %d", status)
	}
	r.next()
	if status := redeliver(); status != 409 {
		t.Errorf("E5: the second redelivery is %d, want 409", status)
	}
	close(waits)
	if d := s.await(id, webhooks.GivenUp); d.Attempt != 1 || d.Code != 500 {
		t.Errorf("E5: the redelivery is %+v", d)
	}
	if status := redeliver(); status != 201 {
		t.Errorf("E5: a redelivery after the first ended is %d", status)
	}
}

// At most 1,000 changes are sent again at once.
func TestE5_RedeliverAtMost1000(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	start := s.want(200, s.Get("/api/2.0/changes?since=now")).Field("last_seq")
	s.change(1001)
	id, _ := s.add(s.Client, receive(t).URL, "products.*")
	s.want(200, s.Put("/api/2.0/webhooks/"+id, `{"status": "D"}`))
	ids, err := s.Webhooks.RedeliverSince(t.Context(), 1, start)
	if err == nil || !strings.Contains(err.Error(), "since") {
		t.Errorf("E5: 1,001 changes: %d, %v", ids, err)
	}
	_, number, _ := strings.Cut(start, ".")
	var n int
	if _, err := fmt.Sscan(number, &n); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Webhooks.RedeliverSince(t.Context(), 1, fmt.Sprintf("%s.%d", strings.TrimSuffix(start, "."+number), n+1)); n != 1000 || err != nil {
		t.Errorf("E5: 1,000 changes: %d, %v", n, err)
	}
}

func TestE5_Ping(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	id, secret := s.add(s.Client, r.URL, "categories.*")
	s.want(200, s.Put("/api/2.0/webhooks/"+id, `{"status": "D"}`))
	ping := func() (status int, retry string) {
		answer := s.Post("/api/2.0/webhooks/"+id+"/ping", "")
		return answer.Status, answer.Header.Get("Retry-After")
	}
	if status, _ := ping(); status != 201 {
		t.Fatalf("E5: a ping is %d", status)
	}
	m := r.next()
	m.verify(t, secret)
	if want := `{"type":"ping","timestamp":"2024-01-01T12:00:00Z","data":{}}`; m.body != want {
		t.Errorf("E5: the ping is %s, want %s", m.body, want)
	}
	s.Clock.Advance(4 * time.Second)
	if status, retry := ping(); status != 429 || retry != "6" {
		t.Errorf("E5: a ping after 4 s is %d, Retry-After %q", status, retry)
	}
	s.Clock.Advance(6 * time.Second)
	if status, _ := ping(); status != 201 {
		t.Errorf("E5: a ping after 10 s is %d", status)
	}
	if other := r.next(); other.id == m.id {
		t.Errorf("E5: two pings have the id %s", m.id)
	}
	if d := s.await(id, webhooks.Delivered); d.Type != "ping" || d.Seq != "" {
		t.Errorf("E5: the delivery of a ping is %+v", d)
	}
}

// The last 100 deliveries are kept and shown, newest first.
func TestE5_Deliveries(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	id, _ := s.add(s.Client, r.URL, "products.*")
	s.change(250)
	for range 250 {
		r.next()
	}
	s.await(id, webhooks.Delivered)
	list := s.deliveries(id)
	if len(list) != 100 || s.rows() > 100 {
		t.Errorf("E5: %d deliveries are shown, %d kept", len(list), s.rows())
	}
	var page struct {
		Deliveries []webhooks.Delivery
		Params     struct {
			Page  int    `json:"page"`
			Total string `json:"total_items"`
		}
	}
	s.want(200, s.Get("/api/2.0/webhooks/"+id+"/deliveries?page=2&items_per_page=30")).Decode(&page)
	if len(page.Deliveries) != 30 || page.Deliveries[0] != list[30] || page.Params.Page != 2 || page.Params.Total != "100" {
		t.Errorf("E5: the second page is %+v", page)
	}
	s.want(404, s.Get("/api/2.0/webhooks/99/deliveries"))
	s.want(405, s.Post("/api/2.0/webhooks/"+id+"/deliveries", `{}`))
	s.want(204, s.Delete("/api/2.0/webhooks/"+id))
	if n := s.rows(); n != 0 {
		t.Errorf("E5: a deleted webhook leaves %d deliveries", n)
	}
}
