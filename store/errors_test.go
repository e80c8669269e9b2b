package store_test

import (
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
)

func TestErrors(t *testing.T) {
	conflict := error(&store.ConflictError{Table: "users", Columns: []string{"shop", "email"}})
	bad := error(&store.TextError{Column: "name"})
	for _, c := range []struct {
		err, is error
		want    bool
	}{
		{conflict, store.ErrConflict, true}, {conflict, store.ErrBadText, false},
		{bad, store.ErrBadText, true}, {bad, store.ErrNotFound, false},
		{store.ErrOutcomeUnknown, store.ErrUnavailable, true}, {store.ErrUnavailable, store.ErrOutcomeUnknown, false},
	} {
		if got := errors.Is(c.err, c.is); got != c.want {
			t.Errorf("%v is %v: %v", c.err, c.is, got)
		}
	}
	for err, want := range map[error]string{
		conflict: "store: users has a row with the same shop, email",
		bad:      "store: name is not valid UTF-8 or holds a NUL",
	} {
		if err.Error() != want {
			t.Errorf("the error reads %q, want %q", err, want)
		}
	}
}
