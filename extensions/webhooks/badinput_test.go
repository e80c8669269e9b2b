package webhooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// Wrong fields are 400 with the name of the field and the allowed values, and change nothing.
func TestBadInput_Webhooks(t *testing.T) {
	t.Parallel()
	o := options()
	o.Webhooks.AllowHTTP = false
	s := open(t, shoptest.Memory(t), o)
	many := make([]string, 65)
	for i := range many {
		many[i] = []string{"orders", "users", "products"}[i%3] + "." + []string{"created", "updated"}[i%2] + strings.Repeat(" ", i)
	}
	s.want(201, s.Post("/api/2.0/webhooks", `{"url": "https://example.com/", "events": ["users.*"]}`))
	for _, c := range []struct{ field, value, want string }{
		{"url", `""`, "is required"},
		{"url", `null`, "is required"},
		{"url", `"http://example.com/"`, "must be an address that begins with https://"},
		{"url", `"ftp://example.com/"`, "https://"},
		{"url", `"javascript:alert(1)"`, "https://"},
		{"url", `"file:///etc/passwd"`, "https://"},
		{"url", `"//example.com/"`, "https://"},
		{"url", `"example.com"`, "https://"},
		{"url", `"https:///path"`, "names a host"},
		{"url", `"https://:443/"`, "names a host"},
		{"url", `"https://exa mple.com/"`, "https://"},
		{"url", `"https://example.com:99999/"`, "must have a port from 1 to 65535, not 99999"},
		{"url", `"https://example.com:0/"`, "must have a port"},
		{"url", `"https://[::1/"`, "https://"},
		{"url", `"https://user:password@example.com/"`, "must not have a user name or password"},
		{"url", `"https://user@example.com/"`, "must not have a user name or password"},
		{"url", `"https://example.com/#x"`, "fragment"},
		{"url", `"https://example.com/` + strings.Repeat("x", 2048) + `"`, "2048"},
		{"url", `["x"]`, "must"},
		{"events", `[]`, "is required"},
		{"events", `""`, "is required"},
		{"events", `{"a": 1}`, "must be names of events"},
		{"events", `7`, "must be names of events"},
		{"events", `["orders.created,users.*"]`, "without a comma"},
		{"events", `["parcels.*"]`, "call_requests, carts, categories"},
		{"events", `["orders"]`, ".created, .updated, .deleted or .*"},
		{"events", `["orders.placed"]`, ".created, .updated, .deleted or .*"},
		{"events", `["orders.*.x"]`, ".created, .updated, .deleted or .*"},
		{"events", `["product_variations.*"]`, "told as products"},
		{"events", `["master_product_offers.created"]`, "products"},
		{"events", `["usergroups.*", "users.updated", "auth.*"]`, "auth.*"},
		{"status", `"H"`, "must be"},
		{"description", `"` + strings.Repeat("x", 256) + `"`, "255"},
		{"company_id", `-1`, "must"},
		{"company_id", `99`, "99"},
	} {
		for _, method := range []string{"POST", "PUT"} {
			fields := map[string]json.RawMessage{c.field: json.RawMessage(c.value)}
			address := "/api/2.0/webhooks/1"
			if method == "POST" {
				address = "/api/2.0/webhooks"
				for name, value := range map[string]string{"url": `"https://example.com/"`, "events": `["users.*"]`} {
					if fields[name] == nil {
						fields[name] = json.RawMessage(value)
					}
				}
			} else if c.value == "null" {
				continue
			}
			body, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			answer := s.Do(method, address, "application/json", string(body))
			var refusal struct{ Errors map[string]string }
			if answer.Status == 400 {
				answer.Decode(&refusal)
			}
			if !strings.Contains(refusal.Errors[c.field], c.want) {
				t.Errorf("%s %s: %d %s, want a problem of %s with %q", method, body, answer.Status, answer.Body, c.field, c.want)
			}
		}
	}
	if list, _, err := s.Webhooks.Find(t.Context(), webhooks.Filter{}); err != nil || len(list) != 1 || list[0].URL != "https://example.com/" {
		t.Errorf("after bad input the webhooks are %+v, %v", list, err)
	}
	_, err := s.Webhooks.Update(t.Context(), 1, func(h *webhooks.Webhook) error { h.Events = webhooks.NewEvents(many...); return nil })
	if err != nil {
		t.Errorf("events that stand twice count once: %v", err)
	}
	distinct := []string{}
	for _, name := range changes.EntityNames(s.API) {
		for _, op := range []string{"created", "updated", "deleted"} {
			distinct = append(distinct, name+"."+op)
		}
	}
	for n, bad := range map[int]bool{64: false, 65: true} {
		_, err := s.Webhooks.Update(t.Context(), 1, func(h *webhooks.Webhook) error { h.Events = webhooks.NewEvents(distinct[:n]...); return nil })
		if (err != nil) != bad {
			t.Errorf("%d events: %v", n, err)
		}
	}
}

// Webhooks cannot be in a batch.
func TestBadInput_Batch(t *testing.T) {
	t.Parallel()
	o := options()
	o.Batch = true
	s := open(t, shoptest.Memory(t), o)
	answer := s.Post("/api/2.0/batch", `{"requests": [{"method": "POST", "url": "webhooks", "body": {}}]}`)
	if answer.Status != 400 || !strings.Contains(answer.Body, "webhooks") {
		t.Errorf("a batch with a webhook: %d %s", answer.Status, answer.Body)
	}
}

// Webhooks that are off have no address, and what they need is asked for at the start.
func TestE1_Webhooks(t *testing.T) {
	t.Parallel()
	if answer := apitest.New(t, nil).Get("/api/2.0/webhooks"); answer.Status != 404 {
		t.Errorf("E1: webhooks that are off: %d %s", answer.Status, answer.Body)
	}
	on := webhooks.Options{On: true}
	stranger := shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
		return nil, shopapi.ErrBadCredentials
	})
	for want, o := range map[string]*shop.Options{
		"change log": {Webhooks: on, Changes: changes.Options{Mode: changes.Off}},
		"UserByID":   {Webhooks: on, Options: shopapi.Options{Authenticator: stranger}},
	} {
		if _, err := shop.New(t.Context(), memory.New(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("E1: %v, want an error that names %s", err, want)
		}
	}
	host := &shoptest.Host{Name: "webhooks"}
	s, err := shop.New(t.Context(), memory.New(), nil)
	if err == nil {
		err = s.Register(host)
	}
	if err != nil {
		t.Errorf("E1: a host's entity webhooks: %v", err)
	}
	if s, err = shop.New(t.Context(), memory.New(), &shop.Options{Webhooks: on}); err != nil || s.Register(host) == nil {
		t.Errorf("E1: a host's entity webhooks beside ours: %v", err)
	}
}

// A copy of a shop has its webhooks disabled.
func TestE4_CopiesHaveWebhooksDisabled(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	for i := range 3 {
		s.add(s.Client, fmt.Sprintf("https://example.com/%d", i), "users.*")
	}
	if err := webhooks.DisableAll(t.Context(), s.Store); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.Get("/api/2.0/webhooks").Body, `"status":"D"`); n != 3 {
		t.Errorf("E4: %d of 3 webhooks are disabled", n)
	}
}
