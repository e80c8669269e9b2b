package refusals_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/refusals"
)

// A clockedLog is a Log with its lines.
type clockedLog struct {
	*refusals.Log
	lines bytes.Buffer
	now   time.Time
}

func newLog() *clockedLog {
	return &clockedLog{Log: refusals.New(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (l *clockedLog) refuse(address string, status int, message string) {
	var addr netip.Addr
	if address != "" {
		addr = netip.MustParseAddr(address)
	}
	req := httptest.NewRequest("GET", "/api/2.0/products?key=secret", nil)
	req.SetBasicAuth("ana@example.com", "a-secret-key")
	l.Refused(slog.New(slog.NewTextHandler(&l.lines, nil)), req, refusals.Refusal{Address: addr, Status: status, Message: message}, l.now)
}

func (l *clockedLog) count() int { return strings.Count(l.lines.String(), "\n") }

// TestRefused_OneLineForEachKind: networks, statuses and messages have a line a minute.
func TestRefused_OneLineForEachKind(t *testing.T) {
	l := newLog()
	for range 3 {
		l.refuse("192.0.2.1", 401, "Wrong key.")
		l.refuse("192.0.2.2", 401, "Wrong key.")
		l.refuse("192.0.2.1", 429, "Wrong key.")
		l.refuse("192.0.2.1", 401, "No key.")
		l.refuse("", 401, "No key.")
		l.refuse("2001:db8::1", 401, "No key.")
		l.refuse("2001:db8:0:ffff::2", 401, "No key.") // of the same /48
	}
	if n := l.count(); n != 6 {
		t.Errorf("there are %d lines, want 6:\n%s", n, &l.lines)
	}
	l.lines.Reset()
	l.now = l.now.Add(time.Minute)
	l.refuse("192.0.2.1", 401, "Wrong key.")
	if text := l.lines.String(); l.count() != 2 || !strings.Contains(text, "requests=15") {
		t.Errorf("a minute later the log has %q, want the 15 requests without a line, and a line", text)
	}
}

// TestRefused_ManyClients: clients with any number of addresses do not fill the log.
func TestRefused_ManyClients(t *testing.T) {
	l := newLog()
	for i := range 3000 {
		l.refuse(fmt.Sprintf("192.%d.%d.1", i/250, i%250), 401, "Wrong key.")
	}
	if n := l.count(); n != 1000 {
		t.Errorf("there are %d lines, want 1000", n)
	}
}

// TestRefused_NoCredentials: a line has neither the credentials nor the query.
func TestRefused_NoCredentials(t *testing.T) {
	l := newLog()
	l.refuse("192.0.2.1", 429, "Too many requests.")
	text := l.lines.String()
	if strings.Contains(text, "secret") || strings.Contains(text, "ana@") {
		t.Errorf("the log has %s", text)
	}
	for _, part := range []string{"level=WARN", "address=192.0.2.1", "status=429", "path=/api/2.0/products"} {
		if !strings.Contains(text, part) {
			t.Errorf("the log lacks %s: %s", part, text)
		}
	}
}

// TestWait: a refusal is not answered before its time, however short the lookup was.
func TestWait(t *testing.T) {
	began := time.Now()
	refusals.New().Wait(began)
	if took := time.Since(began); took < time.Millisecond {
		t.Errorf("the refusal took %s, want at least a millisecond", took)
	}
}
