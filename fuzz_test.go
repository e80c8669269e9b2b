package shopapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/apipath"
)

func FuzzAccept(f *testing.F) {
	for _, seed := range []string{
		"", "application/json", "text/plain;q=0.5, */*;q=0", `application/json;p="a\",b";q=1`, "*/*;q=0.001,", "text/*;q=NaN", ";;,=,/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		chosen, ok := negotiate(http.Header{"Accept": {accept}})
		if !ok && chosen != formatJSON {
			t.Error("what is not acceptable is answered in another format than JSON")
		}
		// The same preferences in other letter case choose the same, unless they are too
		// long: invalid UTF-8 becomes longer.
		if len(strings.ToUpper(accept))+len("  ") > maxAccept {
			return
		}
		for _, same := range []http.Header{
			{"Accept": {strings.ToUpper(accept)}}, {"Accept": {" " + accept + " "}}, {"Accept": {"", accept}},
		} {
			if strings.TrimSpace(accept) == "" || !strings.EqualFold(strings.ToUpper(accept), accept) {
				break
			}
			if again, okAgain := negotiate(same); again != chosen || okAgain != ok {
				t.Errorf("%q chooses %v, %v and %q chooses %v, %v", accept, chosen, ok, same, again, okAgain)
			}
		}
	})
}

// clientError checks that an error is the client's, with a message.
func clientError(t *testing.T, err error) {
	t.Helper()
	if e := asError(err); e.Status < 400 || e.Status >= 500 || e.Message == "" || len(e.Message) > 10_000 {
		t.Errorf("status %d: %q", e.Status, e.Message)
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"/api/2.0/categories/5", "/api.php?_d=categories/5", "/api//x", "/api/%2e%2e/x", "/api/a%2Fb", "/api/9.0/x", "/api/x/1/y/2/z/3/w", "/api.php?_d=%zz", "/api/%ff",
	} {
		f.Add(seed)
	}
	api := New(nil)
	api.registry.top["x"] = &entry{Description: Description{Name: "x"}}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.ParseRequestURI(address)
		if err != nil {
			return
		}
		segments, ok := apipath.Segments(u, u.Query())
		if !ok {
			return
		}
		for _, s := range segments {
			if s == "" || s == "." || s == ".." || !isText(s) {
				t.Errorf("%q has the segment %q", address, s)
			}
		}
		segments, err = segmentsOf(u, u.Query())
		if err != nil {
			clientError(t, err)
			return
		}
		target, err := api.registry.resolve(segments)
		if err != nil {
			clientError(t, err)
			return
		}
		if len(target.parents) > 2 || target.entry == nil {
			t.Errorf("%q leads to %+v", address, target)
		}
	})
}
