package sqlite_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
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
	path := file(t)
	st := open(t, path, &sqlite.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err := st.Migrate(t.Context(), sheets.Schema()); err != nil {
		t.Fatal(err)
	}
	update := func(cells string) {
		t.Helper()
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			v := sheet{SheetID: 7, Cells: []byte(cells), Notes: []byte(`{"a":1}`)}
			if _, err := sheets.Get(tx, 7); err != nil {
				return sheets.Insert(tx, &v)
			}
			return sheets.Update(tx, &v)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(cells string) {
		t.Helper()
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			one, err := sheets.Get(tx, 7)
			if err != nil {
				return err
			}
			list, err := sheets.Select(tx, store.Query{})
			if err != nil {
				return err
			}
			for _, v := range append(list, one) {
				if string(v.Cells) != cells || string(v.Notes) != `{"a":1}` {
					t.Errorf("cells %s, notes %s, want %s", v.Cells, v.Notes, cells)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	update(`[1]`)
	for _, text := range []string{`{"a":`, "", "[1]]", "\xff"} {
		if _, err := host(t, path).Exec("UPDATE sheets SET cells = CAST(? AS TEXT)", []byte(text)); err != nil {
			t.Fatal(err)
		}
		want("[]")
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "table=sheets row=7 column=cells") {
		t.Errorf("the log has %d lines, want one that names the place:\n%s", n, &log)
	}
	update(`[]`) // write the GET response back
	if n := 0; host(t, path).QueryRow("SELECT count(*) FROM sheets WHERE cells = '[]'").Scan(&n) != nil || n != 1 {
		t.Errorf("%d documents were put right", n)
	}
	want("[]")
}

// What Alter reads by keys has empty documents in place of spoiled ones too, the first time and again.
func TestASpoiledDocumentReadsAsEmptyInAlter(t *testing.T) {
	path := file(t)
	st := open(t, path, &sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	if err := st.Migrate(t.Context(), sheets.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return sheets.Insert(tx, &sheet{SheetID: 7, Cells: []byte("[1]"), Notes: []byte("{}")})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host(t, path).Exec("UPDATE sheets SET cells = '[1]]'"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			if _, err := sheets.Get(tx, 7); err != nil {
				return err
			}
			return sheets.Alter(tx, func(row []store.Value) {
				if row[1].Text() != "[]" {
					t.Errorf("Alter reads the cells %s, want []", row[1].Text())
				}
			}, store.InInts("sheet_id", 7))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
