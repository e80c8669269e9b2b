package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// -webhook sends orders to a receiver, signed with the secret that is printed once.
func TestWebhook(t *testing.T) {
	t.Parallel()
	type message struct {
		body   []byte
		header http.Header
	}
	got := make(chan message, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- message{body, r.Header}
	}))
	defer receiver.Close()
	args := []string{"-db", filepath.Join(t.TempDir(), "shop.db"), "-admin", "admin@example.org:a-key-of-the-test", "-demo-orders", "10", "-webhook", receiver.URL + "/orders"}
	e := start(t, args...)
	secret := regexp.MustCompile(`whsec_\S+`).FindString(e.output)
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), "PUT", e.url+"/api/2.0/orders/1", strings.NewReader(`{"notes": "Ring twice"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth("admin@example.org", "a-key-of-the-test")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	select {
	case m := <-got:
		if err := verify.Verify(m.body, m.header); err != nil || !strings.Contains(string(m.body), `"url":"/api/2.0/orders/1"`) {
			t.Errorf("the receiver got %s: %v", m.body, err)
		}
	case <-time.After(20 * time.Second):
		t.Errorf("PUT of an order is answered %d, and the receiver got nothing", resp.StatusCode)
	}
	e.end()
	if again := start(t, args...); strings.Contains(again.output, "whsec_") {
		t.Errorf("the second start shows a secret: %s", again.output)
	} else {
		again.end()
	}
}

// -webhook of another scheme is refused before its host is looked up.
func TestWebhook_Scheme(t *testing.T) {
	for _, address := range []string{"ftp://host.invalid/orders", "//host.invalid/orders", "host.invalid:443"} {
		_, err := settings{webhook: address}.webhookOptions(t.Context())
		if err == nil || !strings.Contains(err.Error(), "of https or http") {
			t.Errorf("-webhook %s: %v", address, err)
		}
	}
}
