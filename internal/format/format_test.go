package format_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/format"
)

func TestChoose(t *testing.T) {
	csv := []string{"text/csv"}
	for _, c := range []struct {
		accept     string
		mediaTypes []string
		want       format.Format
		mediaType  string
		problem    string
	}{
		{"", csv, format.JSON, "", ""},
		{"*/*", nil, format.JSON, "", ""},
		{"text/plain", nil, format.Form, "", ""},
		{"text/csv", csv, format.JSON, "text/csv", ""},
		{"text/csv;q=0.5, application/json", csv, format.JSON, "", ""},
		{"text/csv", nil, format.JSON, "", "Available: application/json, text/plain."},
		{"image/png", csv, format.JSON, "", "Available: application/json, text/plain, text/csv."},
		{strings.Repeat("x", 9000), csv, format.JSON, "", "Available: application/json, text/plain."},
	} {
		f, mediaType, err := format.Choose(http.Header{"Accept": {c.accept}}, c.mediaTypes)
		if err == nil && (f != c.want || mediaType != c.mediaType || c.problem != "") {
			t.Errorf("%.40s: %v, %q", c.accept, f, mediaType)
		}
		var e *clienterror.Error
		if err != nil && (!errors.As(err, &e) || e.Status != 406 || c.problem == "" || !strings.HasSuffix(e.Message, c.problem)) {
			t.Errorf("%.40s: %v", c.accept, err)
		}
	}
}

func TestRespondWithin_TooLarge(t *testing.T) {
	for _, c := range []struct {
		f      format.Format
		isList bool
		status int
	}{{format.JSON, true, 400}, {format.JSON, false, 400}, {format.Form, true, 400}, {format.Form, false, 406}} {
		v := field.Map{{Name: "a", Value: "a long text"}}
		if _, err := c.f.RespondWithin(t.Context(), 100, c.isList, v); err != nil {
			t.Error(err)
		}
		_, err := c.f.RespondWithin(t.Context(), 5, c.isList, v)
		var e *clienterror.Error
		if !errors.As(err, &e) || e.Status != c.status {
			t.Errorf("%v, %t: %v", c.f, c.isList, err)
		}
	}
}

func TestFailure(t *testing.T) {
	for _, c := range []struct {
		header  http.Header
		failure format.Failure
		want    map[string]string
		body    string
	}{
		{nil, format.Failure{Status: 400, Message: "No.", Fields: map[string]string{"a": "is missing"}},
			nil, `{"message":"No.","status":400,"errors":{"a":"is missing"}}`},
		{nil, format.Failure{Status: 401, Message: "No.", Realm: "A shop"},
			map[string]string{"Www-Authenticate": `Basic realm="A shop", charset="UTF-8"`}, `{"message":"No.","status":401}`},
		{http.Header{"Sec-Fetch-Dest": {"image"}}, format.Failure{Status: 401, Message: "No."}, nil, `{"message":"No.","status":401}`},
		{http.Header{"Accept": {"application/problem+json"}}, format.Failure{Status: 503, Message: "No.", RetryAfter: time.Second + 1, ID: "x"},
			map[string]string{"Retry-After": "2", "X-Request-Id": "x"},
			`{"type":"about:blank","title":"Service Unavailable","detail":"No.","message":"No.","status":503}`},
		{http.Header{"Accept": {"text/plain"}}, format.Failure{Status: 405, Message: "No.", Allow: []string{"GET", "HEAD"}},
			map[string]string{"Allow": "GET, HEAD"}, "message=No.&status=405"},
	} {
		r, _ := c.failure.Response(c.header)
		got := map[string]string{}
		for _, f := range r.Fields[4:] {
			got[f.Name] = f.Values[0]
		}
		if c.want == nil {
			c.want = map[string]string{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || strings.TrimSpace(string(r.Body)) != c.body {
			t.Errorf("%d: %s\n%s", c.failure.Status, diff, r.Body)
		}
	}
}

func TestBanner_IsEscaped(t *testing.T) {
	if got, want := string(format.Banner("A&B", "4.1", "Ultimate").Body), "A&amp;B <b>4.1</b> Ultimate"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
