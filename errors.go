package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopapi/shopapi/internal/admission"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/refusals"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// An Error is an error for the client: status, message and the invalid fields (§5).
// Entities return one, wrapped or not, for every mistake of the client; any other error
// is logged, and the client gets a 500.
type Error struct {
	Status  int               // HTTP status, 400 to 599
	Message string            // the problem, and which values are allowed
	Fields  map[string]string // the problem of each field by name; may be nil
	Members Map               // further members of the body of the response, may be nil

	// GoFields are the names that Fields have in the Go struct of the object, such as
	// Billing.City for b_city. Errors of Go methods have them, as far as there is such a
	// field; responses do not show them.
	GoFields map[string]string

	order      []string      // of the names in Fields, as they were noted
	allow      []string      // methods, with 405
	retryAfter time.Duration // with 429 and 503
	cause      error         // for the log
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns what caused the error, if that is known.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an [*Error] of the same status without a message,
// as [ErrNotFound] is.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Status == e.Status
}

// ErrNotFound is a 404 without words of its own.
var ErrNotFound error = &Error{Status: http.StatusNotFound}

// ErrNotRegistered is returned by [API.Lookup] when no entity has the name.
var ErrNotRegistered = errors.New("shopapi: no entity is registered under this name")

// Errorf returns an [*Error] with the status and message.
func Errorf(status int, format string, args ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...)}
}

// RetryLater returns an [*Error] with the status 429 or 503, and the header Retry-After.
func RetryLater(status int, after time.Duration, format string, args ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...), retryAfter: after}
}

// NotFound returns the 404 for an object that does not exist, such as
// NotFound("category", "7").
func NotFound(object, id string) error {
	return Errorf(http.StatusNotFound, "There is no %s with the id %s.", object, quoted(id))
}

// Invalid returns a 400 about one field.
func Invalid(field, format string, args ...any) error {
	var p Problems
	p.Add(field, format, args...)
	return p.Err()
}

// Problems collects the problems of the fields of one request, so that the client gets
// all of them at once. The zero value is ready to use.
type Problems struct {
	names []string
	texts map[string]string
	other error

	// The columns that the rules on one field skip are those of table but changed.
	table   *store.Schema
	changed []string
}

// SkipAllBut makes the rules on one field ([Problems.Required], OneOf, Range, Length and
// Bytes) skip the columns of a table except the given ones: unchanged fields are not
// checked again (§5). Add always adds its problem; other rules can call [Problems.Skips].
func (p *Problems) SkipAllBut(changed []string, s *store.Schema) {
	p.table, p.changed = s, changed
}

// Skips reports whether a change leaves the field as it was, so that no rule on its
// value alone applies.
func (p *Problems) Skips(field string) bool {
	return p.table != nil && p.table.Index(field) >= 0 && !slices.Contains(p.changed, field)
}

// Required reports an empty text; hint describes the field.
func (p *Problems) Required(field, value, hint string) {
	if strings.TrimSpace(value) == "" && !p.Skips(field) {
		p.Add(field, "is required: %s", hint)
	}
}

// Add adds the problem of a field. Further problems of the same field are ignored.
func (p *Problems) Add(field, format string, args ...any) {
	if p.Has(field) {
		return
	}
	if p.texts == nil {
		p.texts = map[string]string{}
	}
	p.texts[field] = fmt.Sprintf(format, args...)
	p.names = append(p.names, field)
}

// Has reports whether a field has a problem, so that further rules on its value can be
// skipped.
func (p *Problems) Has(field string) bool {
	_, known := p.texts[field]
	return known
}

// OneOf reports a value that is not one of the allowed ones.
func (p *Problems) OneOf(field, value string, allowed ...string) {
	if !slices.Contains(allowed, value) && !p.Skips(field) {
		p.Add(field, "must be one of %s, not %s", strings.Join(allowed, ", "), quoted(value))
	}
}

// Range notes that a number is less than low or more than high.
func (p *Problems) Range(field string, n, low, high int64) {
	if (n < low || n > high) && !p.Skips(field) {
		p.Add(field, "must be a whole number from %d to %d, not %d", low, high, n)
	}
}

// Length notes that a text has more characters than it may.
func (p *Problems) Length(field, text string, most int) {
	if n := utf8.RuneCountInString(text); n > most && !p.Skips(field) {
		p.Add(field, "must have at most %d characters, not %d", most, n)
	}
}

// Bytes notes that a text or a document takes more bytes in UTF-8 than it may.
func (p *Problems) Bytes(field, text string, most int) {
	if n := len(text); n > most && !p.Skips(field) {
		p.Add(field, "must have at most %d bytes, not %d", most, n)
	}
}

// Merge adds the problems in err, such as an error of [Request.Bind], in their order. Err
// then returns an error of another kind unchanged. Merge of nil does nothing.
func (p *Problems) Merge(err error) {
	var e *Error
	switch {
	case err == nil:
	case errors.As(err, &e) && e.Status == http.StatusBadRequest && len(e.Fields) > 0:
		for _, name := range e.FieldNames() {
			p.Add(name, "%s", e.Fields[name])
		}
	case p.other == nil:
		p.other = err
	}
}

// Err returns a 400 that names every field noted, or nil when there is none.
func (p *Problems) Err() error {
	if p.other != nil || len(p.names) == 0 {
		return p.other
	}
	lines := make([]string, len(p.names))
	for i, name := range p.names {
		lines[i] = name + " " + p.texts[name]
	}
	return &Error{Status: http.StatusBadRequest, Message: strings.Join(lines, "; ") + ".", Fields: p.texts, order: p.names}
}

// FieldNames are the names in Fields in the order in which they were noted, or by
// name where that is not known.
func (e *Error) FieldNames() []string {
	names := slices.Sorted(maps.Keys(e.Fields))
	if slices.Equal(names, slices.Sorted(slices.Values(e.order))) {
		return e.order
	}
	return names
}

// quoted shows a client's value in a message.
func quoted(s string) string { return plain.Quoted(s) }

// short cuts what a client sent to a length that a log and a screen can bear.
func short(s string) string { return plain.Short(s) }

// retryLater is the default of Retry-After.
const retryLater = time.Second

// AsError converts any error into the error for the client: the one table from errors to
// statuses (§5).
func AsError(err error) *Error {
	var told *Error
	var conflict *store.ConflictError
	var text *store.TextError
	var row *store.RowError
	var tooLarge *http.MaxBytesError
	refusal := admission.Refusal(err)
	switch {
	case errors.As(err, &told):
		if told.Status < 400 || told.Status > 599 {
			return &Error{Status: http.StatusInternalServerError, cause: err}
		}
		if told.Message == "" {
			return &Error{Status: told.Status, Message: http.StatusText(told.Status) + ".", cause: err}
		}
		return told
	case errors.As(err, &conflict):
		var p Problems
		for _, column := range conflict.Columns {
			p.Add(column, "is taken: another object has the same")
		}
		return because(err, p.Err())
	case errors.As(err, &text):
		if text.Most > 0 {
			return because(err, Invalid(text.Column, "is too long: at most %d bytes are allowed", text.Most))
		}
		return because(err, Invalid(text.Column, "must be valid UTF-8 without NUL characters"))
	case errors.As(err, &row):
		return because(err, Invalid(row.Column, "is too long: an object has at most %d bytes of texts, and this one would have %d", store.MaxRow, row.Size))
	case refusal != nil:
		return AsError(refused(refusal))
	case errors.As(err, &tooLarge):
		return &Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("The body is larger than the %d bytes that are allowed.", tooLarge.Limit)}
	case errors.Is(err, store.ErrNotFound):
		return &Error{Status: http.StatusNotFound, Message: "There is no such object.", cause: err}
	case errors.Is(err, store.ErrOutcomeUnknown):
		return &Error{Status: http.StatusServiceUnavailable, Message: "The connection to the database was lost while the change was being saved. It may have been saved or not: read the object before trying again.", retryAfter: retryLater, cause: err}
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &Error{Status: http.StatusServiceUnavailable, Message: "The service is busy or not reachable at the moment. Try again later.", retryAfter: retryLater, cause: err}
	}
	return &Error{Status: http.StatusInternalServerError, cause: err}
}

// because returns [AsError] of a new error, with err as its cause.
func because(err, wrong error) *Error {
	e := AsError(wrong)
	e.cause = err
	return e
}

// refused makes an [*Error] of one that a package below found, and returns others unchanged.
func refused(err error) error {
	if err == nil {
		return nil // without the allocation below
	}
	e := (*clienterror.Error)(nil)
	switch {
	case !errors.As(err, &e):
		return err
	case e.OfField:
		return Invalid(e.Field, "%s", e.Message)
	}
	return &Error{Status: e.Status, Message: e.Message, allow: e.Allow, retryAfter: e.RetryAfter, cause: e.Cause}
}

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

func bindError(found []bind.Problem) error {
	var problems Problems
	for _, p := range found {
		problems.Add(p.Field, "%s", p.Text)
	}
	return problems.Err()
}

// Forbidden returns the 403 of a user without a privilege.
func Forbidden(privilege string) error {
	return Errorf(http.StatusForbidden, "Your user groups do not have the privilege %s.", privilege)
}

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
		partsOf(p.api).refusals.Refused(p.api.opts.Logger, p.Req, refusal, p.api.opts.Clock())
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
