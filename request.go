package shopapi

import (
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"

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
