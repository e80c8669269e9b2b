package postgres_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

type sheet struct {
	SheetID int64  `json:"sheet_id" store:"key"`
	Cells   []byte `json:"cells"`
	Notes   []byte `json:"notes"`
}

var sheets = store.MustTable[sheet]("sheets")

// What another program has made of a document reads as empty, and the log names the
// table, the row and the column once.
func TestASpoiledDocumentReadsAsEmpty(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	dsn := pgtest.DSN(t)
	st := open(t, dsn)
	if err := st.Migrate(t.Context(), sheets.Schema()); err != nil {
		t.Fatal(err)
	}
	exec(t, dsn, `INSERT INTO sheets VALUES (7, '[1]', '{"a":1}')`)
	for _, text := range []string{`{"a":`, "", "[1]]", `{'a': 1}`} {
		exec(t, dsn, "UPDATE sheets SET cells = '"+strings.ReplaceAll(text, "'", "''")+"'")
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			one, err := sheets.Get(tx, 7)
			if err != nil {
				return err
			}
			list, err := sheets.Select(tx, store.Query{})
			for _, v := range append(list, one) {
				if string(v.Cells) != "[]" || string(v.Notes) != `{"a":1}` {
					t.Errorf("%s reads as %s, and what is beside it as %s", text, v.Cells, v.Notes)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "table=sheets row=7 column=cells") {
		t.Errorf("the log has %d lines, want one that names the place:\n%s", n, &log)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return sheets.Update(tx, &sheet{SheetID: 7, Cells: []byte("[]"), Notes: []byte("[]")})
	})
	if err != nil {
		t.Fatal(err)
	}
}
