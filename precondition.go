package shopapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/accept"
)

// A precondition is what a PUT or DELETE demands of the object before it changes
// it, by If-Match and If-None-Match (§25, RFC 9110 §13.1).
type precondition struct {
	match, noneMatch []string
	etag             func(context.Context) (string, error) // that GET would answer now
	after            string                                // of the object as changed
}

type preconditionKey struct{}

// preconditionOf returns the precondition of a request, nil when it has none.
func preconditionOf(h http.Header, op Operation) *precondition {
	match, noneMatch := h["If-Match"], h["If-None-Match"]
	if op != OpUpdate && op != OpDelete || len(match) == 0 && len(noneMatch) == 0 {
		return nil
	}
	return &precondition{match: match, noneMatch: noneMatch}
}

// Conditional runs the change of a PUT or DELETE when the preconditions of its
// request hold, and returns a 412 [*Error] when they do not. An entity whose
// description says Transactional calls it in the transaction of an update or a
// deletion, once it has found the object: what GET on the same address would answer
// is read in that transaction, and the ETag that PUT answers too. Without
// preconditions, and for Go code, it just runs the change. Where a PUT is to make what
// there is not yet, If-Match is answered 412, and If-None-Match lets it.
func Conditional(ctx context.Context, change func() error) error {
	return conditional(ctx, true, change)
}

// conditional is Conditional; unless the change makes what there is not, an object that
// is missing is an [ErrNotFound].
func conditional(ctx context.Context, makes bool, change func() error) error {
	p, _ := ctx.Value(preconditionKey{}).(*precondition)
	if p == nil {
		return change()
	}
	// The change may change other objects, which the request says nothing of.
	ctx = context.WithValue(ctx, preconditionKey{}, (*precondition)(nil))
	current, err := p.etag(ctx)
	isNew := errors.Is(err, ErrNotFound)
	if err != nil && (!isNew || !makes) {
		return err
	}
	if len(p.match) > 0 && (isNew || !hasTag(p.match, current, true)) {
		return Errorf(http.StatusPreconditionFailed, "The object is not the one that If-Match names. Read it again before changing it.")
	}
	if len(p.noneMatch) > 0 && !isNew && hasTag(p.noneMatch, current, false) {
		return Errorf(http.StatusPreconditionFailed, "The object is one that If-None-Match excludes.")
	}
	if err := change(); err != nil {
		return err
	}
	p.after, err = p.etag(ctx)
	if errors.Is(err, ErrNotFound) { // it was deleted, or put out of sight
		p.after, err = "", nil
	}
	return err
}

// hasTag reports whether a header's list of entity tags has the one given, or is *.
// Strong comparison knows no weak ones.
func hasTag(header []string, etag string, strong bool) bool {
	return slices.ContainsFunc(accept.Split(strings.Join(header, ","), ','), func(element string) bool {
		element = strings.TrimSpace(element)
		if !strong {
			element = strings.TrimPrefix(element, "W/")
		}
		return element == etag || element == "*"
	})
}

// withPrecondition returns a context whose change is subject to c.
func (p *pipeline) withPrecondition(ctx context.Context, t *target, r *Request, c *precondition) context.Context {
	read := *r
	read.Payload = nil
	get := *t
	get.op = OpGet
	api, format, address := p.api, p.format, p.req.URL // p itself must not escape to the heap
	c.etag = func(ctx context.Context) (string, error) {
		if get.entry.get == nil {
			return "", nil
		}
		ctx = WithLanguage(ctx, read.language) // the body may name another
		resp, err := api.read(ctx, format, address, &get, &read)
		if err != nil {
			return "", err
		}
		return resp.etag, nil
	}
	return context.WithValue(ctx, preconditionKey{}, c)
}
