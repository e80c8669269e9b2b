package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/response"
)

// A Result is the response to a member.
type Result struct {
	ID     string
	Status int
	Header http.Header
	Body   []byte // JSON; nil for none

	created string // a JSON object with the id of the created object, "" for none
}

// Results are the responses to members so far, and the values that later members refer to.
// Make them with [Batch.Results].
type Results struct {
	List []Result
	Sent int64 // bytes of bodies

	wanted  map[string]map[string]bool // fields that references name, by member
	answers map[Reference]json.RawMessage
}

// Results returns the results of a batch of which no member was carried out.
func (b *Batch) Results() *Results {
	return &Results{
		List:   make([]Result, 0, len(b.Members)),
		wanted: b.Fields(), answers: map[Reference]json.RawMessage{},
	}
}

// shared are the headers of responses that the batch has as a whole.
var shared = []string{"Cache-Control", "X-Content-Type-Options", "Content-Length"}

// Add adds the response to the next member, and the fields of it that later members refer
// to. isJSON says that the body is not a text of another format. idField names the id of a
// created object, "" where there is none.
func (r *Results) Add(id string, resp *response.Response, isJSON bool, idField string) {
	n := Result{ID: id, Status: resp.Status, Header: http.Header{}}
	for _, f := range resp.Fields {
		if !slices.Contains(shared, f.Name) {
			n.Header[f.Name] = f.Values
		}
	}
	if len(resp.Body) > 0 {
		if n.Body = resp.Body; !isJSON {
			n.Body = jsonenc.AppendString(nil, string(resp.Body))
		}
	}
	r.Sent += int64(len(n.Body))
	if isJSON && resp.Status < 300 {
		n.created = r.take(id, resp, idField)
	}
	r.List = append(r.List, n)
}

// take takes the fields that references name from a response, and returns the object with
// the id of a created object.
func (r *Results) take(id string, resp *response.Response, idField string) (created string) {
	wanted := r.wanted[id]
	if len(wanted) == 0 && resp.Status != http.StatusCreated {
		return ""
	}
	var answer map[string]json.RawMessage
	if json.Unmarshal(resp.Body, &answer) != nil {
		return ""
	}
	for field := range wanted {
		if value := answer[field]; len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
			r.answers[Reference{ID: id, Field: field}] = value
		}
	}
	if value := answer[idField]; resp.Status == http.StatusCreated && idField != "" && value != nil {
		return `{"` + idField + `":` + string(value) + `}`
	}
	return ""
}

// Value returns the value that a reference names.
func (r *Results) Value(ref Reference) (json.RawMessage, bool) {
	value, ok := r.answers[ref]
	return value, ok
}

// maxKept is the largest body, in bytes, that is stored whole for requests with the same
// Idempotency-Key.
const maxKept = 64 << 10

// JSON returns the array of the responses.
func (r *Results) JSON() []byte { return appendAll(r.List) }

// Kept returns what is stored of the whole array. If it is large, that is the ids and
// statuses of the members and the ids of created objects.
func (r *Results) Kept(whole []byte) []byte {
	const envelope = len(`{"responses":}`)
	if len(whole)+envelope <= maxKept {
		return whole
	}
	list := slices.Clone(r.List)
	for i := range list {
		n := &list[i]
		if n.Header, n.Body = nil, nil; n.created != "" {
			n.Body = []byte(n.created)
		}
	}
	return appendAll(list)
}

func appendAll(list []Result) []byte {
	dst := []byte("[")
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = list[i].append(dst)
	}
	return append(dst, ']')
}

func (r *Result) append(dst []byte) []byte {
	dst = append(dst, '{')
	if r.ID != "" {
		dst = append(jsonenc.AppendString(append(dst, `"id":`...), r.ID), ',')
	}
	dst = append(strconv.AppendInt(append(dst, `"status":`...), int64(r.Status), 10), `,"headers":{`...)
	for i, name := range slices.Sorted(maps.Keys(r.Header)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		written := name
		if name == "Etag" {
			written = "ETag"
		}
		dst = append(jsonenc.AppendString(dst, written), ':')
		dst = jsonenc.AppendString(dst, strings.Join(r.Header[name], ", "))
	}
	dst = append(dst, `},"body":`...)
	if r.Body == nil {
		return append(dst, "null}"...)
	}
	return append(append(dst, r.Body...), '}')
}

// Request returns the request that a member makes.
func (m *Member) Request(ctx context.Context) *http.Request {
	address := url.URL{
		Path:    "/api/2.0/" + strings.Join(m.Address.Segments, "/"),
		RawPath: "/api/2.0/" + m.Address.Path(), RawQuery: m.Address.Query.Encode(),
	}
	return (&http.Request{
		Method: m.Method, Header: m.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, URL: &address,
		Body: io.NopCloser(bytes.NewReader(m.Body)), ContentLength: int64(len(m.Body)),
	}).WithContext(ctx)
}

// Discard is the ResponseWriter of members: the batch sends their responses.
type Discard struct{}

// Header returns a header that is not sent.
func (Discard) Header() http.Header { return http.Header{} }

// Write drops a body.
func (Discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader drops a status.
func (Discard) WriteHeader(int) {}
