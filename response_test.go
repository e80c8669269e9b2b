package shopapi_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/shopapi/shopapi"
)

// plain returns the body of a response without its coding.
func plain(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var r io.Reader = w.Body
	switch coding := w.Header().Get("Content-Encoding"); coding {
	case "gzip":
		unzipped, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		r = unzipped
	case "zstd":
		unzipped, err := zstd.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		defer unzipped.Close()
		r = unzipped
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// askCoded asks for notes with an Accept-Encoding header and others.
func askCoded(s *shop, method, address, coding string, headers ...header) *reply {
	return s.do(method, address, "", append(headers, with("Accept-Encoding", coding))...)
}

// newCodedShop returns a shop over a long note, whose responses are cached.
func newCodedShop(t *testing.T) (*shop, *notes) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{Compress: true})
	s := &shop{t: t, API: h.(*shopapi.API)}
	s.do("POST", "/api/notes", `{"text": "`+strings.Repeat("a long text ", 200)+`"}`, asJSON).want(201)
	return s, n
}

func TestE10_Compression(t *testing.T) {
	s, notes := newCodedShop(t)
	identity := s.do("GET", "/api/notes", "").want(200).has("Content-Encoding", "").has("Vary", "Accept, Authorization, Accept-Encoding")
	body, tag := identity.Body.String(), identity.Header().Get("Etag")
	for _, coding := range []string{"gzip", "zstd"} {
		coded := strings.TrimSuffix(tag, `"`) + "-" + coding + `"`
		asked := notes.asked.Load()
		for range 2 {
			r := askCoded(s, "GET", "/api/notes", coding).want(200).has("Content-Encoding", coding).has("Etag", coded).has("Vary", "Accept, Authorization, Accept-Encoding")
			if length := r.Body.Len(); length > len(body)/4 {
				t.Errorf("%s: %d bytes of %d", coding, length, len(body))
			}
			if got := plain(t, r.ResponseRecorder); got != body {
				t.Errorf("%s is the body %.200s, want %.200s", coding, got, body)
			}
		}
		if got := notes.asked.Load() - asked; got != 1 {
			t.Errorf("%s: the entity was asked %d times for two responses", coding, got)
		}
		head := askCoded(s, "HEAD", "/api/notes", coding).want(200).has("Content-Encoding", coding)
		if head.Body.Len() > 0 {
			t.Errorf("HEAD has a body of %d bytes", head.Body.Len())
		}
	}
}

// A tag of any coding is a tag of the object.
func TestE10_Compression_Preconditions(t *testing.T) {
	s, _ := newCodedShop(t)
	tag := strings.TrimSuffix(s.do("GET", "/api/notes", "").Header().Get("Etag"), `"`)
	for _, ending := range []string{`"`, `-gzip"`, `-zstd"`} {
		s.do("GET", "/api/notes", "", with("If-None-Match", tag+ending)).want(304).has("Etag", tag+`"`)
		askCoded(s, "GET", "/api/notes", "gzip", with("If-None-Match", "W/"+tag+ending)).want(304).has("Etag", tag+`-gzip"`)
	}
	s.do("GET", "/api/notes", "", with("If-None-Match", tag+`-br"`)).want(200)
}

func TestE10_Compression_Refused(t *testing.T) {
	s, _ := newCodedShop(t)
	for _, header := range []string{"identity;q=0", "*;q=0", "br, identity;q=0"} {
		r := askCoded(s, "GET", "/api/notes", header).want(406).has("Content-Encoding", "")
		r.contains("Accept-Encoding")
		askCoded(s, "GET", "/api/notes", header, anonymous).want(401)
		askCoded(s, "GET", "/api/nothing", header).want(404)
		if r := askCoded(s, "POST", "/api/notes", header); r.Code == 406 {
			t.Error("a POST is refused for its Accept-Encoding")
		}
	}
	for _, header := range []string{"gzip;q=0", "br", "", "gzip;q=0, zstd;q=0"} {
		askCoded(s, "GET", "/api/notes", header).want(200).has("Content-Encoding", "")
	}
}

// A short response is compressed only where it has to be; an error never is.
func TestE10_Compression_ShortResponses(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Compress = true })
	askCoded(s, "GET", "/api/aisles", "gzip").want(200).has("Content-Encoding", "")
	r := askCoded(s, "GET", "/api/aisles", "gzip, identity;q=0").want(200).has("Content-Encoding", "gzip")
	if got, want := plain(t, r.ResponseRecorder), s.do("GET", "/api/aisles", "").Body.String(); got != want {
		t.Errorf("the body is %s, want %s", got, want)
	}
	askCoded(s, "GET", "/api/"+strings.Repeat("x", 2000), "gzip, identity;q=0").want(404).has("Content-Encoding", "")
}

func TestE10_Compression_Off(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{})
	s := &shop{t: t, API: h.(*shopapi.API)}
	s.do("POST", "/api/notes", `{"text": "`+strings.Repeat("a long text ", 200)+`"}`, asJSON).want(201)
	askCoded(s, "GET", "/api/notes", "gzip, identity;q=0").want(200).has("Content-Encoding", "").has("Vary", "Accept, Authorization")
}

func TestE10_CodedBody(t *testing.T) {
	s := newShop(t)
	for _, coding := range []string{"gzip", "br", "x", "identity, gzip"} {
		s.do("POST", "/api/aisles", "name=x", with("Content-Encoding", coding)).want(415).contains("Content-Encoding")
	}
	s.do("POST", "/api/aisles", "name=x", with("Content-Encoding", "Identity")).want(201)
}
