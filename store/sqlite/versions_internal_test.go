package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// The header that a COMMIT writes is no restart of the WAL, although the writer's
// transaction has not ended yet: a read right after it sees the change.
func TestVersions_CommitIsNoRestart(t *testing.T) {
	st, err := Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	type cup struct {
		ID int64 `json:"id" store:"key"`
	}
	table := store.MustTable[cup]("cups")
	if err := st.Migrate(t.Context(), table.Schema()); err != nil {
		t.Fatal(err)
	}
	before := st.versions.current()
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return table.Insert(tx, &cup{}) })
	if err != nil {
		t.Fatal(err)
	}
	st.versions.began(before) // as it is between COMMIT and the end of the transaction
	if st.versions.is(before) {
		t.Error("the state before a commit counts as the state after it")
	}
}
