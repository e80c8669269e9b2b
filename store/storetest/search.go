package storetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var searchCases = []testCase{
	{"AnswersWhatAScanAnswers", testSearchRandom},
	{"SpecialTexts", testSearchSpecial},
	{"SeesTheOwnChangesOfAnUpdate", testSearchOwn},
	{"FrequentAndRareTexts", testSearchFrequent},
	{"RowsThatWereThereAreFound", testSearchMigrate},
}

// A note is a row of a table with a search index over two of its columns.
type note struct {
	NoteID int64   `json:"note_id" store:"key"`
	Title  string  `json:"title" store:"fold,search"`
	Text   *string `json:"text" store:"fold,search"`
	Other  string  `json:"other" store:"fold"` // is scanned
	Rank   int64   `json:"rank" store:"index"`
}

// An oldNote is a note as a version of the program without the index has it.
type oldNote struct {
	NoteID int64   `json:"note_id" store:"key"`
	Title  string  `json:"title" store:"fold"`
	Text   *string `json:"text" store:"fold"`
	Other  string  `json:"other" store:"fold"`
	Rank   int64   `json:"rank" store:"index"`
}

var (
	notes    = store.MustTable[note]("notes")
	oldNotes = store.MustTable[oldNote]("notes")
)

// searchTexts are the parts of random texts: characters that are special in searches, and
// letters that fold to others.
var searchTexts = []string{
	"a", "b", "ab", "abc", "tea", "TEA", "Straße", "STRASSE", "ß", "ÄÖÜ", "a\u0308", "Ǆ", "ΣΊΣΥΦΟΣ", "ς", "İ", "ﬁ", "Ꭰ", "李雷", "日本語", "\U0001F600", "\U00010400",
	"%", "_", `\`, "'", `"`, `""`, "*", "^", "(", ")", "-", "+", "AND", "OR", "NOT", "NEAR(", ":", "{", "\n", "\t", " ", "  ", "\uFFFD", "\uFFFE", "\uFFFF", "\u0001", "\u200B", "0", "12",
}

func randomSearchText(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(searchTexts[r.IntN(len(searchTexts))])
	}
	return b.String()
}

// part returns a part of a text, in another case.
func part(r *rand.Rand, text string) string {
	runes := []rune(text)
	if len(runes) == 0 {
		return ""
	}
	from := r.IntN(len(runes))
	to := from + 1 + r.IntN(min(300, len(runes)-from))
	switch part := string(runes[from:to]); r.IntN(3) {
	case 0:
		return strings.ToUpper(part)
	case 1:
		return strings.ToLower(part)
	default:
		return part
	}
}

func randomNote(r *rand.Rand) note {
	n := note{Title: randomSearchText(r, 8), Other: randomSearchText(r, 3), Rank: r.Int64N(5)}
	if r.IntN(3) > 0 {
		n.Text = new(randomSearchText(r, 120))
	}
	return n
}

func testSearchRandom(t *testing.T, st store.Store) {
	r := rand.New(rand.NewPCG(1, 2))
	migrate(t, st, notes.Schema())
	for round := range 3 {
		update(t, st, func(_ context.Context, tx store.Tx) error {
			for i := range 60 {
				n := randomNote(r)
				if i == 0 {
					n.NoteID = []int64{-5, math.MaxInt64 / 2, math.MinInt64 + 1, 1 << 40, -1 << 40, 77_777}[round]
				}
				if err := notes.Insert(tx, &n); err != nil {
					return err
				}
			}
			return nil
		})
		rows := list(t, st, notes, store.Query{})
		update(t, st, func(_ context.Context, tx store.Tx) error {
			for i := range rows {
				switch r.IntN(6) {
				case 0:
					changed := randomNote(r)
					changed.NoteID = rows[i].NoteID
					if err := notes.Update(tx, &changed); err != nil {
						return err
					}
				case 1:
					rows[i].Rank++
					if err := notes.Update(tx, &rows[i]); err != nil {
						return err
					}
				case 2:
					if err := notes.DeleteKey(tx, rows[i].NoteID); err != nil {
						return err
					}
				}
			}
			return nil
		})
		checkSearches(t, st, r)
	}
}

// checkSearches compares searches with [store.Match] on all rows.
func checkSearches(t *testing.T, st store.Store, r *rand.Rand) {
	t.Helper()
	rows := list(t, st, notes, store.Query{})
	values := make([][]store.Value, 0, len(rows))
	view(t, st, func(_ context.Context, tx store.Tx) error {
		return tx.Select(notes.Schema().All(), &store.Query{}, func(row []store.Value) error {
			values = append(values, append([]store.Value(nil), row...))
			return nil
		})
	})
	contains := func() store.Cond {
		text := randomSearchText(r, 6)
		if from := rows[r.IntN(len(rows))]; r.IntN(4) > 0 {
			text = part(r, from.Title)
			if from.Text != nil && r.IntN(2) == 0 {
				text = part(r, *from.Text)
			}
		}
		return store.Contains([]string{"title", "text", "text", "title", "other"}[r.IntN(5)], text)
	}
	for range 40 {
		where := []store.Cond{contains()}
		switch r.IntN(6) {
		case 0:
			where = append(where, contains(), store.Equal("rank", store.Int(r.Int64N(5))))
		case 1:
			where = []store.Cond{store.Any(contains(), contains())}
		case 2:
			where = []store.Cond{store.Not(contains()), contains()}
		case 3:
			where = []store.Cond{store.Any(store.All(contains(), contains()), store.Equal("rank", store.Int(1)), contains())}
		case 4:
			where = append(where, store.Not(store.Any(contains(), contains())))
		}
		want := []int64{}
		for i, row := range values {
			if store.Match(notes.Schema(), row, where, nil) {
				want = append(want, rows[i].NoteID)
			}
		}
		found := list(t, st, notes, store.Query{Where: where})
		got := make([]int64, len(found))
		for i := range found {
			got[i] = found[i].NoteID
		}
		same(t, fmt.Sprintf("a search finds what a scan finds, for %#v", where), want, got)
		same(t, fmt.Sprintf("and counts it, for %#v", where), int64(len(want)), count(t, st, notes, where...))
		checkSearchPage(t, st, where, want)
	}
}

func checkSearchPage(t *testing.T, st store.Store, where []store.Cond, want []int64) {
	t.Helper()
	view(t, st, func(_ context.Context, tx store.Tx) error {
		page, total, err := notes.Page(tx, store.Query{Where: where, Order: []store.Order{store.Desc("note_id")}, Limit: 3, Offset: 1})
		same(t, fmt.Sprintf("a page has the total, for %#v", where), int64(len(want)), total)
		for i, n := range page {
			if at := len(want) - 2 - i; at < 0 || want[at] != n.NoteID {
				t.Errorf("a page is in its order: row %d is %d, of %v", i, n.NoteID, want)
			}
		}
		return err
	})
}

func testSearchSpecial(t *testing.T, st store.Store) {
	migrate(t, st, notes.Schema())
	texts := []string{"", "a", "ab", "abc", "ABCD", "x\"y\"z", `"""`, "100% sure_thing", `back\slash\`, "Grüße aus Köln", "GRÜSSE AUS KÖLN", "a\nb\nc",
		"\U0001F600\U0001F601\U0001F602", "日本語テキスト", strings.Repeat("na", 300) + "end", "AND OR NOT", "\uFFFD\uFFFD\uFFFD", "\uFFFE\uFFFF\uFFFE"}
	for _, text := range texts {
		insert(t, st, notes, note{Title: text, Other: text})
	}
	for _, text := range append(texts, "\"", "bc", "bcd", "üss", "ÜSSE", "%", "%%%", "___", `\\\`, "a\nb", "end", strings.Repeat("na", 150), strings.Repeat("na", 151)+"x", "a\x00b", "ab\xff") {
		scanned := count(t, st, notes, store.Contains("other", text))
		same(t, fmt.Sprintf("a search for %q finds what a scan finds", text), scanned, count(t, st, notes, store.Contains("title", text)))
		same(t, "and its opposite", int64(len(texts))-scanned, count(t, st, notes, store.Not(store.Contains("title", text))))
	}
}

func testSearchOwn(t *testing.T, st store.Store) {
	migrate(t, st, notes.Schema())
	insert(t, st, notes, note{Title: "green tea"})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		n := func(rule, text string, want int64) {
			t.Helper()
			got, err := notes.Count(tx, store.Contains("title", text))
			if err != nil {
				t.Error(err)
			}
			same(t, rule, want, got)
		}
		n("an Update finds what was there", "green", 1)
		row := note{Title: "green coffee"}
		if err := notes.Insert(tx, &row); err != nil {
			return err
		}
		n("and what it has added", "green", 2)
		row.Title = "black coffee"
		if err := notes.Update(tx, &row); err != nil {
			return err
		}
		n("and changed", "black", 1)
		n("not what it was", "green", 1)
		if _, err := notes.Delete(tx, store.Contains("title", "black")); err != nil {
			return err
		}
		n("nor what it has removed", "coffee", 0)
		return nil
	})
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		if err := notes.Insert(tx, &note{Title: "never committed"}); err != nil {
			return err
		}
		return errTest
	})
	if err != errTest {
		t.Fatal(err)
	}
	same(t, "nothing of an Update that failed is found", int64(0), count(t, st, notes, store.Contains("title", "never")))
	same(t, "what was there is", int64(1), count(t, st, notes, store.Contains("title", "tea")))
}

func testSearchFrequent(t *testing.T, st store.Store) {
	migrate(t, st, notes.Schema())
	const many = 1500
	for _, n := range []int{many - 300, 100, 100, 100} {
		update(t, st, func(_ context.Context, tx store.Tx) error {
			for range n {
				row := note{Title: "a frequent title"}
				if err := notes.Insert(tx, &row); err != nil {
					return err
				}
				row.Title = fmt.Sprintf("a frequent title, number %d", row.NoteID)
				if err := notes.Update(tx, &row); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for text, want := range map[string]int64{"frequent": many, "number 1499": 1, "number 77": 11, "requent title, number 14": 111, "rare": 0, "freq": many, "qzx": 0} {
		same(t, "a search counts "+text, want, count(t, st, notes, store.Contains("title", text)))
		checkSearchPage(t, st, []store.Cond{store.Contains("title", text)}, noteKeys(t, st, text))
	}
	update(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := notes.Delete(tx, store.NotEqual("note_id", store.Int(77)))
		return err
	})
	insert(t, st, notes, note{Title: "a frequent one"})
	same(t, "what was removed is not found", int64(2), count(t, st, notes, store.Contains("title", "frequent")))
}

func noteKeys(t *testing.T, st store.Store, text string) (ids []int64) {
	t.Helper()
	for _, n := range list(t, st, notes, store.Query{}) {
		if strings.Contains(store.Fold(n.Title), text) {
			ids = append(ids, n.NoteID)
		}
	}
	return ids
}

func testSearchMigrate(t *testing.T, st store.Store) {
	migrate(t, st, oldNotes.Schema())
	insert(t, st, oldNotes, oldNote{Title: "Grüße"}, oldNote{Title: "other", Text: new("with GRÜSSE")})
	migrate(t, st, notes.Schema())
	same(t, "rows from before the index are found", int64(1), count(t, st, notes, store.Contains("title", "grüss")))
	same(t, "by all its columns", int64(1), count(t, st, notes, store.Contains("text", "grüss")))
	insert(t, st, oldNotes, oldNote{Title: "by an older program: grüße"})
	migrate(t, st, oldNotes.Schema())
	migrate(t, st, notes.Schema())
	insert(t, st, oldNotes, oldNote{Title: "grüßend"})
	same(t, "rows of a program without the index are found", int64(3), count(t, st, notes, store.Contains("title", "grüss")))
}
