package store_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// tags is a list that is stored as one text. Texts that begin with BAD cannot be
// unmarshaled.
type tags []string

func (w tags) MarshalText() ([]byte, error) {
	if len(w) > 0 && w[0] == "BAD" {
		return nil, errBad
	}
	var text []byte
	for _, word := range w {
		text = append(append(text, word...), ' ')
	}
	return text, nil
}

func (w *tags) UnmarshalText(text []byte) error {
	for i, from := 0, 0; i < len(text); i++ {
		if text[i] == ' ' {
			*w, from = append(*w, string(text[from:i])), i+1
		}
	}
	if len(text) > 0 && text[len(text)-1] != ' ' {
		return errBad
	}
	return nil
}

var errBad = errors.New("bad tags")

type visit struct {
	ID    int64       `json:"id" store:"key"`
	From  netip.Addr  `json:"from" store:"index"`
	Via   *netip.Addr `json:"via"`
	Words tags        `json:"words"`
}

// visitText is the same table, with plain texts.
type visitText struct {
	ID    int64  `json:"id" store:"key"`
	Words string `json:"words"`
}

var (
	visits     = store.MustTable[visit]("visits", store.Index{Columns: []string{"words"}, Unique: true})
	visitTexts = store.Project[visitText](visits)
)

// A type that writes and reads itself as text is a column of texts.
func TestTextualColumns(t *testing.T) {
	want := []store.Column{
		{Name: "id", Kind: store.Integer},
		{Name: "from", Kind: store.Text},
		{Name: "via", Kind: store.Text, Null: true},
		{Name: "words", Kind: store.Text},
	}
	if diff := cmp.Diff(want, visits.Schema().Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	st := memory.New()
	if err := st.Migrate(t.Context(), visits.Schema()); err != nil {
		t.Fatal(err)
	}
	proxy := netip.MustParseAddr("2001:db8::1")
	rows := []visit{
		{From: netip.MustParseAddr("192.0.2.10"), Via: &proxy, Words: tags{"CUP", "MUG"}},
		{},
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range rows {
			if err := visits.Insert(tx, &rows[i]); err != nil {
				return err
			}
			got, err := visits.Get(tx, rows[i].ID)
			if diff := cmp.Diff(rows[i], got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); err != nil || diff != "" {
				t.Errorf("Get: %v (-want +got):\n%s", err, diff)
			}
		}
		if got, err := visitTexts.Get(tx, 1); err != nil || got.Words != "CUP MUG " {
			t.Errorf("stored as %q, %v", got.Words, err)
		}
		if err := visits.Insert(tx, &visit{Words: tags{"CUP", "MUG"}}); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the same text again: %v, want a conflict", err)
		}
		if err := visits.Insert(tx, &visit{Words: tags{"BAD"}}); !errors.Is(err, errBad) {
			t.Errorf("a value that has no text: %v, want its error", err)
		}
		if err := visits.Insert(tx, &visit{Words: tags{"\x00"}}); !errors.Is(err, store.ErrBadText) {
			t.Errorf("a text that no row can hold: %v, want ErrBadText", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := visits.Changed(&rows[0], &visit{ID: 1, From: rows[0].From, Words: tags{"CUP"}})
	if diff := cmp.Diff([]string{"via", "words"}, changed); err != nil || diff != "" {
		t.Errorf("changed columns: %v (-want +got):\n%s", err, diff)
	}
}

// A stored text that the type does not read is its zero value.
func TestUnreadableTextualColumn(t *testing.T) {
	type row struct {
		ID    int64  `json:"id" store:"key"`
		From  string `json:"from" store:"index"`
		Words string `json:"words"`
	}
	texts := store.MustTable[row]("texts")
	type read struct {
		ID    int64      `json:"id" store:"key"`
		From  netip.Addr `json:"from"`
		Words tags       `json:"words"`
	}
	reads := store.Project[read](texts)
	st := memory.New()
	if err := st.Migrate(t.Context(), texts.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		if err := texts.Insert(tx, &row{From: "nowhere", Words: "HALF A"}); err != nil {
			return err
		}
		got, err := reads.Get(tx, 1)
		if got.From.IsValid() || got.Words != nil {
			t.Errorf("read as %+v, want zero values", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// day is stored as 2006-01-02, though time.Time has an AppendText.
type day struct{ time.Time }

func (d day) MarshalText() ([]byte, error) { return []byte(d.Format(time.DateOnly)), nil }

func (d *day) UnmarshalText(text []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(text))
	return err
}

// A type is stored as its MarshalText says, whatever it embeds.
func TestTextualColumnOfATypeThatEmbedsAnother(t *testing.T) {
	type row struct {
		ID  int64 `json:"id" store:"key"`
		Day day   `json:"day"`
	}
	days := store.MustTable[row]("days")
	st := memory.New()
	if err := st.Migrate(t.Context(), days.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		want := row{Day: day{time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)}}
		if err := days.Insert(tx, &want); err != nil {
			return err
		}
		got, err := days.Get(tx, want.ID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Get: %v (-want +got):\n%s", err, diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
