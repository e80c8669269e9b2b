package sqlite

import (
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A COMMIT that the disk failed may be whole in the WAL: nobody may take the change for undone.
func TestCommitError_OfTheDiskIsUnknown(t *testing.T) {
	const failedSync = engine.IOError | 4<<8
	for code, want := range map[int]error{
		engine.IOError: store.ErrOutcomeUnknown, failedSync: store.ErrOutcomeUnknown,
		engine.Full: store.ErrUnavailable, engine.Busy: store.ErrUnavailable,
	} {
		err := commitError(&engine.Error{Code: code})
		if !errors.Is(err, want) || errors.Is(err, store.ErrOutcomeUnknown) != (want == store.ErrOutcomeUnknown) {
			t.Errorf("code %d: %v, want %v", code, err, want)
		}
	}
	if err := commitError(nil); err != nil {
		t.Errorf("of no error: %v", err)
	}
}
