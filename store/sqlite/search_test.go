package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// An article has the columns that searches of products use; unindexed ones are scanned.
type article struct {
	ArticleID int64  `json:"article_id" store:"key"`
	Name      string `json:"name" store:"fold,search"`
	Code      string `json:"code" store:"fold,search"`
	Text      string `json:"text" store:"fold"`
	Created   int64  `json:"created" store:"index"`
	Status    string `json:"status" store:"index"`
	Amount    int64  `json:"amount"`
}

type unindexed struct {
	ArticleID int64  `json:"article_id" store:"key"`
	Name      string `json:"name" store:"fold"`
	Code      string `json:"code" store:"fold"`
	Text      string `json:"text" store:"fold"`
	Created   int64  `json:"created" store:"index"`
	Status    string `json:"status" store:"index"`
	Amount    int64  `json:"amount"`
}

var (
	articles    = store.MustTable[article]("articles")
	unindexedes = store.MustTable[unindexed]("unindexed")
)

func articleOf(n int64) article {
	kinds := []string{"Cup, red", "Large vase of glazed stoneware", "Teapot", "Bowl, handmade in Berlin", "Product"}
	return article{
		Name: fmt.Sprintf("%s no. %d", kinds[n%5], n), Code: fmt.Sprintf("P-%06d", n*7919%1_000_003), Text: strings.Repeat("What is told of it. ", 10),
		Created: n * 7919 % 100_003, Status: "A", Amount: n % 50,
	}
}

func addArticles(t testing.TB, st store.Store, from, to int64) {
	t.Helper()
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for n := from; n < to; n++ {
			a := articleOf(n)
			b := unindexed(a)
			if err := errors.Join(articles.Insert(tx, &a), unindexedes.Insert(tx, &b)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func openArticles(t testing.TB, rows int64) *sqlite.Store {
	t.Helper()
	st := open(t, filepath.Join(t.TempDir(), "articles.db"), nil)
	if err := st.Migrate(t.Context(), articles.Schema(), unindexedes.Schema()); err != nil {
		t.Fatal(err)
	}
	addArticles(t, st, 0, rows)
	return st
}

func TestSearchIndexFindsCandidates(t *testing.T) {
	st := openArticles(t, 5000)
	addArticles(t, st, 5000, 5010) // wait in the queue
	for _, c := range []struct {
		name  string
		where store.Cond
		most  int // candidates, 0 for a scan
	}{
		{"rare", store.Contains("name", "no. 4999"), 220},
		{"none", store.Contains("name", "qqq"), 1},
		{"in the queue", store.Contains("name", "NO. 5009"), 220},
		{"frequent", store.Contains("name", "no. "), 0},
		{"short", store.Contains("name", "99"), 0},
		{"not indexed", store.Contains("text", "qqq"), 0},
		{"opposite", store.Not(store.Contains("name", "qqq")), 0},
		{"any", store.Any(store.Contains("name", "qqq"), store.Contains("code", "zzz")), 1},
		{"any with a scan", store.Any(store.Contains("name", "qqq"), store.Contains("text", "zzz")), 0},
		{"all with a scan", store.All(store.Contains("name", "qqq"), store.Contains("text", "zzz")), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, ok, err := st.Candidates(t.Context(), articles.Schema(), c.where)
			if err != nil || ok != (c.most > 0) || n > c.most {
				t.Errorf("%d candidates, %v, %v, want at most %d", n, ok, err, c.most)
			}
		})
	}
}

// Another program needs nothing of the index to write to the table, and a table that it
// has made anew is scanned until Migrate.
func TestSearchIndexBesideOtherPrograms(t *testing.T) {
	st := openArticles(t, 600)
	find := func(want int64) {
		t.Helper()
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			n, err := articles.Count(tx, store.Contains("name", "by another"))
			if n != want {
				t.Errorf("%d rows are found, want %d", n, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := st.DB().ExecContext(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	find(0)
	exec("UPDATE articles SET name = 'By another', name_fold = 'by another' WHERE article_id = 7")
	find(1)
	exec("INSERT INTO articles (name, name_fold) VALUES ('By another', 'by another')")
	find(2)
	exec("DELETE FROM articles WHERE article_id = 7")
	find(1)
	var create string
	if err := st.DB().QueryRowContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'articles'").Scan(&create); err != nil {
		t.Fatal(err)
	}
	exec(strings.Replace(create, "articles", "copy", 1) + `; INSERT INTO copy SELECT * FROM articles; DROP TABLE articles;
		ALTER TABLE copy RENAME TO articles; UPDATE articles SET name_fold = 'by another' WHERE article_id < 4`)
	find(4)
	if err := st.Migrate(t.Context(), articles.Schema()); err != nil {
		t.Fatal(err)
	}
	find(4)
	addArticles(t, st, 600, 1500) // until the queue is emptied
	find(4)
}

// The index has the settings of searchindex.go, also where an earlier version of the library made it. A
// Migrate that changes none writes nothing.
func TestMigrateSetsUpTheSearchIndex(t *testing.T) {
	path := file(t)
	st := open(t, path, nil)
	migrate := func() {
		t.Helper()
		if err := open(t, path, nil).Migrate(t.Context(), articles.Schema()); err != nil {
			t.Fatal(err)
		}
	}
	settings := func() map[string]string {
		t.Helper()
		rows, err := st.DB().Query(`SELECT k, v FROM "articles.search_config"`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		all := make(map[string]string)
		for rows.Next() {
			var k, v string
			if err := rows.Scan(&k, &v); err != nil {
				t.Fatal(err)
			}
			all[k] = v
		}
		return all
	}
	migrate()
	want := settings()
	for _, earlier := range []string{
		`DELETE FROM "articles.search_config" WHERE k <> 'version'`,
		`DELETE FROM "articles.search_config" WHERE k NOT IN ('version', 'deletemerge')`,
		`INSERT INTO "articles.search" ("articles.search", rank) VALUES ('automerge', 4)`,
	} {
		if _, err := st.DB().ExecContext(t.Context(), earlier); err != nil {
			t.Fatal(err)
		}
		migrate()
		if diff := cmp.Diff(want, settings()); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", earlier, diff)
		}
	}
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	migrate()
	if after := size(); after != before {
		t.Errorf("a Migrate with nothing to do has written %d bytes", after-before)
	}
}

// The commits of changes of texts do not merge much of the index at once: other changes would wait. Its
// segments stay few, for searches.
func TestSearchIndexIsMergedInParts(t *testing.T) {
	path := file(t)
	st := open(t, path, nil)
	if err := st.Migrate(t.Context(), subscribers.Schema()); err != nil {
		t.Fatal(err)
	}
	const rows, change = 20_000, 32
	random := rand.New(rand.NewPCG(1, 2))
	of := func(id int64) *subscriber {
		words := make([]string, 8)
		for i := range words {
			words[i] = fmt.Sprintf("%x", random.Uint64N(1<<44))
		}
		return &subscriber{ID: id, Email: fmt.Sprint(id), Name: strings.Join(words, " ")}
	}
	update := func(n int, fn func(tx store.Tx, i int) error) {
		t.Helper()
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
			for i := 0; i < n && err == nil; i++ {
				err = fn(tx, i)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	update(rows, func(tx store.Tx, i int) error { return subscribers.Insert(tx, of(int64(i+1))) })
	update(change, func(tx store.Tx, i int) error { return subscribers.Update(tx, of(int64(i+1))) }) // it indexes the rest
	query := func(sql string) (n int64) {
		t.Helper()
		if err := st.DB().QueryRowContext(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	pages := func() map[int64]bool {
		t.Helper()
		rows, err := st.DB().QueryContext(t.Context(), `SELECT id FROM "subscribers.search_data"`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		all := make(map[int64]bool)
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			all[id] = true
		}
		return all
	}
	before := pages()
	for range 200 {
		update(change, func(tx store.Tx, _ int) error { return subscribers.Update(tx, of(1+random.Int64N(rows))) })
		after, written := pages(), 0
		for id := range after {
			if !before[id] {
				written++
			}
		}
		if written > len(after)/3 {
			t.Fatalf("a change of %d rows has written %d of the %d pages of the index", change, written, len(after))
		}
		before = after
	}
	if n := query(`SELECT count(DISTINCT id >> 37 & 65535) FROM "subscribers.search_data" WHERE id > 10`); n > 40 {
		t.Errorf("the index has %d segments", n)
	}
}

// An index that grew with its table equals a new index.
func TestSearchQueueIsEmptied(t *testing.T) {
	st := openArticles(t, 300)
	for n := int64(300); n < 2000; n += 50 {
		addArticles(t, st, n, n+50)
	}
	var queued int
	if err := st.DB().QueryRowContext(t.Context(), `SELECT count(*) FROM "articles.search.queue"`).Scan(&queued); err != nil {
		t.Fatal(err)
	}
	if queued > sqlite.MaxQueued+50 {
		t.Errorf("%d rows wait in the queue", queued)
	}
}

// Of long rows fewer wait, so that searches read about as many bytes.
func TestSearchQueueIsEmptied_OfLongRows(t *testing.T) {
	for name, c := range map[string]struct{ text, most int }{
		"short": {10, sqlite.MaxQueued},
		"long":  {5000, sqlite.MinQueued},
	} {
		t.Run(name, func(t *testing.T) {
			st, most := openArticles(t, 0), 0
			for range 2 * sqlite.MaxQueued / 10 {
				err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					for range 10 {
						if err := articles.Insert(tx, &article{Name: "jug", Text: strings.Repeat("x", c.text)}); err != nil {
							return err
						}
					}
					return nil
				})
				var queued int
				if err == nil {
					err = st.DB().QueryRowContext(t.Context(), `SELECT count(*) FROM "articles.search.queue"`).Scan(&queued)
				}
				if err != nil {
					t.Fatal(err)
				}
				most = max(most, queued)
			}
			if most > c.most || most < c.most-10 {
				t.Errorf("%d rows have waited at most, want about %d", most, c.most)
			}
		})
	}
}

// The columns of a table may have the names of the ones of its queue.
func TestSearchQueueIsEmptied_OfATableWithItsNames(t *testing.T) {
	type named struct {
		ID   int64  `json:"id" store:"key"`
		N    string `json:"n" store:"fold,search"`
		Text string `json:"text"`
	}
	names := store.MustTable[named]("names")
	st := open(t, file(t), nil)
	if err := st.Migrate(t.Context(), names.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for n := range sqlite.MaxQueued + 1 {
			if err := names.Insert(tx, &named{N: fmt.Sprint("name ", n)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var queued int
	if err := st.DB().QueryRowContext(t.Context(), `SELECT count(*) FROM "names.search.queue"`).Scan(&queued); err != nil || queued > 0 {
		t.Errorf("%d rows wait in the queue, %v, want none", queued, err)
	}
	if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return names.Insert(tx, &named{N: "Name 599, again"}) }); err != nil {
		t.Fatal(err)
	}
	if n, ok, err := st.Candidates(t.Context(), names.Schema(), store.Contains("n", "name 599")); n < 2 || n > 300 || !ok || err != nil {
		t.Errorf("%d candidates, %v, %v, want the row that waits, the other one, and at most 300", n, ok, err)
	}
}

// One commit indexes few long texts, however many wait: it would hold the writer.
func TestSearchQueue_LongTextsByAndBy(t *testing.T) {
	st := openArticles(t, 0)
	text := strings.Repeat("A long text. ", 5000)
	queued := func() (n int) {
		t.Helper()
		if err := st.DB().QueryRowContext(t.Context(), `SELECT count(*) FROM "articles.search.queue"`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := 0
	for n := range 270 {
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			return articles.Insert(tx, &article{Name: fmt.Sprintf("%d %s", n, text)})
		})
		if err != nil {
			t.Fatal(err)
		}
		now := queued()
		if indexed := before + 1 - now; indexed > 3 {
			t.Fatalf("the commit of row %d indexed %d texts of %d bytes", n, indexed, len(text))
		}
		before = now
	}
	if before > 260 {
		t.Errorf("%d rows wait in the queue", before)
	}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		for needle, want := range map[string]int64{"268 a long": 1, "0 a long": 27, "long text": 270} {
			if n, err := articles.Count(tx, store.Contains("name", needle)); n != want || err != nil {
				t.Errorf("%s is found in %d rows, %v, want %d", needle, n, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// benchmarkArticles is how many rows the table of a benchmark has.
const benchmarkArticles = 100_000

func BenchmarkSearch(b *testing.B) {
	st := openArticles(b, benchmarkArticles)
	for _, c := range []struct{ name, text string }{
		{"1", "no. 99998"}, {"few", "9999"}, {"100", "p-0001"}, {"none", "teapots"}, {"3characters", "987"}, {"frequent", "vase"}, {"short", "99"},
	} {
		q := store.Query{Where: []store.Cond{store.Any(store.Contains("name", c.text), store.Contains("code", c.text))}, Order: []store.Order{store.Desc("created")}, Limit: 10}
		b.Run("index/"+c.name, func(b *testing.B) { benchmarkSearch(b, st, &articles.Reader, q) })
		b.Run("scan/"+c.name, func(b *testing.B) { benchmarkSearch(b, st, &unindexedes.Reader, q) })
	}
}

func benchmarkSearch[T any](b *testing.B, st store.Store, table *store.Reader[T], q store.Query) {
	n := int64(0)
	for i := int64(0); b.Loop(); i++ {
		// Another condition each time, so that no count is cached.
		one := q
		one.Where = append([]store.Cond{store.AtLeast("amount", store.Int(-1-i))}, q.Where...)
		err := st.View(b.Context(), func(_ context.Context, tx store.Tx) (err error) {
			_, n, err = table.Page(tx, one)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "matches")
}

// BenchmarkSearchWrite writes rows one by one: a new one, a new name, and a change of
// something else.
func BenchmarkSearchWrite(b *testing.B) {
	st := openArticles(b, benchmarkArticles/5)
	write := func(name string, fn func(tx store.Tx, i int64) error) {
		b.Run(name, func(b *testing.B) {
			for i := int64(0); b.Loop(); i++ {
				if err := st.Update(b.Context(), func(_ context.Context, tx store.Tx) error { return fn(tx, i) }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	write("insert/index", func(tx store.Tx, i int64) error {
		a := articleOf(i)
		return articles.Insert(tx, &a)
	})
	write("insert/plain", func(tx store.Tx, i int64) error {
		a := unindexed(articleOf(i))
		return unindexedes.Insert(tx, &a)
	})
	write("name/index", func(tx store.Tx, i int64) error {
		a := articleOf(i)
		a.ArticleID = 1 + i%(benchmarkArticles/5)
		a.Name = fmt.Sprintf("Renamed %d", i)
		return articles.Update(tx, &a)
	})
	write("name/plain", func(tx store.Tx, i int64) error {
		a := unindexed(articleOf(i))
		a.ArticleID = 1 + i%(benchmarkArticles/5)
		a.Name = fmt.Sprintf("Renamed %d", i)
		return unindexedes.Update(tx, &a)
	})
	write("other/index", func(tx store.Tx, i int64) error {
		a, err := articles.Get(tx, 1+i%20_000)
		if err != nil {
			return err
		}
		a.Amount = i
		return articles.Update(tx, &a)
	})
	write("other/plain", func(tx store.Tx, i int64) error {
		a, err := unindexedes.Get(tx, 1+i%20_000)
		if err != nil {
			return err
		}
		a.Amount = i
		return unindexedes.Update(tx, &a)
	})
}

type subscriber struct {
	ID    int64  `json:"id" store:"key"`
	Email string `json:"email"`
	Name  string `json:"name" store:"fold,search"`
}

var subscribers = store.MustTable[subscriber]("subscribers", store.Index{Columns: []string{"email"}, Unique: true})

// A row of a searched table that is refused leaves nothing, where its Update goes on.
func TestSearch_OfARowThatIsRefused(t *testing.T) {
	path := file(t)
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if err := st.Migrate(t.Context(), subscribers.Schema()); err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, m := range []subscriber{{1, "a", "first"}, {0, "b", "second"}} {
			if err := subscribers.Insert(tx, &m); err != nil {
				return err
			}
		}
		for _, m := range []subscriber{{0, "a", "third"}, {1, "c", "third"}, {7, "b", "third"}} {
			if err := subscribers.Insert(tx, &m); !errors.Is(err, store.ErrConflict) {
				t.Errorf("%v is inserted: %v", m, err)
			}
		}
		return subscribers.Insert(tx, &subscriber{0, "d", "fourth"})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []subscriber{{1, "a", "first"}, {2, "b", "second"}, {3, "d", "fourth"}}
	for text, want := range map[string][]subscriber{"": want, "third": {}, "fourth": want[2:]} {
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			q := store.Query{}
			if text != "" {
				q.Where = []store.Cond{store.Contains("name", text)}
			}
			got, total, err := subscribers.Page(tx, q)
			if diff := cmp.Diff(want, append([]subscriber{}, got...)); diff != "" || total != int64(len(want)) {
				t.Errorf("%q: total %d (-want +got):\n%s", text, total, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var check string
	var queued int
	if err := host(t, path).QueryRow(`SELECT (SELECT integrity_check FROM pragma_integrity_check), (SELECT count(*) FROM "subscribers.search.queue")`).Scan(&check, &queued); err != nil {
		t.Fatal(err)
	}
	if check != "ok" || queued != 3 {
		t.Errorf("the file is %s, %d rows are queued, want ok and 3", check, queued)
	}
}
