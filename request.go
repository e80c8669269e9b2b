package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/idempotency"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/query"
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

// Parent returns the object directly above, if the request is nested.
func (r *Request) Parent() (Parent, bool) {
	if len(r.Parents) == 0 {
		return Parent{}, false
	}
	return r.Parents[len(r.Parents)-1], true
}

// NewRequest returns a request that Go code makes for a user.
func (a *API) NewRequest(user *User) *Request { return &Request{User: user, api: a} }

// A Batch is the part of a list that an export reads at once: objects in the order of
// their keys.
type Batch struct {
	After string // what Next was after the batch before, "" for the first one
	Size  int    // objects at most
	Next  string // the entity sets it: After of the next batch, "" where nothing is left
	read  bool
}

// IsRead reports whether the entity has asked for the batch.
func (b *Batch) IsRead() bool { return b.read }

// Batch returns the part of a list that an export asks for (extensions E7), nil where the
// request is for a page. An entity that calls it answers with the objects of that part. Lists
// of entities that do not call it are read page by page.
func (r *Request) Batch() *Batch {
	if r.batch != nil {
		r.batch.read = true
	}
	return r.batch
}

// SetBatch has the request ask for a part of a list, and for the chosen fields.
func (r *Request) SetBatch(b *Batch, c *Choice) { r.batch, r.choice = b, c }

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

// checkQuery refuses a query that could not be read whole.
func checkQuery(values url.Values, err error) error {
	if err != nil {
		return Errorf(http.StatusBadRequest, "The query is malformed: it must be name=value pairs joined by &, percent-encoded.")
	}
	var problems Problems
	for _, name := range query.Malformed(values) {
		problems.Add(name, "must be valid UTF-8 without NUL characters")
	}
	return problems.Err()
}

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
		return nil, bodyError(err)
	}
	return &Payload{fields: fields}, nil
}

// PayloadOf returns a payload with these fields, as JSON.
func PayloadOf(fields map[string]json.RawMessage) *Payload { return &Payload{fields: fields} }

// readPayload is the body check: 415, 413, 400, 405 (§2).
func (p *pipeline) readPayload(ctx context.Context, t *target) (*Payload, error) {
	most := p.api.opts.Limits.Body
	if t.Entry.LargePayloads {
		most = max(most, p.api.opts.Limits.Response)
	}
	payload, err := p.readFields(ctx, most)
	if err != nil {
		return nil, err
	}
	if len(payload.fields) == 0 && t.op != OpAction && !p.hasUpdateParameter(t) {
		return nil, refused(t.NotAllowed("The payload is empty. Send the fields of the object."))
	}
	return payload, nil
}

// hasUpdateParameter reports whether a PUT has a parameter that is a change without a body.
func (p *pipeline) hasUpdateParameter(t *target) bool {
	if t.op != OpUpdate {
		return false
	}
	for name := range t.Entry.UpdateParameters {
		if p.Query.Has(name) {
			return true
		}
	}
	return false
}

// readFields reads a body of at most so many bytes.
func (p *pipeline) readFields(ctx context.Context, most int64) (*Payload, error) {
	fields, sum, err := p.ReadFields(ctx, most)
	if err != nil {
		return nil, bodyError(err)
	}
	if p.api.Dialect() == DialectLive && string(fields["company_id"]) == `""` {
		delete(fields, "company_id") // clients of that dialect send it empty (§27)
	}
	return &Payload{fields: fields, sum: sum}, nil
}

// bodyError is the response to a body that cannot be parsed.
func bodyError(err error) error {
	var wrong *body.Error
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.OfField:
		return Invalid(wrong.Field, "%s", wrong.Message)
	}
	return &Error{Status: wrong.Status, Message: wrong.Message, cause: wrong.Cause}
}

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

func bindError(found []bind.Problem) error {
	var problems Problems
	for _, p := range found {
		problems.Add(p.Field, "%s", p.Text)
	}
	return problems.Err()
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
