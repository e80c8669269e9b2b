package conditional_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/conditional"
)

// A change runs if its precondition is met. A missing object fails If-Match, and only a change that
// may create it runs.
func TestRun(t *testing.T) {
	missing := errors.New("missing")
	for name, c := range map[string]struct {
		precondition conditional.Precondition
		tag          string // "" for a missing object
		creates      bool
		status       int // of the error, 0 where the change runs, 404 for missing
	}{
		"met":         {conditional.Precondition{Match: []string{`"a"`}}, `"a"`, false, 0},
		"not met":     {conditional.Precondition{Match: []string{`"b"`}}, `"a"`, false, 412},
		"excluded":    {conditional.Precondition{NoneMatch: []string{`"a"`}}, `"a"`, false, 412},
		"new":         {conditional.Precondition{NoneMatch: []string{"*"}}, "", true, 0},
		"new, match":  {conditional.Precondition{Match: []string{"*"}}, "", true, 412},
		"not created": {conditional.Precondition{NoneMatch: []string{"*"}}, "", false, 404},
	} {
		tag, changed := c.tag, 0
		change := &conditional.Change{
			Precondition: c.precondition,
			ETag: func(context.Context) (string, error) {
				if tag == "" {
					return "", missing
				}
				return tag, nil
			},
			Missing: func(err error) bool { return errors.Is(err, missing) },
		}
		ctx := conditional.With(t.Context(), change)
		err := conditional.Run(ctx, c.creates, func() error {
			return conditional.Run(ctx, c.creates, func() error { changed++; tag = `"n"`; return nil })
		})
		var e *clienterror.Error
		switch {
		case c.status == 0 && (err != nil || changed != 1 || change.After != `"n"`),
			c.status == 404 && !errors.Is(err, missing),
			c.status == 412 && (!errors.As(err, &e) || e.Status != 412 || changed != 0):
			t.Errorf("%s: %v, %d changes, after it the tag is %s", name, err, changed, change.After)
		}
	}
}
