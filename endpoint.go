package shopapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/apipath"
)

// An Endpoint is an address of the API that is not an entity's: it answers in a form of
// its own, such as a report, a stream or an upload. An endpoint passes the checks of the
// request pipeline in their order (§2).
type Endpoint struct {
	// Address is the address below the entry point, such as "jobs/{id}/errors". A
	// segment in braces matches any one segment.
	Address string

	// OfEntity means that the first segment is the name of an entity below whose objects
	// the endpoint lies, such as "users/{id}/keys". Otherwise the first segment is
	// reserved, and no entity can have that name.
	OfEntity bool

	// Methods are the methods of the address by their HTTP names: GET, which includes
	// HEAD, POST, PUT and DELETE. All others are refused with 405.
	Methods map[string]Method
}

// A Method is what an [Endpoint] does for one HTTP method.
type Method struct {
	// Serve answers the request. It returns after the change is committed. An [*Error] is
	// the response; another error gets a 500 and only logged.
	Serve func(ctx context.Context, r *EndpointRequest) (*Response, error)

	// Privileges are the names of the privileges that the user needs, all of them; none
	// where every user may call the method.
	Privileges []string

	// MediaTypes are media types that the method can produce beside the API's own
	// formats, such as "text/event-stream". The client chooses by Accept.
	MediaTypes []string

	// MaxBody is the greatest length of the body of a POST or PUT in bytes. 0 means
	// [Limits.Body].
	MaxBody int64

	// RawBody leaves the body of a POST or PUT, of any Content-Type, to Serve. Otherwise the
	// body is an object (§4), which may be empty.
	RawBody bool

	// Unlimited frees the method from [Limits.Time]: its context ends when the client
	// goes away, or with [API.EndStreams].
	Unlimited bool

	// Cacheable is [Description.Cacheable] for GET. Such responses have an ETag.
	Cacheable bool

	// Summary is a sentence for the OpenAPI document. Parameters describe the query,
	// by name. Payload and Answer are the types of the body and of the response, nil where
	// there is none or it is not known.
	Summary         string
	Parameters      map[string]string
	Payload, Answer reflect.Type

	// Success is the status of a success in the OpenAPI document, such as 201 or 204. 0
	// means 200.
	Success int

	isBatch bool // Serve is nil, since the pipeline itself answers
}

// An EndpointRequest is a request for an [Endpoint].
type EndpointRequest struct {
	// Request has the user, the query as Filter, and the body as Payload.
	*Request

	Method string // in capitals; HEAD is GET

	// Segments are the segments of the address that the braces of [Endpoint.Address]
	// matched, in their order.
	Segments []string

	// MediaType is the one of [Method.MediaTypes] that the client prefers, "" for one of
	// the API's own formats.
	MediaType string

	Header http.Header
	Body   io.Reader // with [Method.RawBody], limited to [Method.MaxBody]

	http *http.Request
}

// A Response is the response of an [Endpoint].
type Response struct {
	Status int         // 0 means 200
	Header http.Header // in addition to the usual headers, or in their place
	Body   any         // is encoded in the format that the client prefers; nil for none

	// Stream writes the body, instead of Body; Header has its Content-Type. To send
	// written data at once, flush w, which is an [http.Flusher]. A client that reads
	// nothing for [Limits.Time] loses the connection. If Stream returns an error, the
	// connection is closed and the error logged. Streams count in
	// [Limits.Streams]: one beyond it is answered 429.
	Stream func(ctx context.Context, w io.Writer) error
}

// endpoints are the registered endpoints.
type endpoints struct {
	list     []*endpoint
	reserved map[string]bool // reserved first segments, which entities cannot have as names
}

// An endpoint is a registered [Endpoint].
type endpoint struct {
	Endpoint
	segments []string
}

// RegisterEndpoint adds an endpoint. It fails when the address is registered already, or
// when an entity, a host's for instance, has the name that the endpoint reserves. Endpoints
// are registered before the first request is served.
func (a *API) RegisterEndpoint(e Endpoint) error {
	if a.serving.Load() {
		return errServing
	}
	n := &endpoint{Endpoint: e, segments: strings.Split(e.Address, "/")}
	if err := n.check(); err != nil {
		return err
	}
	if slices.ContainsFunc(a.endpoints.list, func(o *endpoint) bool { return o.Address == e.Address }) {
		return fmt.Errorf("shopapi: the address %s is registered already", e.Address)
	}
	if name := n.segments[0]; !n.OfEntity {
		if _, taken := a.registry.top[name]; taken {
			return fmt.Errorf("shopapi: an entity is named %s, so the address %s cannot be switched on", name, e.Address)
		}
		a.endpoints.reserved[name] = true
	}
	a.endpoints.list = append(a.endpoints.list, n)
	return nil
}

// cede removes the endpoint that is there without being asked for, version, where an entity
// has its name.
func (l *endpoints) cede(name string) {
	l.list = slices.DeleteFunc(l.list, func(e *endpoint) bool { return e.Address == name && !l.reserved[name] })
}

// Endpoints returns the registered endpoints in the order of their addresses.
func (a *API) Endpoints() []Endpoint {
	list := make([]Endpoint, 0, len(a.endpoints.list))
	for _, e := range a.endpoints.list {
		list = append(list, e.Endpoint)
	}
	slices.SortFunc(list, func(a, b Endpoint) int { return strings.Compare(a.Address, b.Address) })
	return list
}

// check finds mistakes in an endpoint.
func (e *endpoint) check() error {
	for i, s := range e.segments {
		if !isSegment(strings.Trim(s, "{}")) || i == 0 && !isSegment(s) {
			return fmt.Errorf("shopapi: %q is not an address of an endpoint", e.Address)
		}
	}
	if len(e.Methods) == 0 || len(e.segments) > apipath.MaxSegments {
		return fmt.Errorf("shopapi: the endpoint %s has no method, or too many segments", e.Address)
	}
	for name, m := range e.Methods {
		if m.Serve == nil && !m.isBatch || !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}, name) {
			return fmt.Errorf("shopapi: the endpoint %s cannot answer %s", e.Address, name)
		}
	}
	return nil
}

// find returns the endpoint at an address, and the segments that its braces match.
func (l *endpoints) find(segments []string) (*endpoint, []string) {
	for _, e := range l.list {
		if values, ok := e.match(segments); ok {
			return e, values
		}
	}
	return nil, nil
}

// match compares an address with that of the endpoint.
func (e *endpoint) match(segments []string) (values []string, ok bool) {
	if len(segments) != len(e.segments) {
		return nil, false
	}
	for i, s := range e.segments {
		switch {
		case s[0] == '{':
			values = append(values, segments[i])
		case s != segments[i]:
			return nil, false
		}
	}
	return values, true
}

// method returns what the endpoint does for an HTTP method, or a 405.
func (e *endpoint) method(name string) (Method, error) {
	if name == http.MethodHead {
		name = http.MethodGet
	}
	if m, ok := e.Methods[name]; ok {
		return m, nil
	}
	var allowed []string
	for _, name := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		_, ok := e.Methods[name]
		if _, get := e.Methods[http.MethodGet]; ok || get && name == http.MethodHead {
			allowed = append(allowed, name)
		}
	}
	message := "The method is not allowed here. Allowed: " + strings.Join(allowed, ", ") + "."
	return Method{}, &Error{Status: http.StatusMethodNotAllowed, Message: message, allow: allowed}
}
