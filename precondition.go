package shopapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi/internal/conditional"
)

// A precondition is a condition on the state of the object that a PUT, DELETE or action
// changes, by If-Match and If-None-Match (§25, RFC 9110 §13.1).
type precondition struct {
	conditional.Precondition
	etag  func(context.Context) (string, error) // of the response to GET now
	after string                                // the ETag of the changed object
}

type preconditionKey struct{}

// preconditionOf returns the precondition of a request, nil when it has none.
func preconditionOf(h http.Header, op Operation) *precondition {
	c := conditional.Precondition{Match: h["If-Match"], NoneMatch: h["If-None-Match"]}
	if op != OpUpdate && op != OpDelete && op != OpAction || c.IsZero() {
		return nil
	}
	return &precondition{Precondition: c}
}

// CheckPreconditions runs the change of a PUT, DELETE or action if the preconditions of
// its request are met, and returns a 412 [*Error] otherwise. An entity whose description
// has Transactional calls it in the transaction of an update, a deletion or an action,
// after it has found the object: the response to GET on the same address is computed in
// that transaction, and the new ETag of a PUT too. Without preconditions, and for Go
// code, it just runs the change. A PUT may create its object: while the object does not
// exist, If-Match fails with 412 and If-None-Match succeeds.
func CheckPreconditions(ctx context.Context, change func() error) error {
	return whenPreconditionsHold(ctx, true, change)
}

// whenPreconditionsHold is CheckPreconditions. Unless the change may create the object, it returns
// [ErrNotFound] for an object that does not exist.
func whenPreconditionsHold(ctx context.Context, makes bool, change func() error) error {
	p, _ := ctx.Value(preconditionKey{}).(*precondition)
	if p == nil {
		return change()
	}
	// The preconditions do not apply to other objects that the change changes.
	ctx = context.WithValue(ctx, preconditionKey{}, (*precondition)(nil))
	current, err := p.etag(ctx)
	isNew := errors.Is(err, ErrNotFound)
	if err != nil && (!isNew || !makes) {
		return err
	}
	if p.FailsMatch(current, !isNew) {
		return Errorf(http.StatusPreconditionFailed, "The object is not the one that If-Match names. Read it again before changing it.")
	}
	if p.FailsNoneMatch(current, !isNew) {
		return Errorf(http.StatusPreconditionFailed, "The object is one that If-None-Match excludes.")
	}
	if err := change(); err != nil {
		return err
	}
	p.after, err = p.etag(ctx)
	if errors.Is(err, ErrNotFound) { // it was deleted or hidden
		p.after, err = "", nil
	}
	return err
}

// withPrecondition returns a context whose change is subject to the precondition of c.
func (a *API) withPrecondition(ctx context.Context, c call, t *target, r *Request) context.Context {
	read := *r
	read.Payload = nil
	get := *t
	get.op = OpGet
	c.condition.etag = func(ctx context.Context) (string, error) {
		if get.entry.get == nil {
			return "", nil
		}
		ctx = WithLanguage(ctx, read.language) // the body may name another
		resp, err := a.read(ctx, c.format, c.url, &get, &read)
		if err != nil {
			return "", err
		}
		return resp.etag, nil
	}
	return context.WithValue(ctx, preconditionKey{}, c.condition)
}
