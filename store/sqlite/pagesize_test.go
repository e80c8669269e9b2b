package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/shopapi/shopapi/store"
)

// TestPageSize: a new file has small pages, so that a change of one row in a dozen indexes writes
// few bytes. A file with others is used as it is.
func TestPageSize(t *testing.T) {
	type note struct {
		ID   int64  `json:"note_id" store:"key"`
		Text string `json:"text"`
	}
	notes := store.MustTable[note]("notes")
	for before, want := range map[int]int{0: 2048, 4096: 4096, 1024: 1024} {
		path := file(t)
		if before > 0 {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), fmt.Sprintf("PRAGMA page_size=%d; CREATE TABLE other (n INTEGER)", before)); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		st := open(t, path, nil)
		if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
			t.Fatal(err)
		}
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return notes.Insert(tx, &note{Text: "a note"}) })
		if err != nil {
			t.Fatal(err)
		}
		var got int
		if err := st.DB().QueryRowContext(t.Context(), "SELECT page_size FROM pragma_page_size").Scan(&got); err != nil || got != want {
			t.Errorf("the pages of a file that had %d bytes in one have %d, want %d: %v", before, got, want, err)
		}
	}
}
