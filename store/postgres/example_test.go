package postgres_test

import (
	"context"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
)

// A host writes a row of its own in the transaction of a change.
func ExampleTxOf() {
	rename := func(ctx context.Context, st *postgres.Store, n note) error {
		return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			if err := notes.Update(tx, &n); err != nil {
				return err
			}
			own, err := postgres.TxOf(tx)
			if err != nil {
				return err
			}
			_, err = own.Exec(ctx, "INSERT INTO audit (note_id, text) VALUES ($1, $2)", n.NoteID, n.Text)
			return err
		})
	}
	_ = rename
}
