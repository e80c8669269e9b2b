package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/refusals"
	"github.com/shopapi/shopapi/internal/response"
)

// A format is an output format of responses (§4).
type format uint8

const (
	formatJSON format = iota
	formatForm
)

// contentType is the Content-Type of a response.
func (f format) contentType() response.Field {
	if f == formatForm {
		return isForm
	}
	return isJSON
}

// encode writes a value in the format, within each limit that limit creates. It is the
// one place where responses become bytes.
func (f format) encode(v any, limit func() *jsonenc.Limit) ([]byte, error) {
	body, err := jsonenc.Marshal(v, limit())
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

// negotiate chooses the format by the Accept headers (§4, RFC 9110 §12.5.1):
// JSON when there is none. ok is false when neither format is acceptable.
func negotiate(h http.Header) (f format, ok bool) {
	text, ok := accept.PrefersText(h)
	if text {
		return formatForm, ok
	}
	return formatJSON, ok
}

// replyBody is the body of the response to POST and PUT. An action may have no id. The documented dialect
// writes every id as a string; the live one writes as numbers the ids of new
// objects, and product_id always (§4).
func (a *API) replyBody(t *target, reply Reply) Map {
	if t.op == OpAction && reply.ID == "" {
		return append(Map{}, reply.More...)
	}
	var id any = reply.ID
	if a.Dialect() == DialectLive && (t.op == OpCreate && !t.Entry.StringIDs || t.Entry.IDField == "product_id") {
		if n, err := strconv.ParseInt(reply.ID, 10, 64); err == nil {
			id = n
		}
	}
	return append(Map{{Name: t.Entry.IDField, Value: id}}, reply.More...)
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
func (a *API) banner() (*response.Response, error) {
	b := a.opts.Banner
	if b == (Banner{}) {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	body := fmt.Appendf(nil, "%s <b>%s</b> %s", html.EscapeString(b.Brand), html.EscapeString(b.Version), html.EscapeString(b.Edition))
	return response.New(http.StatusOK, isHTML, body), nil
}

// addVersion adds the address that answers the version to clients with credentials (E10):
// in the live dialect, where the host set a banner. An entity of its name takes its place.
func (a *API) addVersion() {
	if a.opts.Dialect != DialectLive || a.opts.Banner == (Banner{}) {
		return
	}
	body := Map{{Name: "Version", Value: a.opts.Banner.Version}}
	serve := func(context.Context, *EndpointRequest) (*Response, error) { return &Response{Body: body}, nil }
	a.endpoints.list = append(a.endpoints.list, &endpoint{
		Endpoint: Endpoint{Address: "version", Methods: map[string]Method{
			http.MethodGet: {Serve: serve, Summary: "The version of the product that the shop runs."},
		}},
		pattern: apipath.Pattern{"version"},
	})
}

// Values of fields on the wire.
type (
	// A Flag is a yes or no that the interface writes as "Y" or "N".
	Flag = field.Flag
	// JSON is a value that is stored and returned as the JSON it was given.
	JSON = field.JSON
	// A Map is an object whose members keep their order.
	Map = field.Map
	// A Member of a [Map].
	Member = field.Member
	// An IDList is a list of ids that the interface writes as a text with commas.
	IDList = field.IDList
)

// The types of bodies.
var (
	isJSON    = response.NewField("Content-Type", "application/json")
	isProblem = response.NewField("Content-Type", accept.ProblemType)
	isForm    = response.NewField("Content-Type", "text/plain; charset=utf-8")
	isHTML    = response.NewField("Content-Type", "text/html; charset=utf-8")
)

// acceptable is the check 406.
func (p *pipeline) acceptable() (format, error) {
	f, ok := negotiate(p.req.Header)
	if p.uncodable {
		return f, Errorf(http.StatusNotAcceptable, "The codings in Accept-Encoding cannot be produced. Available: gzip, zstd, identity.")
	}
	if !ok {
		return f, Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: application/json, text/plain.")
	}
	return f, nil
}

// acceptableOr is the check 406 where media types can be produced beside the formats of
// the API. It returns the media type that the client prefers, "" for a format.
func (p *pipeline) acceptableOr(mediaTypes []string) (format, string, error) {
	header := strings.Join(p.req.Header["Accept"], ",")
	if len(mediaTypes) == 0 || header == "" || p.uncodable || len(header) > accept.Max {
		f, err := p.acceptable()
		return f, "", err
	}
	f, ok := negotiate(p.req.Header)
	chosen := accept.Prefer(header, ok, mediaTypes)
	if chosen == "" && !ok {
		available := append([]string{"application/json", "text/plain"}, mediaTypes...)
		return f, "", Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: %s.", strings.Join(available, ", "))
	}
	return f, chosen, nil
}

// respond returns a response of any size: the response to a committed change must not
// fail.
func (f format) respond(status int, v any) (*response.Response, error) {
	body, err := f.encode(v, jsonenc.Unlimited)
	return response.New(status, f.contentType(), body), err
}

// respondRead returns the response to a GET, within the limits of a response's size and
// of the request's time.
func (a *API) respondRead(ctx context.Context, f format, isList bool, v any) (*response.Response, error) {
	most := a.opts.Limits.Response
	body, err := f.encode(v, func() *jsonenc.Limit { return jsonenc.Within(ctx, most) })
	if errors.Is(err, jsonenc.ErrTooLarge) {
		return nil, f.tooLarge(isList, most)
	}
	return response.New(http.StatusOK, f.contentType(), body), err
}

// chooseCoding chooses the coding of the response to GET or HEAD by Accept-Encoding.
func (p *pipeline) chooseCoding() {
	if p.api.opts.Compress && (p.req.Method == http.MethodGet || p.req.Method == http.MethodHead) {
		var ok bool
		p.coding, ok = compress.Choose(p.req.Header["Accept-Encoding"])
		p.uncodable = !ok
	}
}

// failure turns an error into a response, in the format that Accept chose or else
// in JSON (§5). The log has the causes that the response leaves out.
func (p *pipeline) failure(err error) *response.Response {
	p.format, _ = negotiate(p.req.Header)
	e := AsError(err)
	var extra []response.Field
	set := func(name, value string) { extra = append(extra, response.NewField(name, value)) }
	message := e.Message
	switch e.Status {
	case http.StatusUnauthorized:
		if dest := p.req.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
			break // a browser would open a password dialog for a script or an image (E12)
		}
		set("Www-Authenticate", `Basic realm=`+strconv.Quote(p.api.opts.Realm)+`, charset="UTF-8"`)
	case http.StatusMethodNotAllowed:
		set("Allow", strings.Join(e.allow, ", "))
	}
	if e.retryAfter > 0 {
		seconds := (e.retryAfter + time.Second - 1) / time.Second
		set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if p.user == nil && (e.Status == http.StatusUnauthorized || e.Status == http.StatusTooManyRequests) {
		refusal := refusals.Refusal{Address: p.api.ClientAddress(p.req), Status: e.Status, Message: e.Message}
		p.api.refusals.Refused(p.api.opts.Logger, p.req, refusal, p.api.opts.Clock())
	}
	if e.Status >= 500 {
		id := rand.Text()
		set("X-Request-Id", id)
		p.log(id, e)
		if e.Status == http.StatusInternalServerError {
			message = "The request could not be served. Its id in the log is " + id + "."
		}
	}
	body := Map{{Name: "message", Value: message}, {Name: "status", Value: e.Status}}
	if len(e.Fields) > 0 {
		body = append(body, Member{Name: "errors", Value: e.Fields})
	}
	body = append(body, e.Members...)
	contentType := p.format.contentType()
	if accept.Problem(p.req.Header) {
		p.format, contentType = formatJSON, isProblem
		body = append(Map{{Name: "type", Value: "about:blank"}, {Name: "title", Value: http.StatusText(e.Status)}, {Name: "detail", Value: message}}, body...)
	}
	encoded, err := p.format.encode(body, jsonenc.Unlimited)
	if err != nil { // texts and a number always encode
		panic(err)
	}
	r := response.New(e.Status, contentType, encoded)
	r.Fields = append(r.Fields, extra...)
	return r
}

func (p *pipeline) log(id string, e *Error) {
	level := slog.LevelError
	if e.Status == http.StatusServiceUnavailable {
		level = slog.LevelWarn
		if errors.Is(p.req.Context().Err(), context.Canceled) {
			level = slog.LevelDebug // the client went away, nothing is wrong
		}
	}
	cause := e.Message
	if e.cause != nil {
		cause = e.cause.Error()
	}
	p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.req.Context()), level, "a request failed",
		slog.String("request", id), slog.String("method", short(p.req.Method)), slog.String("path", short(p.req.URL.Path)),
		slog.Int("status", e.Status), slog.String("error", cause))
}
