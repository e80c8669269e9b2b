package shopapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/idempotency"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/ratelimit"
	"github.com/shopapi/shopapi/internal/respcache"
)

// A Request is the input of an entity's operation. It does not depend on HTTP.
type Request struct {
	// User makes the request, nil for the host's own Go code.
	User *User

	// Filter holds the query parameters of a list. Empty ones are left out,
	// name[] and name[3] are repeats of name.
	Filter url.Values

	// Payload is the decoded body of POST and PUT. That of an action may be empty.
	Payload *Payload

	// Parents are the objects that a nested address passes through, outermost
	// first.
	Parents []Parent

	// Remote is the client's address, zero when it is not known.
	Remote netip.Addr

	api            *API
	http           *http.Request // nil in Go code
	choice         *Choice
	batch          *Batch // of an export; nil for a page
	itemsPerPage   int64  // by the setting, 0 where it does not count
	language       string // of sl, "" where it is not sent
	idempotencyKey string
	fingerprint    string
	prepared       any
	inBatch        bool
	lookup         bool
}

// IsLookup reports whether the object that is read is not a response: another object needs
// it ([API.Lookup]), is reached through it, or has it among its data.
func (r *Request) IsLookup() bool { return r.lookup }

// UserID is the id of the user, 0 for the host's own Go code.
func (r *Request) UserID() int64 {
	if r.User == nil {
		return 0
	}
	return r.User.ID
}

// Below returns the address of an object below the address of the request, as the client sees it.
func (r *EndpointRequest) Below(id string) string { return apipath.Below(r.http, id) }

// Parent returns the object directly above, if the request is nested.
func (r *Request) Parent() (Parent, bool) {
	if len(r.Parents) == 0 {
		return Parent{}, false
	}
	return r.Parents[len(r.Parents)-1], true
}

// NewRequest returns a request that Go code makes for a user.
func (a *API) NewRequest(user *User) *Request { return &Request{User: user, api: a} }

// Prepared is what the entity's [Preparer] returned for the request, nil where it was not
// asked.
func (r *Request) Prepared() any { return r.prepared }

// SetPrepared sets what the entity's [Preparer] returned.
func (r *Request) SetPrepared(result any) { r.prepared = result }

// API returns the API that serves the request.
func (r *Request) API() *API { return r.api }

// limits are the limits of the API, or the default limits for a request that Go code
// made.
func (r *Request) limits() Limits {
	if r.api == nil {
		return (*Options)(nil).withDefaults().Limits
	}
	return r.api.opts.Limits
}

// ParseID reads the id of an object from an address: a whole number above 0,
// without sign or leading zeros. Everything else is the 404 of an object that
// does not exist (§5).
func ParseID(object, id string) (int64, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != id {
		return 0, NotFound(object, id)
	}
	return n, nil
}

// FormatID is the id as text.
func FormatID(id int64) string { return strconv.FormatInt(id, 10) }

// A Payload is the body of POST and PUT, from JSON or a form (§4).
type Payload struct {
	fields map[string]json.RawMessage
	sum    [sha256.Size]byte // of the body, where the request has an Idempotency-Key
}

// Has reports whether the body has the field, be it null.
func (p *Payload) Has(field string) bool {
	if p == nil {
		return false
	}
	_, ok := p.fields[field]
	return ok
}

// Raw returns a field as JSON, nil when the body lacks it. Fields of a form are
// JSON strings, and nested ones objects or arrays of them.
func (p *Payload) Raw(field string) json.RawMessage {
	if p == nil {
		return nil
	}
	return p.fields[field]
}

// Size is the number of bytes of the fields, as JSON.
func (p *Payload) Size() int {
	if p == nil {
		return 0
	}
	n := 0
	for name, value := range p.fields {
		n += len(name) + len(value)
	}
	return n
}

// NewPayload returns the payload for a JSON object, or for any value that encodes as one,
// so that Go code can make the calls of a request. It fails if v does not encode as an
// object.
func NewPayload(v any) (*Payload, error) {
	data, err := jsonenc.Marshal(v, jsonenc.Unlimited())
	if err != nil {
		return nil, err
	}
	fields, err := body.JSON(data)
	if err != nil {
		return nil, refused(err)
	}
	return &Payload{fields: fields}, nil
}

// PayloadOf returns a payload with these fields, as JSON.
func PayloadOf(fields map[string]json.RawMessage) *Payload { return &Payload{fields: fields} }

// Limits of the values of a field. A value beyond them is a 400 that names the field.
const (
	MaxFilterText = 1 << 10 // bytes of a text in a filter
	MaxListItems  = 1000    // items of a list of numbers or texts, in a body too
)

// Bind sets the fields of the struct that dst points to from the payload, by their json
// tags. Fields that the payload lacks keep their values, and null empties one. Fields
// with the tag bind:"-" are read-only: they are ignored, as unknown fields are. It
// returns a 400 that names each field whose value does not fit (§4), in the order of
// the struct; these fields keep their values too.
//
// Fields may be texts, numbers, bools, [Flag], [JSON], decimal.Decimal and other
// types that implement [encoding.TextUnmarshaler], slices of texts and whole
// numbers of at most [MaxListItems] items, types that implement [json.Unmarshaler],
// and pointers to these. Fields of other types are read-only.
func (r *Request) Bind(dst any) error {
	if r.Payload == nil {
		return nil
	}
	return bindError(bind.Body(dst, r.Payload.fields))
}

// BindFilter sets the fields of the struct that dst points to from the query
// parameters, by their json tags. A pointer field stays nil where its parameter is not
// sent. It returns a 400 that names each parameter whose value does not fit or is longer
// than [MaxFilterText], in the order of the struct.
func (r *Request) BindFilter(dst any) error {
	return bindError(bind.Filter(dst, r.Filter))
}

// IdempotencyKey is the header of that name of a POST, or "" (§25).
func (r *Request) IdempotencyKey() string { return r.idempotencyKey }

// Fingerprint is what two requests with one Idempotency-Key must agree in: method,
// address and body.
func (r *Request) Fingerprint() string { return r.fingerprint }

// readIdempotencyKey reads the header, which entities of package resource heed. The
// three forms of an address are one.
func (r *Request) readIdempotencyKey(h http.Header, address string) error {
	key, err := idempotency.Key(h)
	if err != nil || key == "" {
		return refused(err)
	}
	r.idempotencyKey = key
	r.setFingerprint(address)
	return nil
}

func (r *Request) setFingerprint(address string) {
	kind := "POST"
	if r.inBatch {
		kind = "BATCHED POST"
	}
	r.fingerprint = idempotency.Fingerprint(kind, address, r.Filter, r.Payload.sum)
}

// A Page is the part of a list that a request asks for, and its order (§6).
type Page struct {
	Number     int64 // from 1
	Size       int64 // items per page, 1 or more
	SortBy     string
	Descending bool
}

// Page reads page, items_per_page, sort_by and sort_order. Without sort_by, the order is
// the first of sorts; desc is the default direction. It returns a 400 for an invalid
// page, size or order; a size above the maximum becomes the maximum, and the live dialect
// has an order for every sort_by.
func (r *Request) Page(desc bool, sorts ...string) (Page, error) {
	var problems Problems
	limits := r.limits()
	p := query.Page{Number: 1, Size: cmp.Or(r.itemsPerPage, int64(limits.ItemsPerPage)), SortBy: sorts[0], Descending: desc}
	reader := query.PageReader{
		Sorts: sorts, Live: r.api != nil && r.api.Dialect() == DialectLive,
		Refuse: func(name, problem string) { problems.Add(name, "%s", problem) },
	}
	reader.Read(r.Filter, &p)
	p.Size = min(p.Size, int64(limits.MaxItemsPerPage))
	return Page(p), problems.Err()
}

// BindList is [Request.BindFilter] and [Request.Page] at once: it returns a 400
// that names whatever is wrong with either.
func (r *Request) BindList(filter any, desc bool, sorts ...string) (Page, error) {
	var problems Problems
	problems.Merge(r.BindFilter(filter))
	page, err := r.Page(desc, sorts...)
	problems.Merge(err)
	return page, problems.Err()
}

// Limit is the number of items of the page.
func (p Page) Limit() int { return int(p.Size) }

// Offset is the number of items before the page. Offsets beyond the range of int have no
// items anyway.
func (p Page) Offset() int {
	if p.Number-1 > math.MaxInt/p.Size {
		return math.MaxInt
	}
	return int((p.Number - 1) * p.Size)
}

// Params returns the parameters for the response, with the total number of items.
func (p Page) Params(total int64) *Params {
	order, reverse := "asc", "desc"
	if p.Descending {
		order, reverse = reverse, order
	}
	return &Params{
		ItemsPerPage: p.Size, Page: p.Number, TotalItems: total,
		SortBy: p.SortBy, SortOrder: order, SortOrderRev: reverse,
	}
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
	JSON   []byte    // with [Method.RawJSON]

	rate  ratelimit.Count                 // of CountRequests, zero without it
	watch atomic.Pointer[respcache.Watch] // of the user, nil where none is possible
}

// Once returns the request with its Idempotency-Key, which counts for this address and JSON
// alone, or nil without a key.
func (r *EndpointRequest) Once(address string) (*Request, error) {
	once := *r.Request
	once.Payload = &Payload{sum: sha256.Sum256(r.JSON)}
	if err := once.readIdempotencyKey(r.Header, address); err != nil || once.idempotencyKey == "" {
		return nil, err
	}
	once.fingerprint = "BATCH " + once.fingerprint
	return &once, nil
}

// CountRequests counts the request as n requests for the rate limit. It returns a 413 where
// these are more than a user may make at all, and a 429 where they are too many now.
func (r *EndpointRequest) CountRequests(n int) error {
	if r.User == nil {
		return nil
	}
	count, err := partsOf(r.api).admission.CountBatch(r.User.client(), n)
	if count.IsLimited() {
		r.rate = count
	}
	return refused(err)
}

// EnterWait counts the request among the requests that wait ([Limits.Streams]) until leave is
// called. It returns the 429 of a request beyond the limits. Responses with a Stream are
// counted by the API.
func (r *EndpointRequest) EnterWait() (leave func(), err error) {
	leave, err = partsOf(r.api).admission.EnterStream(r.User.client())
	return leave, refused(err)
}

// Identify returns the user of the request with the privileges of now. A response that
// takes long asks before each part that it sends. The error is the response to
// credentials that became invalid meanwhile.
func (r *EndpointRequest) Identify(ctx context.Context) (*User, error) {
	user, watch, err := r.identify(ctx)
	r.watch.Store(watch)
	return user, err
}

// identify returns the user, and a watch of it where the host does not identify its users.
func (r *Request) identify(ctx context.Context) (*User, *respcache.Watch, error) {
	user, err := r.api.hostsUser(ctx, r.http)
	if err != nil || user != nil {
		return user, nil, err
	}
	if user, watch, ok := partsOf(r.api).cache.WatchedUser(ctx, r.http.Header); ok {
		return user, watch, nil
	}
	credentials, err := credentialsOf(r.http.Header)
	if err != nil {
		return nil, nil, err
	}
	ctx, lookup := partsOf(r.api).cache.Lookup(ctx)
	user, _, err = r.api.userOf(ctx, r.http, credentials, lookup)
	if err != nil {
		return nil, nil, err
	}
	return user, lookup.Watch(), nil
}

// UserChanged reports whether the user that [EndpointRequest.Identify] returned last may have
// changed since, so that a response that waits knows when to ask again. It reads no row;
// contexts of [driver.AskOnce] share one question to the database. It cannot report changes
// of users of the host's, nor changes by other processes where the store does not notice
// them. It may run beside Identify.
func (r *EndpointRequest) UserChanged(ctx context.Context) bool {
	w := r.watch.Load()
	return w != nil && w.Changed(ctx)
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
