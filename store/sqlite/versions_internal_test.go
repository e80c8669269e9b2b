package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// COMMIT writes a new header while the writer's transaction is still marked as open. This
// header does not count as a restart of the WAL: a read sees the change at once.
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
