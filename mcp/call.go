package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// root is the address of the API's entities.
const root = "/api/2.0"

// requestKey is the key under which a context has the request that brought a call.
type requestKey struct{}

// notForwarded are the headers of a request that say something about its own body, its
// own answer or the page that sent it, which was looked at already.
var notForwarded = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
	"Expect", idempotencyKey, "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since",
	"Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id", "Origin", "Range",
	"Sec-Fetch-Mode", "Sec-Fetch-Site", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// request returns a request to the API on behalf of the one in ctx: from the same client,
// with the same credentials. Without one it has none.
func request(ctx context.Context, method, target string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, root+target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if from, ok := ctx.Value(requestKey{}).(*http.Request); ok {
		req.Header = from.Header.Clone()
		for _, name := range notForwarded {
			req.Header.Del(name)
		}
		req.Host, req.RemoteAddr, req.TLS = from.Host, from.RemoteAddr, from.TLS
	}
	req.RequestURI = req.URL.RequestURI()
	req.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body = http.NoBody
	}
	return req, nil
}

// refusal returns the answer of the API to credentials that it refuses, or nil.
func (h *Handler) refusal(r *http.Request) *response {
	probe, err := request(context.WithValue(r.Context(), requestKey{}, r), http.MethodGet, "/version", nil)
	if err != nil {
		return &response{status: http.StatusInternalServerError, header: http.Header{}}
	}
	if answer := h.ask(probe); answer.refuses() {
		return answer
	}
	return nil
}

// ask has the API answer a request. A panic of the API is an answer 500.
func (h *Handler) ask(req *http.Request) (answer *response) {
	answer = &response{header: http.Header{}}
	defer func() {
		if recover() != nil {
			*answer = response{status: http.StatusInternalServerError, header: http.Header{}}
		}
	}()
	h.api.ServeHTTP(answer, req)
	answer.WriteHeader(http.StatusOK)
	return answer
}

// Check asks the API whether it accepts the credentials that it adds to requests, see
// [Handler.Run].
func (h *Handler) Check(ctx context.Context) error {
	probe, err := request(ctx, http.MethodGet, "/version", nil)
	if err != nil {
		return err
	}
	if answer := h.ask(probe); answer.refuses() {
		return fmt.Errorf("mcp: the API answers %d: %s", answer.status, answer.body)
	}
	return nil
}

// call carries out a call of a tool. A failure is an answer for the model.
func (h *Handler) call(ctx context.Context, t *tool, arguments json.RawMessage) *mcp.CallToolResult {
	req, err := t.request(ctx, arguments)
	if err != nil {
		return failure(err.Error())
	}
	answer := h.ask(req)
	if answer.tooLarge {
		return failure(fmt.Sprintf("The answer is larger than the %d bytes that a tool may give. Ask for less: name the fields that you need in fields, "+
			"use filters, or a smaller items_per_page.", maxAnswer))
	}
	body := withoutHidden(answer.body)
	switch {
	case answer.status >= 400 && len(body) == 0:
		return failure(http.StatusText(answer.status))
	case answer.status >= 400:
		return failure(string(body))
	case len(body) == 0:
		body = []byte("{}")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}
}

// failure is the result of a call that failed.
func failure(message string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: message}}}
}

// request returns the request of a call. The error says which argument is wrong.
func (t *tool) request(ctx context.Context, data json.RawMessage) (*http.Request, error) {
	given := map[string]json.RawMessage{}
	if len(data) > 0 && json.Unmarshal(data, &given) != nil {
		return nil, fmt.Errorf("the arguments of %s have to be an object", t.name)
	}
	path, query, header, members := map[string]string{}, url.Values{}, http.Header{}, map[string]json.RawMessage{}
	body := []byte(nil)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		arg, ok := t.arguments[name]
		if !ok {
			return nil, fmt.Errorf("%s has no argument %.64q; it has %s", t.name, name, strings.Join(slices.Sorted(maps.Keys(t.arguments)), ", "))
		}
		if arg.in == "member" {
			members[name] = value
			continue
		}
		if arg.in == "body" {
			body = value
			continue
		}
		text, err := textOf(value, arg.schema["type"] == "array")
		switch {
		case err != nil:
			return nil, fmt.Errorf("the argument %s of %s %w", name, t.name, err)
		case string(value) == "null":
		case arg.in == "path":
			path[name] = text
		case arg.in == "query":
			query.Set(name, text)
		case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }):
			return nil, fmt.Errorf("the argument %s of %s has to be a text of printable ASCII characters", name, t.name)
		default:
			header.Set(name, text)
		}
	}
	target, err := t.target(path)
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if t.method != http.MethodGet && t.method != http.MethodDelete && body == nil {
		if body, err = json.Marshal(members); err != nil {
			return nil, err
		}
	}
	req, err := request(ctx, t.method, target, body)
	if err == nil {
		maps.Copy(req.Header, header)
	}
	return req, err
}

// target is the path with the ids in it.
func (t *tool) target(path map[string]string) (string, error) {
	target := ""
	for _, segment := range t.address.segments {
		if name, ok := isParameter(segment); ok {
			id := path[name]
			if id == "" || id == "." || id == ".." {
				return "", fmt.Errorf("the argument %s of %s has to be an id", name, t.name)
			}
			segment = url.PathEscape(id)
		}
		target += "/" + segment
	}
	return target, nil
}

// textOf is the text of an argument in an address or a header.
func textOf(value json.RawMessage, isList bool) (string, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return fmt.Sprint(v), nil
	case []any:
		if !isList {
			break
		}
		texts := make([]string, len(v))
		for i, element := range v {
			switch element.(type) {
			case string, json.Number:
				texts[i] = fmt.Sprint(element)
			default:
				return "", errElements
			}
		}
		return strings.Join(texts, ","), nil
	}
	if isList {
		return "", errElements
	}
	return "", errScalar
}

var (
	errScalar   = errors.New("has to be a text or a number")
	errElements = errors.New("has to be a list of texts or numbers")
)

// withoutHidden returns an answer without the fields that no tool gives.
func withoutHidden(body []byte) []byte {
	named := func(name string) bool { return bytes.Contains(body, []byte(`"`+name+`"`)) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(hidden)), named) {
		return body
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	hide(v)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// hide deletes the fields that no tool gives.
func hide(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if hidden[name] {
				delete(v, name)
			} else {
				hide(member)
			}
		}
	case []any:
		for _, element := range v {
			hide(element)
		}
	}
}
