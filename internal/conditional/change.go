package conditional

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi/internal/clienterror"
)

// A Change is a change of an object by PUT, DELETE or an action that has a precondition
// (§25, RFC 9110 §13.1).
type Change struct {
	Precondition
	ETag    func(context.Context) (string, error) // of the response to GET now
	Missing func(error) bool                      // whether an error of ETag means that the object does not exist
	After   string                                // the ETag of the changed object

	holds bool // while the change runs, which may change other objects
}

type changeKey struct{}

// With returns a context in which a change is subject to a precondition.
func With(ctx context.Context, c *Change) context.Context {
	return context.WithValue(ctx, changeKey{}, c)
}

// Run runs a change if the precondition of ctx is met, and returns a 412 otherwise. Without a
// precondition it just runs the change. Unless the change may create the object, it returns the
// error of a missing one.
func Run(ctx context.Context, creates bool, change func() error) error {
	c, _ := ctx.Value(changeKey{}).(*Change)
	if c == nil || c.holds {
		return change()
	}
	current, err := c.ETag(ctx)
	isNew := err != nil && c.Missing(err)
	if err != nil && (!isNew || !creates) {
		return err
	}
	if c.FailsMatch(current, !isNew) {
		return clienterror.Errorf(http.StatusPreconditionFailed, "The object is not the one that If-Match names. Read it again before changing it.")
	}
	if c.FailsNoneMatch(current, !isNew) {
		return clienterror.Errorf(http.StatusPreconditionFailed, "The object is one that If-None-Match excludes.")
	}
	c.holds = true
	err = change()
	c.holds = false
	if err != nil {
		return err
	}
	c.After, err = c.ETag(ctx)
	if err != nil && c.Missing(err) { // it was deleted or hidden
		c.After, err = "", nil
	}
	return err
}
