package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
)

type note struct {
	NoteID int64  `json:"note_id" store:"key"`
	Text   string `json:"text"`
}

var notes = store.MustTable[note]("notes")

func openNotes(t testing.TB, dsn string) *postgres.Store {
	t.Helper()
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
		t.Fatal(err)
	}
	return st
}

func add(ctx context.Context, st store.Store, text string) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error { return notes.Insert(tx, &note{Text: text}) })
}

// texts reads all notes, by key.
func texts(ctx context.Context, st store.Store) (list []string, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list = nil
		return notes.Each(tx, store.Query{}, func(n *note) error {
			list = append(list, n.Text)
			return nil
		})
	})
	return list, err
}

func wantTexts(t testing.TB, st store.Store, want ...string) {
	t.Helper()
	got, err := texts(context.Background(), st)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the notes are %v, want %v", got, want)
	}
}

// exec runs a statement beside the store.
func exec(t testing.TB, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
