package entitytest

import (
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

var formatChecks = []check{
	{"TextPlain", changes, textPlain, opened},
	{"Head", reads, head, opened},
	{"ETag", changes, entityTags, opened},
	{"Preconditions", updates, preconditions, opened},
}

// textPlain: the same tree as form-style pairs (§4).
func textPlain(w *world) {
	ids := w.stocked(2)
	w.want(w.Put(w.at(ids[0]), w.change()), 200, "PUT of Change")
	for _, address := range []string{w.list(), w.at(ids[0]), w.at(ids[1])} {
		text := w.Accepting("text/plain").Get(address)
		if text.Status != 200 || !strings.HasPrefix(text.Header.Get("Content-Type"), "text/plain") {
			w.t.Fatalf("GET %s as text/plain is answered %d as %s (§4)", address, text.Status, text.Header.Get("Content-Type"))
		}
		var got []pair
		for part := range strings.SplitSeq(text.Body, "&") {
			name, value, _ := strings.Cut(part, "=")
			got = append(got, pair{Name: unescape(w, name), Value: unescape(w, value)})
		}
		want := pairs(w.t, w.Get(address).Body)
		for i := range want {
			want[i].None = false // an empty value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Errorf("GET %s as text/plain is another tree (§4) (-JSON +text/plain):\n%s", address, diff)
		}
	}
	missing := w.Accepting("text/plain").Get(w.at("987654321"))
	if missing.Status != 404 || !strings.HasSuffix(missing.Body, "&status=404") {
		w.t.Errorf("GET of what is not there is answered %d %q as text/plain, want the tree of the error (§5)", missing.Status, missing.Body)
	}
}

func unescape(w *world, text string) string {
	w.t.Helper()
	plain, err := url.QueryUnescape(text)
	if err != nil {
		w.t.Fatalf("the text/plain answer holds %q: %v", text, err)
	}
	return plain
}

// head: the headers of GET without its body (§1).
func head(w *world) {
	ids := w.stocked(1)
	for _, address := range []string{w.list(), w.list("page=1"), w.at(ids[0]), w.at("987654321")} {
		get, head := w.Get(address), w.Do("HEAD", address, "", "")
		if head.Body != "" || head.Status != get.Status {
			w.t.Errorf("HEAD %s is answered %d with the body %q, want %d and none (§1)", address, head.Status, head.Body, get.Status)
		}
		if diff := cmp.Diff(get.Header, head.Header); diff != "" {
			w.t.Errorf("HEAD %s has other headers (§1) (-GET +HEAD):\n%s", address, diff)
		}
	}
}

// entityTags: a client with the current response gets 304 until it changes.
func entityTags(w *world) {
	ids := w.stocked(2)
	since := func(address, tag string) *apitest.Answer {
		return w.sendWith("GET", address, "", "If-None-Match", tag)
	}
	addresses := []string{w.list(), w.at(ids[0])}
	tags := map[string]string{}
	for _, address := range addresses {
		tag := w.Get(address).Header.Get("Etag")
		if tag == "" {
			w.t.Errorf("GET %s has no ETag", address)
		}
		tags[address] = tag
		if answer := w.want(since(address, tag), 304, "GET "+address+" of a client that has it already"); answer.Body != "" || answer.Header.Get("Etag") != tag {
			w.t.Errorf("304 has the body %q and the ETag %q, want none and %q", answer.Body, answer.Header.Get("Etag"), tag)
		}
		if text := w.Accepting("text/plain").Get(address).Header.Get("Etag"); text == tag {
			w.t.Errorf("GET %s has one ETag in both formats", address)
		}
	}
	w.want(w.Put(w.at(ids[0]), w.change()), 200, "PUT of Change")
	w.add()
	for _, address := range addresses {
		changed := w.want(since(address, tags[address]), 200, "GET "+address+" after a change, with the ETag of before")
		if changed.Header.Get("Etag") == tags[address] {
			w.t.Errorf("GET %s has the ETag of before the change", address)
		}
	}
}

// sendWith sends a request with a further header.
func (w *world) sendWith(method, address, body, name, value string) *apitest.Answer {
	req := httptest.NewRequestWithContext(w.t.Context(), method, address, strings.NewReader(body))
	req.SetBasicAuth(w.Email, w.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(name, value)
	return w.Send(req)
}

// preconditions: PUT and DELETE change only the version that the client has seen (§25).
func preconditions(w *world) {
	ids := w.stocked(1)
	address, change := w.at(ids[0]), w.change()
	seen := w.Get(address).Header.Get("Etag")
	methods := []string{"PUT"}
	if w.offers(shopapi.OpDelete) {
		methods = append(methods, "DELETE")
	}
	w.unchanged(ids, "requests whose precondition does not hold", func() {
		for _, method := range methods {
			w.want(w.sendWith(method, address, change, "If-Match", `"no such tag"`), 412, method+" with another If-Match (§25)")
			w.want(w.sendWith(method, address, change, "If-None-Match", seen), 412, method+" with its tag in If-None-Match (§25)")
			w.want(w.sendWith(method, address, change, "If-None-Match", "*"), 412, method+" with If-None-Match: * (§25)")
		}
	})
	put := w.want(w.sendWith("PUT", address, change, "If-Match", seen), 200, "PUT with If-Match (§25)")
	now := w.Get(address).Header.Get("Etag")
	if got := put.Header.Get("Etag"); got != now || now == seen {
		w.t.Errorf("PUT with If-Match answers the ETag %q, want that of the changed object, %q (§25)", got, now)
	}
	w.unchanged(ids, "requests that go by an older object", func() {
		for _, method := range methods {
			w.want(w.sendWith(method, address, change, "If-Match", seen), 412, method+" with If-Match of an older object (§25)")
		}
	})
	if !w.offers(shopapi.OpDelete) {
		return
	}
	w.want(w.sendWith("DELETE", address, "", "If-Match", now), 204, "DELETE with If-Match (§25)")
	w.want(w.sendWith("DELETE", address, "", "If-Match", "*"), 404, "DELETE with If-Match: * of what is gone")
}
