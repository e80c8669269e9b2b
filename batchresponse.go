package shopapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// keep adds the response of a member, and the fields of it that later members refer to.
func (b *batchRun) keep(i int, p *pipeline, resp *response) {
	m := &b.Members[i]
	r := BatchResponse{ID: m.ID, Status: resp.status, Header: http.Header{}}
	for _, f := range resp.fields {
		if !slices.Contains(sharedHeaders, f.Name) {
			r.Header[f.Name] = f.Values
		}
	}
	if len(resp.body) > 0 {
		r.Body = JSON(resp.body)
		if p.format != formatJSON {
			r.Body, _ = marshal(string(resp.body)) // a text always encodes
		}
	}
	b.sent += int64(len(r.Body))
	b.responses = append(b.responses, r)
	b.objects = append(b.objects, "")
	wanted := b.fields[m.ID]
	if resp.status >= 300 || p.format != formatJSON || len(wanted) == 0 && resp.status != http.StatusCreated {
		return
	}
	var answer map[string]json.RawMessage
	if json.Unmarshal(resp.body, &answer) != nil {
		return
	}
	for field := range wanted {
		if value := answer[field]; len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
			b.answers[reference{ID: m.ID, Field: field}] = value
		}
	}
	if t, err := b.api.registry.resolve(m.Address.Segments); err == nil && resp.status == http.StatusCreated && t.entry.IDField != "" {
		if id := answer[t.entry.IDField]; id != nil {
			b.objects[i] = `{"` + t.entry.IDField + `":` + string(id) + `}`
		}
	}
}

// sharedHeaders are the headers of responses that the batch has as a whole.
var sharedHeaders = []string{"Cache-Control", "X-Content-Type-Options", "Content-Length"}

func (b *batchRun) answer(ref reference) (json.RawMessage, bool) {
	value, ok := b.answers[ref]
	return value, ok
}

// body is the body of the response.
func (b *batchRun) body() Map {
	list := make([]Map, len(b.responses))
	for i, r := range b.responses {
		list[i] = r.encodable()
	}
	return Map{{"responses", list}}
}

func (r *BatchResponse) encodable() Map {
	var m Map
	if r.ID != "" {
		m = Map{{"id", r.ID}}
	}
	headers := Map{}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		written := name
		if name == "Etag" {
			written = "ETag"
		}
		headers = append(headers, Member{written, strings.Join(r.Header[name], ", ")})
	}
	m = append(m, Member{"status", r.Status}, Member{"headers", headers})
	if r.Body == nil {
		return append(m, Member{"body", nil})
	}
	return append(m, Member{"body", r.Body})
}

// maxKept is the largest response, in bytes, that is stored whole for requests with the same
// Idempotency-Key.
const maxKept = 64 << 10

// kept returns the stored form of the response. A large response is stored as the ids and
// statuses of its members and the ids of created objects.
func (b *batchRun) kept() Map {
	whole := b.body()
	if text, err := marshal(whole); err == nil && len(text) <= maxKept {
		return whole
	}
	list := make([]Map, len(b.responses))
	for i, r := range b.responses {
		r.Header, r.Body = nil, nil
		if b.objects[i] != "" {
			r.Body = JSON(b.objects[i])
		}
		list[i] = r.encodable()
	}
	return Map{{"responses", list}}
}
