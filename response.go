package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/accept"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/refusals"
	"github.com/shopapi/shopapi/store/driver"
)

// A response is ready to be sent. Once it is complete it does not change: it may be
// cached and sent again.
type response struct {
	status int
	fields []header
	body   []byte
	etag   string                // of responses to GET
	stream func(io.Writer) error // writes the body in place of body; nil for none
}

// A header is one header of a response.
type header = conditional.Field

func newHeader(name, value string) header { return header{Name: name, Values: []string{value}} }

// The fields that many responses have.
var (
	isPrivate    = newHeader("Cache-Control", "private, no-cache")
	isNotSniffed = newHeader("X-Content-Type-Options", "nosniff")
	isJSON       = newHeader("Content-Type", "application/json")
	isProblem    = newHeader("Content-Type", problemType)
	isForm       = newHeader("Content-Type", "text/plain; charset=utf-8")
	isHTML       = newHeader("Content-Type", "text/html; charset=utf-8")
)

// usualFields is how many fields the response to the GET of an object has.
const usualFields = 5

// newResponse returns a response with a body.
func newResponse(status int, contentType header, body []byte) *response {
	length := newHeader("Content-Length", strconv.Itoa(len(body)))
	fields := append(make([]header, 0, usualFields), isPrivate, isNotSniffed, contentType, length)
	return &response{status: status, body: body, fields: fields}
}

// noContent is the response to DELETE.
var noContent = &response{status: http.StatusNoContent, fields: []header{isPrivate, isNotSniffed}}

// add adds a header.
func (r *response) add(name, value string) {
	r.fields = append(r.fields, newHeader(name, value))
}

// tag gives a response to GET its ETag (RFC 9110 §8.8.3).
func (r *response) tag() {
	r.etag = conditional.Tag(r.fields, r.body)
	r.add("Etag", r.etag)
}

// unlessKnown returns the response 304 when the client has the response already (RFC
// 9110 §13.1.2), else the response itself.
func (r *response) unlessKnown(h http.Header) *response {
	if r.etag == "" || !conditional.NotModified(h["If-None-Match"], r.etag) {
		return r
	}
	return &response{status: http.StatusNotModified, fields: []header{isPrivate, isNotSniffed, newHeader("Etag", r.etag)}}
}

// A cachedResponse is a response in the response cache.
type cachedResponse struct {
	*response
	route Route
}

// size is the number of bytes that the response takes in the cache.
func (c *cachedResponse) size() int64 {
	const perResponse, perField, perText = 384, 40, 16 // names of headers are shared
	size := perResponse + cap(c.body) + perText*len(c.route.Parents)
	for _, f := range c.fields {
		size += perField
		for _, v := range f.Values {
			size += perText + len(v)
		}
	}
	return int64(size)
}

// track returns a context that records reads when the response of the target may be
// cached, else a nil read set.
func (a *API) track(ctx context.Context, t *target) (context.Context, *driver.ReadSet) {
	if !a.cache.Enabled() || t.op != OpGet && t.op != OpList || !t.entry.Cacheable {
		return ctx, nil
	}
	for _, step := range t.parents {
		if !step.entry.Cacheable {
			return ctx, nil
		}
	}
	reads := &driver.ReadSet{}
	return driver.WithReadSet(ctx, reads), reads
}

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
	if len(mediaTypes) == 0 || header == "" || p.uncodable || len(header) > maxAccept {
		f, err := p.acceptable()
		return f, "", err
	}
	f, ok := negotiate(p.req.Header)
	best, chosen := 0.0, ""
	if ok {
		best = max(accept.Quality(header, "application", "json"), accept.Quality(header, "text", "plain"))
	}
	for _, mediaType := range mediaTypes {
		family, name, _ := strings.Cut(mediaType, "/")
		q := accept.Quality(header, family, name)
		named := strings.Contains(strings.ToLower(header), mediaType)
		if q > best || named && q == best && q > 0 && chosen == "" {
			best, chosen = q, mediaType
		}
	}
	if chosen == "" && !ok {
		available := append([]string{"application/json", "text/plain"}, mediaTypes...)
		return f, "", Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: %s.", strings.Join(available, ", "))
	}
	return f, chosen, nil
}

// respond returns a response of any size: the response to a committed change must not
// fail.
func (f format) respond(status int, v any) (*response, error) {
	body, err := f.encode(v, jsonenc.Unlimited)
	return newResponse(status, f.contentType(), body), err
}

// respondRead returns the response to a GET, within the limits of a response's size and
// of the request's time.
func (a *API) respondRead(ctx context.Context, f format, isList bool, v any) (*response, error) {
	most := a.opts.Limits.Response
	body, err := f.encode(v, func() *jsonenc.Limit { return jsonenc.Within(ctx, most) })
	if errors.Is(err, jsonenc.ErrTooLarge) {
		return nil, f.tooLarge(isList, most)
	}
	return newResponse(http.StatusOK, f.contentType(), body), err
}

// compressed returns a response to GET or HEAD in the coding that was chosen (E10).
func (r *response) compressed(c compress.Choice) *response {
	if c.Coding == compress.Identity || r.status != http.StatusOK || r.stream != nil || len(r.body) <= compress.MinSize && !c.Required {
		return r
	}
	body := c.Coding.Compress(r.body)
	if len(body) >= len(r.body) && !c.Required {
		return r
	}
	coded := &response{status: r.status, body: body}
	coded.fields = append(make([]header, 0, len(r.fields)+1), newHeader("Content-Encoding", string(c.Coding)))
	for _, f := range r.fields {
		switch f.Name {
		case "Content-Length":
			f = newHeader(f.Name, strconv.Itoa(len(body)))
		case "Etag":
			coded.etag = conditional.WithCoding(r.etag, string(c.Coding))
			f = newHeader(f.Name, coded.etag)
		}
		coded.fields = append(coded.fields, f)
	}
	return coded
}

// variant distinguishes responses in the cache by how they are coded.
func variant(c compress.Choice) string {
	if c.Required { // short responses are compressed too
		return string(c.Coding) + "!"
	}
	return string(c.Coding)
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
func (p *pipeline) failure(err error) *response {
	p.format, _ = negotiate(p.req.Header)
	e := asError(err)
	var extra []header
	set := func(name, value string) { extra = append(extra, newHeader(name, value)) }
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
	body := Map{{"message", message}, {"status", e.Status}}
	if len(e.Fields) > 0 {
		body = append(body, Member{"errors", e.Fields})
	}
	body = append(body, e.Members...)
	contentType := p.format.contentType()
	if acceptsProblem(p.req.Header) {
		p.format, contentType = formatJSON, isProblem
		body = append(Map{{"type", "about:blank"}, {"title", http.StatusText(e.Status)}, {"detail", message}}, body...)
	}
	encoded, err := p.format.encode(body, jsonenc.Unlimited)
	if err != nil { // texts and a number always encode
		panic(err)
	}
	r := newResponse(e.Status, contentType, encoded)
	r.fields = append(r.fields, extra...)
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
