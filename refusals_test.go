package shopapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// refusalLines are those of the log about refused requests.
func (s *shop) refusalLines() (lines []string) {
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "refused") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// §3: who guesses is in the log: a line for each address and kind of refusal within
// a minute, without what was sent as credentials.
func TestRefusals_AreLogged(t *testing.T) {
	s := newShop(t)
	for i := range 100 {
		s.do("GET", "/api/aisles/1", "", as("secret-mail", "secret-key"+fmt.Sprint(i)))
		s.do("GET", "/api/aisles", "", as("secret-mail", "secret-key"+fmt.Sprint(i)), from(fmt.Sprintf("[2001:db8::%d:0:0:1]:1", i)))
		s.do("GET", "/api/aisles", "", anonymous, from("198.51.100.1:1"))
	}
	s.now = s.now.Add(time.Minute)
	s.do("GET", "/api/aisles", "", as("secret-mail", "secret-key"), from("")).want(401)
	s.do("GET", "/api/aisles", "").want(200)
	var got []string
	for _, line := range s.refusalLines() {
		_, line, _ = strings.Cut(line, "level=")
		got = append(got, line)
	}
	wrong := `status=401 error="The e-mail address or the API key is wrong." method=GET path=`
	want := []string{
		`INFO msg="a request was refused" address=192.0.2.1 ` + wrong + "/api/aisles/1",
		`INFO msg="a request was refused" address=2001:db8::1 ` + wrong + "/api/aisles",
		`INFO msg="a request was refused" address=198.51.100.1 status=401 error="Send the header Authorization: Basic with the e-mail address of a user and their API key." method=GET path=/api/aisles`,
		`WARN msg="a request was refused" address=192.0.2.1 status=429 error="Too many wrong credentials. Try again later." method=GET path=/api/aisles/1`,
		`WARN msg="a request was refused" address=2001:db8::15:0:0:1 status=429 error="Too many wrong credentials. Try again later." method=GET path=/api/aisles`,
		`INFO msg="more requests were refused" requests=295`,
		`INFO msg="a request was refused" address=unknown ` + wrong + "/api/aisles",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(s.log.String(), "secret") {
		t.Error("the log has credentials")
	}
}

// However many addresses guess, the log does not fill a disk.
func TestRefusals_LogIsBounded(t *testing.T) {
	s := newShop(t)
	for i := range 3000 {
		s.do("GET", "/api/aisles", "", anonymous, from(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250)))
	}
	if got := len(s.refusalLines()); got != 1000 {
		t.Errorf("%d lines within a minute, want 1000", got)
	}
}

// A key reaches no log, whichever way credentials and users are logged and
// encoded.
func TestAuthentication_KeyIsNotLogged(t *testing.T) {
	c := shopapi.Credentials{Email: "root@example.com", Key: "secret"}
	u := &shopapi.User{ID: 7, Name: "secret", Email: "secret@example.com", Type: shopapi.Vendor, CompanyID: 3, Privileges: map[string]bool{"secret": true}}
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewJSONHandler(&b, nil), slog.NewTextHandler(&b, nil)} {
		slog.New(h).Info("login", "credentials", c, "pointer", &c, "within", struct{ C shopapi.Credentials }{c}, "user", u, "host", (*shopapi.User)(nil))
	}
	if err := json.NewEncoder(&b).Encode(c); err != nil {
		t.Fatal(err)
	}
	if log := b.String(); strings.Contains(log, "secret") || !strings.Contains(log, "root@example.com") ||
		!strings.Contains(log, `"user":{"id":7,"type":"V","company":3}`) || !strings.Contains(log, `"host":"host"`) {
		t.Error(log)
	}
}

// §3: no refusal of credentials that were looked at comes sooner than one for which
// the look took longer.
func TestAuthentication_RefusalsTakeTheSameTime(t *testing.T) {
	s := newShop(t)
	for i := range 50 {
		began := time.Now()
		s.do("GET", "/api/aisles", "", as("root@example.com", fmt.Sprint(i)), from(fmt.Sprintf("192.0.2.%d:1", i)))
		if took := time.Since(began); took < time.Millisecond {
			t.Errorf("a refusal took %s", took)
		}
	}
}
