package webhooks_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/webhooks"
)

// delays are the times between the attempts (extensions E5).
var delays = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// A message is repeated under its id, each attempt with a time of its own, and then given up.
func TestE5_Repeats(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	r.answers(500)
	id, secret := s.add(s.Client, r.URL, "categories.*")
	s.category("Cups")
	first := r.next()
	for i, d := range delays {
		attempt := int64(i + 1)
		got := s.awaitThat(id, func(d *webhooks.Delivery) bool { return d.Attempt == attempt })
		if got.Status != webhooks.Failed || got.Code != 500 || got.Answer != "an answer" || got.Error != "the receiver answered 500" {
			t.Errorf("E5: after attempt %d the delivery is %+v", attempt, got)
		}
		s.advance(d + d/10 + time.Second)
		m := r.next()
		m.verify(t, secret)
		if m.id != first.id || m.body != first.body || m.at == first.at {
			t.Errorf("E5: attempt %d has the id %s and the time %s, after %s and %s", attempt+1, m.id, m.at, first.id, first.at)
		}
	}
	if d := s.await(id, webhooks.GivenUp); d.Attempt != 10 {
		t.Errorf("E5: it is given up after %d attempts", d.Attempt)
	}
	r.none()
}

// Each time differs by up to a tenth, and Retry-After counts where it is later.
func TestE5_Schedule(t *testing.T) {
	t.Parallel()
	for i, d := range delays {
		least, most := d, d
		for range 200 {
			next, state := webhooks.Attempted(i+1, 500, 0)
			if next < d-d/10-time.Millisecond || next > d+d/10+time.Millisecond || state != webhooks.Failed {
				t.Fatalf("E5: after attempt %d comes %s, %s", i+1, next, state)
			}
			least, most = min(least, next), max(most, next)
		}
		if least == d || most == d {
			t.Errorf("E5: all repeats after attempt %d come at once: %s to %s", i+1, least, most)
		}
	}
	if _, state := webhooks.Attempted(10, 500, 0); state != webhooks.GivenUp {
		t.Errorf("E5: after attempt 10 it is %s", state)
	}
	if next, _ := webhooks.Attempted(1, 503, time.Hour); next != time.Hour {
		t.Errorf("E5: Retry-After is later, and the next attempt comes after %s", next)
	}
	if next, _ := webhooks.Attempted(3, 503, time.Second); next < 27*time.Minute {
		t.Errorf("E5: Retry-After is earlier, and the next attempt comes after %s", next)
	}
}

func TestE5_RetryAfter(t *testing.T) {
	t.Parallel()
	now := apitest.Start
	for _, c := range []struct {
		status int
		value  string
		want   time.Duration
	}{
		{503, "120", 2 * time.Minute}, {429, " 60 ", time.Minute}, {502, "1", time.Second}, {504, "86400", 24 * time.Hour},
		{503, "86401", 24 * time.Hour}, {503, "99999999999999999999999", 24 * time.Hour},
		{503, now.Add(time.Hour).Format(http.TimeFormat), time.Hour}, {503, now.Add(48 * time.Hour).Format(http.TimeFormat), 24 * time.Hour},
		{503, now.Add(-time.Hour).Format(http.TimeFormat), 0}, {503, "", 0}, {503, "-5", 0}, {503, "soon", 0}, {503, "1.5", 0},
		{500, "120", 0}, {200, "120", 0}, {404, "120", 0},
	} {
		if got := webhooks.RetryAfter(c.status, c.value, now); got != c.want {
			t.Errorf("E5: %d with Retry-After %q: %s, want %s", c.status, c.value, got, c.want)
		}
	}
}

// A success makes everything due that waits.
func TestE5_SuccessMakesAllDue(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	r.answers(500)
	id, _ := s.add(s.Client, r.URL, "categories.*")
	for _, name := range []string{"Cups", "Jugs"} {
		s.category(name)
		r.next()
		s.await(id, webhooks.Failed)
	}
	r.answers(204)
	s.category("Mugs")
	r.wants("categories.created 1", "categories.created 2", "categories.created 3")
}

// A message that is always refused does not use up its attempts while others succeed.
func TestE5_RefusedMessageBesideOthers(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	r.does(func(w http.ResponseWriter, _ *http.Request, m received) {
		if m.Data.ID == "1" {
			w.WriteHeader(422)
		}
	})
	id, _ := s.add(s.Client, r.URL, "categories.*")
	s.category("Cups")
	r.wants("categories.created 1")
	s.await(id, webhooks.Failed)
	for _, name := range []string{"2", "3", "4", "5", "6"} {
		s.category("Jugs " + name)
	}
	for told := 0; told < 5; {
		if r.next().Data.ID != "1" {
			told++
		}
	}
	s.awaitThat(id, func(d *webhooks.Delivery) bool { return d.Status == webhooks.Delivered })
	list := s.deliveries(id)
	if d := list[len(list)-1]; d.Attempt > 2 || d.Status != webhooks.Failed {
		t.Errorf("E5: the refused message is %+v", d)
	}
}

// Changes of one object are sent in their order; updates that wait for their first attempt
// become one, with the first of the former statuses.
func TestE5_OrderAndUnion(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r := receive(t)
	for _, e := range []struct{ entity, payload string }{
		{"categories", `{"category": "Cups"}`},
		{"products", `{"product": "Mug", "category_ids": [1], "price": "9.50", "amount": 5}`},
		{"users", `{"email": "ana@example.org", "user_type": "C"}`},
		{"payments", `{"payment": "Invoice"}`},
		{"shippings", `{"shipping": "Courier"}`},
	} {
		s.want(201, s.Post("/api/2.0/"+e.entity, e.payload))
	}
	r.answers(500)
	id, _ := s.add(s.Client, r.URL, "orders.*")
	s.want(201, s.Post("/api/2.0/orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}}}`))
	r.next()
	s.await(id, webhooks.Failed)
	for _, payload := range []string{`{"status": "P"}`, `{"notes": "Ring twice"}`, `{"status": "C"}`} {
		s.want(200, s.Put("/api/2.0/orders/1", payload))
	}
	s.want(204, s.Delete("/api/2.0/orders/1"))
	s.awaitThat(id, func(d *webhooks.Delivery) bool { return d.Type == "orders.deleted" })
	r.answers(204)
	s.advance(6 * time.Second)
	for _, want := range []string{"orders.created", "orders.updated", "orders.deleted"} {
		m := r.next()
		if m.Type != want {
			t.Errorf("E5: the message is %s, want %s", m.body, want)
		}
		if d := m.Data; want == "orders.updated" && (d.Status != "C" || d.PreviousStatus != "O" || !strings.Contains(strings.Join(d.Fields, " "), "notes status")) {
			t.Errorf("E5: three updates are told as %s", m.body)
		}
	}
	r.none()
}

// 410 disables.
func TestE5_Gone(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r, log := receive(t), receive(t)
	r.answers(410)
	id, _ := s.add(s.Client, r.URL, "categories.*")
	s.add(s.Client, log.URL, "webhooks.updated")
	s.category("Cups")
	log.wants("webhooks.updated " + id + " [status]")
	if d := s.deliveries(id)[0]; d.Status != webhooks.GivenUp || d.Code != 410 {
		t.Errorf("E5: the delivery is %+v", d)
	}
	if status := s.Get("/api/2.0/webhooks/" + id).Field("status"); status != "D" {
		t.Errorf("E5: the status is %s", status)
	}
}

// A webhook that fails for 5 days is disabled.
func TestE5_FailsFor5Days(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	r, log := receive(t), receive(t)
	r.answers(500)
	id, _ := s.add(s.Client, r.URL, "categories.*")
	s.add(s.Client, log.URL, "webhooks.updated")
	s.category("Cups")
	r.next()
	s.await(id, webhooks.Failed)
	s.advance(5*24*time.Hour - time.Second)
	r.next() // the repeat
	s.awaitThat(id, func(d *webhooks.Delivery) bool { return d.Attempt == 2 })
	log.none()
	s.advance(time.Second)
	s.category("Jugs")
	log.wants("webhooks.updated " + id + " [status]")
	for _, d := range s.deliveries(id) {
		if d.Status != webhooks.GivenUp {
			t.Errorf("E5: after the webhook was disabled a delivery is %+v", d)
		}
	}
}
