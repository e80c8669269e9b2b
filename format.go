package shopapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/wire"
)

// A format is an output format of responses (§4).
type format uint8

const (
	formatJSON format = iota
	formatForm
)

// contentType is the Content-Type of a response.
func (f format) contentType() header {
	if f == formatForm {
		return isForm
	}
	return isJSON
}

// encode writes a value in the format, within each limit that limit creates. It is the
// one place where responses become bytes.
func (f format) encode(v any, limit func() *jsonenc.Limit) ([]byte, error) {
	body, err := marshalWithin(v, limit())
	if err != nil || f == formatJSON {
		return body, err
	}
	return form.FromJSON(body, limit())
}

// tooLarge is the error for a list or object above the limit of a response. No
// format is smaller than JSON for an object: the error names the limit.
func (f format) tooLarge(isList bool, most int64) error {
	switch {
	case isList && f == formatForm:
		return Errorf(http.StatusBadRequest, "The response would be larger than the %d bytes that are allowed. Ask for fewer items at once with items_per_page and page, or for application/json.", most)
	case isList:
		return Errorf(http.StatusBadRequest, "The response would be larger than the %d bytes that are allowed. Ask for fewer items at once with items_per_page and page.", most)
	case f == formatForm:
		return Errorf(http.StatusNotAcceptable, "As text/plain the object would be larger than the %d bytes that are allowed. Ask for application/json.", most)
	}
	return Errorf(http.StatusBadRequest, "The object is larger than the %d bytes that a response may have.", most)
}

// maxAccept is how long an Accept header may be, in bytes, to be acceptable.
const maxAccept = 8 << 10

// acceptOf returns the Accept headers of a request as one. ok is false when they are too
// long.
func acceptOf(h http.Header) (header string, ok bool) {
	for i, value := range h["Accept"] {
		if len(header)+len(value) > maxAccept {
			return "", false
		}
		if i > 0 {
			header += ","
		}
		header += value
	}
	return header, true
}

// problemType is the media type of errors as problem details (E10, RFC 9457).
const problemType = "application/problem+json"

// cutProblem returns an Accept header without the type of problem details, and whether the
// client accepts it for errors.
func cutProblem(header string) (rest string, accepted bool) {
	if len(header) < len(problemType) || !strings.Contains(strings.ToLower(header), problemType) {
		return header, false
	}
	return accept.Cut(header, problemType)
}

// acceptsProblem reports whether a client accepts errors as problem details.
func acceptsProblem(h http.Header) bool {
	header, ok := acceptOf(h)
	if ok {
		_, ok = cutProblem(header)
	}
	return ok
}

// negotiate chooses the format by the Accept headers (§4, RFC 9110 §12.5.1):
// JSON when there is none. ok is false when neither format is acceptable.
func negotiate(h http.Header) (f format, ok bool) {
	header, ok := acceptOf(h)
	if !ok {
		return formatJSON, false
	}
	if rest, accepted := cutProblem(header); accepted {
		header = rest
	}
	if strings.TrimSpace(header) == "" || header == "application/json" {
		return formatJSON, true
	}
	json := accept.Quality(header, "application", "json")
	text := accept.Quality(header, "text", "plain")
	switch {
	case json <= 0 && text <= 0:
		return formatJSON, false
	case text > json:
		return formatForm, true
	}
	return formatJSON, true
}

// replyBody is the body of the response to POST and PUT. An action may have no id. The documented dialect
// writes every id as a string; the live one writes as numbers the ids of new
// objects, and product_id always (§4).
func (a *API) replyBody(t *target, reply Reply) Map {
	if t.op == OpAction && reply.ID == "" {
		return append(Map{}, reply.More...)
	}
	var id any = reply.ID
	if a.Dialect() == DialectLive && (t.op == OpCreate && !t.entry.StringIDs || t.entry.IDField == "product_id") {
		if n, err := strconv.ParseInt(reply.ID, 10, 64); err == nil {
			id = n
		}
	}
	return append(Map{{t.entry.IDField, id}}, reply.More...)
}

// asksBanner reports whether the live dialect answers the request without
// credentials: GET on the entry point with the parameter version (§4).
func (a *API) asksBanner(req *http.Request) bool {
	if a.opts.Dialect != DialectLive || req.Method != http.MethodGet && req.Method != http.MethodHead || len(req.URL.RawQuery) > apipath.MaxPath {
		return false
	}
	query := req.URL.Query()
	if !query.Has("version") {
		return false
	}
	segments, ok := apipath.Segments(req.URL, query)
	if !ok {
		return false
	}
	segments, ok = apipath.CutVersion(segments)
	return ok && len(segments) == 0
}

// banner is the response of three words: brand, version and edition. It is 404 if the
// host set none.
func (a *API) banner() (*response, error) {
	b := a.opts.Banner
	if b == (Banner{}) {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	body := fmt.Appendf(nil, "%s <b>%s</b> %s", html.EscapeString(b.Brand), html.EscapeString(b.Version), html.EscapeString(b.Edition))
	return newResponse(http.StatusOK, isHTML, body), nil
}

// addVersion adds the address that answers the version to clients with credentials (E10):
// in the live dialect, where the host set a banner. An entity of its name takes its place.
func (a *API) addVersion() {
	if a.opts.Dialect != DialectLive || a.opts.Banner == (Banner{}) {
		return
	}
	body := Map{{"Version", a.opts.Banner.Version}}
	serve := func(context.Context, *EndpointRequest) (*Response, error) { return &Response{Body: body}, nil }
	a.endpoints.list = append(a.endpoints.list, &endpoint{
		Endpoint: Endpoint{Address: "version", Methods: map[string]Method{
			http.MethodGet: {Serve: serve, Summary: "The version of the product that the shop runs."},
		}},
		segments: []string{"version"},
	})
}

// A Flag is a yes or no that the interface writes as "Y" or "N".
type Flag bool

// String returns Y or N.
func (f Flag) String() string {
	if f {
		return "Y"
	}
	return "N"
}

// MarshalText returns Y or N.
func (f Flag) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// AppendJSON writes "Y" or "N".
func (f Flag) AppendJSON(dst []byte) ([]byte, error) {
	if f {
		return append(dst, `"Y"`...), nil
	}
	return append(dst, `"N"`...), nil
}

// UnmarshalText reads Y or N, true or false, 1 or 0, in either case (§4).
func (f *Flag) UnmarshalText(text []byte) error {
	flag, err := bind.ParseFlag(string(text))
	if err == nil {
		*f = Flag(flag)
	}
	return err
}

// JSON is a value that is stored and returned as the JSON it was given. None at
// all is the empty array.
type JSON []byte

// MarshalJSON returns the value itself.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("[]"), nil
	}
	return j, nil
}

// AppendJSON writes the value itself.
func (j JSON) AppendJSON(dst []byte) ([]byte, error) {
	if len(j) == 0 {
		return append(dst, "[]"...), nil
	}
	return append(dst, j...), nil
}

// UnmarshalJSON keeps the value without white space. Null and the empty text are
// the empty array.
func (j *JSON) UnmarshalJSON(data []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	if *j = b.Bytes(); string(*j) == "null" || string(*j) == `""` {
		*j = JSON("[]")
	}
	return nil
}

// A Map is an object whose members keep their order.
type Map []Member

// A Member of a [Map].
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (m Map) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// AppendJSON writes the members in their order.
func (m Map) AppendJSON(dst []byte) ([]byte, error) {
	return m.appendWithin(dst, jsonenc.Unlimited())
}

func (m Map) appendWithin(dst []byte, l *jsonenc.Limit) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, member := range m {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonenc.AppendString(dst, member.Name), ':')
		if dst, err = appendJSON(dst, member.Value, l); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendJSON writes a value, and ends within the members of a [Map] too.
func appendJSON(dst []byte, v any, l *jsonenc.Limit) ([]byte, error) {
	if m, ok := v.(Map); ok {
		return m.appendWithin(dst, l)
	}
	return jsonenc.AppendWithin(dst, v, l)
}

// marshal is json.Marshal without escaping <, > and &, because responses are not HTML.
func marshal(v any) ([]byte, error) { return marshalWithin(v, jsonenc.Unlimited()) }

// marshalWithin is marshal that the limit may end.
func marshalWithin(v any, l *jsonenc.Limit) ([]byte, error) {
	buffer := buffers.Get().(*[]byte)
	body, err := appendJSON((*buffer)[:0], v, l)
	if err == nil {
		body, err = l.Check(body)
	}
	if cap(body) <= 1<<20 { // a giant is left to the garbage collector
		*buffer = body
		defer buffers.Put(buffer)
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(body), nil
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// An IDList is a list of ids that the interface writes as a text with commas,
// such as "0" or "1,2". It also reads arrays of ids.
type IDList string

// UnmarshalText reads a text with commas.
func (l *IDList) UnmarshalText(text []byte) error {
	if isIDList(text) {
		*l = IDList(text)
		return nil
	}
	return l.UnmarshalJSON(jsonenc.AppendString(nil, string(text)))
}

// isIDList reports whether a text is an [IDList] as it is written. It is false for ids that
// may be too large.
func isIDList(text []byte) bool {
	const most = 18 // digits that an int64 always holds
	digits, zero := 0, false
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			if digits++; digits > most || zero {
				return false
			}
			zero = digits == 1 && c == '0'
		case c == ',' && digits > 0 && i+1 < len(text):
			digits, zero = 0, false
		default:
			return false
		}
	}
	return true
}

// UnmarshalJSON reads an array of ids, a text with commas, or one number.
func (l *IDList) UnmarshalJSON(data []byte) error {
	if len(data) == 0 {
		return errNoIDList
	}
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		items = []json.RawMessage{data}
	}
	var ids []string
	for _, item := range items {
		text, _, ok := jsontext.Scalar(item)
		if !ok {
			return errNoIDList
		}
		for id := range strings.SplitSeq(text, ",") {
			if id = strings.TrimSpace(id); id == "" {
				continue
			}
			n, ok := wire.ParseWhole(strings.TrimPrefix(id, "+"))
			if !ok || n < 0 {
				return errNoIDList
			}
			ids = append(ids, FormatID(n))
		}
	}
	*l = IDList(strings.Join(ids, ","))
	return nil
}

var errNoIDList = errors.New("must be whole numbers from 0 joined by commas, or an array of them")

// IDs returns the ids.
func (l IDList) IDs() []int64 {
	var ids []int64
	for text := range strings.SplitSeq(string(l), ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Without returns the list without some ids.
func (l IDList) Without(ids ...int64) IDList {
	var rest []string
	for _, id := range l.IDs() {
		if !slices.Contains(ids, id) {
			rest = append(rest, FormatID(id))
		}
	}
	return IDList(strings.Join(rest, ","))
}
