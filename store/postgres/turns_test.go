package postgres_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/storetest"
)

// Connections go round by client: one with many requests does not delay the list or the
// write of another.
func TestClientsTakeTurns(t *testing.T) {
	for name, method := range map[string]func(*postgres.Store) storetest.Transact{
		"views":   func(st *postgres.Store) storetest.Transact { return st.View },
		"updates": func(st *postgres.Store) storetest.Transact { return st.Update },
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t, pgtest.DSN(t)+"&pool_max_conns=1")
			storetest.RunTurns(t, st, method(st), st.Waiting)
		})
	}
}

// ShortViews have a connection that Views cannot take.
func TestShortViewsPassLongViews(t *testing.T) {
	st := open(t, pgtest.DSN(t)+"&pool_max_conns=4")
	pages := store.MustTable[struct {
		PageID int64 `json:"page_id" store:"key"`
	}]("pages")
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	read := func(_ context.Context, tx store.Tx) error {
		_, err := tx.Count(pages.Schema(), nil)
		return err
	}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		if err := read(nil, tx); err != nil {
			return err
		}
		return st.View(context.Background(), func(_ context.Context, second store.Tx) error {
			if err := read(nil, second); err != nil {
				return err
			}
			return st.View(context.Background(), func(_ context.Context, third store.Tx) error {
				if err := read(nil, third); err != nil {
					return err
				}
				return store.ShortView(context.Background(), st, read)
			})
		})
	})
	if err != nil {
		t.Error(err)
	}
}
