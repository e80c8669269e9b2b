package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/refusals"
	"github.com/shopapi/shopapi/internal/response"
)

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

// banner is the response of three words: brand, version and edition. It is 404 if the
// host set none.
func (a *API) banner() (*response.Response, error) {
	b := a.opts.Banner
	if b == (Banner{}) {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	return format.Banner(b.Brand, b.Version, b.Edition), nil
}

// addVersion adds the address that answers the version to clients with credentials (E10):
// in the live dialect, where the host set a banner. An entity of its name takes its place.
func (a *API) addVersion() {
	if a.opts.Dialect != DialectLive || a.opts.Banner == (Banner{}) {
		return
	}
	body := Map{{Name: "Version", Value: a.opts.Banner.Version}}
	serve := func(context.Context, *EndpointRequest) (*Response, error) { return &Response{Body: body}, nil }
	_ = a.endpoints.Add("version", &Endpoint{Address: "version", Methods: map[string]Method{ // the first cannot fail
		http.MethodGet: {Serve: serve, Summary: "The version of the product that the shop runs."},
	}})
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

// failure turns an error into a response, in the format that Accept chose or else
// in JSON (§5). The log has the causes that the response leaves out.
func (p *pipeline) failure(err error) *response.Response {
	e := AsError(err)
	f := format.Failure{
		Status: e.Status, Message: e.Message, Fields: e.Fields, Members: e.Members,
		Realm: p.api.opts.Realm, Allow: e.allow, RetryAfter: e.retryAfter,
	}
	if p.user == nil && (e.Status == http.StatusUnauthorized || e.Status == http.StatusTooManyRequests) {
		refusal := refusals.Refusal{Address: p.api.ClientAddress(p.Req), Status: e.Status, Message: e.Message}
		p.api.refusals.Refused(p.api.opts.Logger, p.Req, refusal, p.api.opts.Clock())
	}
	if e.Status >= 500 {
		f.ID = rand.Text()
		p.log(f.ID, e)
		if e.Status == http.StatusInternalServerError {
			f.Message = "The request could not be served. Its id in the log is " + f.ID + "."
		}
	}
	r, format := f.Response(p.Req.Header)
	p.Format = format
	return r
}

func (p *pipeline) log(id string, e *Error) {
	level := slog.LevelError
	if e.Status == http.StatusServiceUnavailable {
		level = slog.LevelWarn
		if errors.Is(p.Req.Context().Err(), context.Canceled) {
			level = slog.LevelDebug // the client went away, nothing is wrong
		}
	}
	cause := e.Message
	if e.cause != nil {
		cause = e.cause.Error()
	}
	p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.Req.Context()), level, "a request failed",
		slog.String("request", id), slog.String("method", short(p.Req.Method)), slog.String("path", short(p.Req.URL.Path)),
		slog.Int("status", e.Status), slog.String("error", cause))
}
