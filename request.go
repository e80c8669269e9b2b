package shopapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/form"
)

// A Request is what an entity's operation is given. It knows nothing of HTTP.
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
	itemsPerPage   int64  // by the setting, 0 where it does not count
	language       string // of sl, "" where it is not sent
	idempotencyKey string
	fingerprint    string
}

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

// API returns the API that serves the request.
func (r *Request) API() *API { return r.api }

// limits are those of the API, the default ones for a request that Go code made.
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

// filterOf reads the query parameters of a list (§1, §4): those of the address
// itself and empty ones are left out, arrays become repeats.
func filterOf(query url.Values) url.Values {
	var filter url.Values
	for _, key := range slices.Sorted(maps.Keys(query)) { // so that repeats keep one order
		name := form.PlainName(key)
		if name == "_d" || name == "ajax_custom" {
			continue
		}
		for _, v := range query[key] {
			if v == "" {
				continue
			}
			if filter == nil {
				filter = url.Values{}
			}
			filter.Add(name, v)
		}
	}
	return filter
}

// readQuery reads the query, unless it is too long. One that is malformed is read as
// far as it goes, since the address may be in it.
func (p *pipeline) readQuery() error {
	most := p.api.opts.Limits.Query
	if int64(len(p.req.URL.RawQuery)) > most {
		return Errorf(http.StatusBadRequest, "The query is longer than the %d bytes that are allowed.", most)
	}
	p.query, p.queryErr = url.ParseQuery(p.req.URL.RawQuery)
	return nil
}

// checkQuery refuses a query that could not be read whole. It names the parameters
// at fault by name: a query has no order once it is read.
func checkQuery(query url.Values, err error) error {
	if err != nil {
		return Errorf(http.StatusBadRequest, "The query is malformed: it must be name=value pairs joined by &, percent-encoded.")
	}
	var malformed []string
	for name, values := range query {
		if !isText(name) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			malformed = append(malformed, short(form.PlainName(name)))
		}
	}
	slices.Sort(malformed)
	var problems Problems
	for _, name := range malformed {
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

// NewPayload returns the payload that a JSON object, or any value that encodes as
// one, would be. It is how Go code calls what a request would. It fails when v is
// no object.
func NewPayload(v any) (*Payload, error) {
	data, err := marshal(v)
	if err != nil {
		return nil, err
	}
	fields, err := body.JSON(data)
	if err != nil {
		return nil, bodyError(err)
	}
	return &Payload{fields: fields}, nil
}

// readPayload is the body check: 415, 413, 400, 405 (§2).
func (p *pipeline) readPayload(t *target) (*Payload, error) {
	most := p.api.opts.Limits.Body
	if t.entry.LargePayloads {
		most = max(most, p.api.opts.Limits.Response)
	}
	payload, err := p.readFields(most)
	if err != nil {
		return nil, err
	}
	if len(payload.fields) == 0 && t.op != OpAction {
		return nil, t.notAllowed("The payload is empty. Send the fields of the object.")
	}
	return payload, nil
}

// readFields reads a body of at most so many bytes.
func (p *pipeline) readFields(most int64) (*Payload, error) {
	if coding := strings.Join(p.req.Header["Content-Encoding"], ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, Errorf(http.StatusUnsupportedMediaType, "The Content-Encoding %s is not supported. Send the body as it is.", quoted(coding))
	}
	parse, err := body.ParserFor(p.req.Header.Get("Content-Type"))
	if err != nil {
		return nil, bodyError(err)
	}
	data, err := p.readBody(most)
	p.bodyRead = true
	if err != nil {
		var tooLarge *http.MaxBytesError
		p.bodyRead = !errors.As(err, &tooLarge) && !errors.Is(err, errTooMuchAtOnce) // else nothing more will come
		return nil, readError(err)
	}
	if !isText(string(data)) {
		return nil, Errorf(http.StatusBadRequest, "The body is not valid UTF-8, or holds a NUL character.")
	}
	fields, err := parse(data)
	if err != nil {
		return nil, bodyError(err)
	}
	payload := &Payload{fields: fields}
	if p.api.Dialect() == Live && string(fields["company_id"]) == `""` {
		defer delete(fields, "company_id") // clients of that dialect send it empty (§27)
	}
	if p.req.Header["Idempotency-Key"] != nil {
		payload.sum = sha256.Sum256(data)
	}
	return payload, nil
}

// readError tells a client that sent too much from one that sent too slowly or
// went away.
func readError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) || errors.Is(err, errTooMuchAtOnce) || errors.Is(err, context.Canceled) {
		return err
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &Error{Status: http.StatusRequestTimeout, Message: "The body did not arrive in time.", cause: err}
	}
	return &Error{Status: http.StatusBadRequest, Message: "The body could not be read to its end.", cause: err}
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
	return &Error{Status: wrong.Status, Message: wrong.Message}
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

// A List is the answer to GET on an entity's own address: the objects and, when
// it is paged, the parameters of the page (§6).
type List struct {
	Name   string  // the key that the objects stand under
	Items  any     // a slice; empty, never nil
	Params *Params // nil when the list is not paged

	// ParamsBody, unless nil, is written in place of Params. It begins with the members of
	// Params and has further ones.
	ParamsBody any

	// Bare sends the objects alone, as an array. The parameters then go into the
	// headers X-Total-Count and Link (§7). Link repeats the query for each of its pages,
	// and is left out where that is longer than 2 KiB.
	Bare bool
}

// Params are the parameters of a page as the client is told them (§6).
type Params struct {
	ItemsPerPage int64  `json:"items_per_page,string"`
	Page         int64  `json:"page"`
	SortOrder    string `json:"sort_order"`
	SortBy       string `json:"sort_by"`
	SortOrderRev string `json:"sort_order_rev"`
	TotalItems   int64  `json:"total_items,string"`
}

// A Page is the part of a list that a request asks for, and its order (§6).
type Page struct {
	Number     int64 // from 1
	Size       int64 // items per page, 1 or more
	SortBy     string
	Descending bool
}

// Page reads page, items_per_page, sort_by and sort_order. The order without
// sort_by is the first of sorts; desc says which way lists go by themselves. It
// returns a 400 for a value that is no page, size or order; a size above the
// maximum becomes the maximum, and the live dialect has an order for every sort_by.
func (r *Request) Page(desc bool, sorts ...string) (Page, error) {
	var problems Problems
	limits := r.limits()
	p := Page{Number: 1, Size: cmp.Or(r.itemsPerPage, int64(limits.ItemsPerPage)), SortBy: sorts[0], Descending: desc}
	positive := func(name string, into *int64) {
		s := last(r.Filter[name])
		if s == "" {
			return
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 || s[0] == '+' {
			problems.Add(name, "must be a whole number from 1, not %s", quoted(s))
			return
		}
		*into = n
	}
	positive("page", &p.Number)
	positive("items_per_page", &p.Size)
	p.Size = min(p.Size, int64(limits.MaxItemsPerPage))
	if s := last(r.Filter["sort_by"]); s != "" {
		if p.SortBy = r.sortKey(s, sorts); p.SortBy == "" {
			problems.Add("sort_by", "must be one of %s, not %s", strings.Join(sorts, ", "), quoted(s))
		}
	}
	switch s := last(r.Filter["sort_order"]); s {
	case "":
	case "asc", "desc":
		p.Descending = s == "desc"
	default:
		problems.Add("sort_order", "must be asc or desc, not %s", quoted(s))
	}
	return p, problems.Err()
}

// sortKey is the one of sorts that sort_by asks for, "" for none. In the live dialect
// timestamp is date, updated_timestamp is updated, and an unknown key is the default (§4,
// §27).
func (r *Request) sortKey(asked string, sorts []string) string {
	switch {
	case slices.Contains(sorts, asked):
		return asked
	case r.api == nil || r.api.Dialect() != Live:
		return ""
	case asked == "timestamp" && slices.Contains(sorts, "date"):
		return "date"
	case asked == "updated_timestamp" && slices.Contains(sorts, "updated"):
		return "updated"
	}
	return sorts[0]
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

// Offset is the number of items before the page. Beyond what an int holds there
// are none anyway.
func (p Page) Offset() int {
	if p.Number-1 > math.MaxInt/p.Size {
		return math.MaxInt
	}
	return int((p.Number - 1) * p.Size)
}

// Params is what the client is told, with the number of all items.
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

// maxLinkQuery is how long a query in Link may be, in bytes. Servers and proxies refuse
// long headers.
const maxLinkQuery = 2 << 10

// addHeaders tells of the page where the body is a bare array (§7, RFC 8288).
func (p *Params) addHeaders(a *response, u *url.URL) {
	a.add("X-Total-Count", strconv.FormatInt(p.TotalItems, 10))
	if len(u.RawQuery) > maxLinkQuery {
		return
	}
	size := max(1, p.ItemsPerPage)
	pages := max(1, (p.TotalItems+size-1)/size)
	query := u.Query()
	if names := fieldNames(query["fields"]); len(names) > 0 {
		query.Set("fields", strings.Join(names, ",")) // equal choices share a cached response
	}
	query.Set("items_per_page", strconv.FormatInt(p.ItemsPerPage, 10))
	if len(query.Encode()) > maxLinkQuery { // quotes take three times the bytes
		return
	}
	var links []string
	link := func(page int64, rel string) {
		query.Set("page", strconv.FormatInt(page, 10))
		to := url.URL{RawQuery: query.Encode()}
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, to.String(), rel))
	}
	link(1, "first")
	if p.Page > 1 {
		link(min(p.Page-1, pages), "prev")
	}
	if p.Page < pages {
		link(p.Page+1, "next")
	}
	link(pages, "last")
	a.add("Link", strings.Join(links, ", "))
}

// encodable is what the list looks like in the body.
func (l List) encodable() any {
	if l.Bare {
		return l.Items
	}
	m := Map{{l.Name, l.Items}}
	switch {
	case l.ParamsBody != nil:
		m = append(m, Member{"params", l.ParamsBody})
	case l.Params != nil:
		m = append(m, Member{"params", l.Params})
	}
	return m
}

// IdempotencyKey is the header of that name of a POST, "" where there is none
// (§25).
func (r *Request) IdempotencyKey() string { return r.idempotencyKey }

// Fingerprint is what two requests with one Idempotency-Key must agree in: method,
// address and body.
func (r *Request) Fingerprint() string { return r.fingerprint }

// maxIdempotencyKey is how long an Idempotency-Key may be, in bytes.
const maxIdempotencyKey = 255

// readIdempotencyKey reads the header, which entities of package resource heed. The
// three forms of an address are one.
func (r *Request) readIdempotencyKey(h http.Header, address string) error {
	keys := h["Idempotency-Key"]
	if len(keys) == 0 {
		return nil
	}
	if len(keys) > 1 || len(keys[0]) == 0 || len(keys[0]) > maxIdempotencyKey ||
		strings.ContainsFunc(keys[0], func(c rune) bool { return c > unicode.MaxASCII || !unicode.IsPrint(c) }) {
		return Errorf(http.StatusBadRequest, "The Idempotency-Key must be one text of 1 to %d printable ASCII characters.", maxIdempotencyKey)
	}
	r.idempotencyKey = keys[0]
	r.fingerprint = fmt.Sprintf("POST %s?%s %x", address, r.Filter.Encode(), r.Payload.sum)
	return nil
}

// address is the one form of the target's address.
func (t *target) address() string {
	var b strings.Builder
	for _, parent := range t.parents {
		fmt.Fprintf(&b, "%s/%s/", parent.entry.Name, parent.id)
	}
	b.WriteString(t.entry.Name)
	if t.op == OpAction {
		fmt.Fprintf(&b, "/%s/%s", t.id, t.action)
	}
	return b.String()
}

// last returns the last value of a parameter, "" for none.
func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}
