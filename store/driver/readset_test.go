package driver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// A book, an author and a country: a book refers to an author, an author to a country.
type book struct {
	BookID   int64  `json:"book_id,string" store:"key"`
	AuthorID int64  `json:"author_id" store:"index"`
	Title    string `json:"title" store:"fold"`
	Pages    int64  `json:"pages"`
	Note     string `json:"note"`
}

type author struct {
	AuthorID  int64  `json:"author_id,string" store:"key"`
	CountryID int64  `json:"country_id"`
	Name      string `json:"name"`
}

type country struct {
	CountryID int64  `json:"country_id,string" store:"key"`
	Name      string `json:"name"`
}

var (
	books     = store.MustTable[book]("books")
	authors   = store.MustTable[author]("authors")
	countries = store.MustTable[country]("countries")
)

// rowStore is a [driver.RowVersioned] over the memory store. Tests declare its changes;
// the rows do not change.
type rowStore struct {
	*memory.Store
	version uint64
	unknown bool // the store cannot say its version
	changes []change
	asked   []uint64 // the versions that Unaffected was asked about
	until   uint64   // in place of version in the answer of Unaffected
}

type change struct {
	schema        *store.Schema
	before, after []store.Value
	version       uint64
}

var _ driver.RowVersioned = (*rowStore)(nil)

func newRowStore(t *testing.T) *rowStore {
	t.Helper()
	st := &rowStore{Store: memory.New(), version: 7}
	if err := st.Migrate(t.Context(), books.Schema(), authors.Schema(), countries.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range int64(3) {
			b := book{AuthorID: i%2 + 1, Title: fmt.Sprint("Title ", i+1), Pages: 100 * (i + 1)}
			if err := books.Insert(tx, &b); err != nil {
				return err
			}
		}
		return authors.Insert(tx, &author{CountryID: 1, Name: "Ana"})
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// View runs fn with a session of this store.
func (s *rowStore) View(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	return s.Store.View(context.Background(), func(_ context.Context, tx store.Tx) error {
		ctx, session := driver.NewSession(ctx, s, tx, false)
		return fn(ctx, session.Tx())
	})
}

func (s *rowStore) Version() (uint64, bool) { return s.version, !s.unknown }

func (s *rowStore) Unchanged(since uint64, reads []*driver.Read) bool {
	for _, c := range s.changes {
		for _, read := range reads {
			if c.schema == read.Schema && c.version > since {
				return false
			}
		}
	}
	return true
}

func (s *rowStore) Unaffected(since uint64, reads []*driver.Read) (uint64, bool) {
	s.asked = append(s.asked, since)
	for _, c := range s.changes {
		for _, read := range reads {
			if c.schema == read.Schema && c.version > since && read.Affected(c.before, c.after) {
				return 0, false
			}
		}
	}
	if s.until != 0 {
		return s.until, true
	}
	return s.version, true
}

// change declares that a row of a table changed.
func (s *rowStore) change(schema *store.Schema, before, after []store.Value) {
	s.version++
	s.changes = append(s.changes, change{schema, before, after, s.version})
}

func bookRow(id, author int64, title string, pages int64, note string) []store.Value {
	row := make([]store.Value, len(books.Schema().Columns))
	for i := range books.Schema().Columns {
		switch books.Schema().Columns[i].Name {
		case "book_id":
			row[i] = store.Int(id)
		case "author_id":
			row[i] = store.Int(author)
		case "title":
			row[i] = store.String(title)
		case "pages":
			row[i] = store.Int(pages)
		case "note":
			row[i] = store.String(note)
		}
	}
	return row
}

func authorRow(id int64, name string) []store.Value {
	return []store.Value{store.Int(id), store.Int(1), store.String(name)}
}

// readBooks returns the read set of a View that runs fn.
func readBooks(t *testing.T, st store.Store, fn func(tx store.Tx) error) *driver.ReadSet {
	t.Helper()
	reads := new(driver.ReadSet)
	err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error { return fn(tx) })
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

func selectBooks(q store.Query) func(tx store.Tx) error {
	return func(tx store.Tx) error { _, err := books.Select(tx, q); return err }
}

// selectEqual selects id and title of the books that match one condition.
func selectEqual(t *testing.T, cond store.Cond, order ...store.Order) func(tx store.Tx) error {
	return func(tx store.Tx) error {
		return tx.Select(projected(t, "book_id", "title"), &store.Query{Where: []store.Cond{cond}, Order: order}, func([]store.Value) error { return nil })
	}
}

// withoutKey makes the key of a row unknown.
func withoutKey(row []store.Value) []store.Value {
	row[0] = store.Null
	return row
}

func projected(t *testing.T, columns ...string) *store.Projection {
	t.Helper()
	p, err := books.Schema().Project(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each case reads, and then rows change: the read set is valid afterwards, or not.
func TestReadSet_Changes(t *testing.T) {
	viaAuthor := store.Via{Column: "author_id", Schema: authors.Schema()}
	withAuthor := &store.Projection{
		Schema: books.Schema(), Columns: []int{0},
		Joined: []store.Joined{{Via: viaAuthor, Columns: []int{authors.Schema().Index("name")}}},
	}
	first := bookRow(1, 1, "Title 1", 100, "")
	skip := func([]store.Value) error { return nil }
	short := store.AtMost("pages", store.Int(150))
	nested := store.InQuery("author_id", authors.Schema(), "author_id",
		store.InQuery("country_id", countries.Schema(), "country_id"))
	for _, c := range []struct {
		name   string
		read   func(tx store.Tx) error
		change func(st *rowStore)
		valid  bool
	}{
		{"nothing", selectBooks(store.Query{}), func(*rowStore) {}, true},
		{"a row of a table that was not read", selectBooks(store.Query{}),
			func(st *rowStore) { st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Eva")) }, true},
		{"a new row that matches", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "New", 50, "")) }, false},
		{"a new row that does not match", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "New", 500, "")) }, true},
		{"a removed row that matched", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) { st.change(books.Schema(), first, nil) }, false},
		{"a removed row that did not match", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) { st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), nil) }, true},
		{"a row that begins to match", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) {
				st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), bookRow(3, 1, "Title 3", 30, ""))
			}, false},
		{"a row that ceases to match", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 1000, "")) }, false},
		{"a column of a row that matches neither before nor after", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) {
				st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), bookRow(3, 1, "Title 3", 301, ""))
			}, true},
		{"a column of the order", selectBooks(store.Query{Order: []store.Order{store.Asc("note")}}),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, false},
		{"a column that decides neither order nor match and is not shown", func(tx store.Tx) error {
			return tx.Select(projected(t, "book_id", "title"), &store.Query{Order: []store.Order{store.Asc("pages")}}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, true},
		{"a column that is shown", func(tx store.Tx) error {
			return tx.Select(projected(t, "book_id", "note"), &store.Query{}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, false},
		{"a shown column of a row of another page", func(tx store.Tx) error {
			_, err := tx.Page(projected(t, "book_id", "note"), &store.Query{Order: []store.Order{store.Asc("pages")}, Limit: 1}, skip)
			return err
		}, func(st *rowStore) {
			st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), bookRow(3, 1, "Title 3", 300, "z"))
		}, true},
		{"a shown column of a row of the page", func(tx store.Tx) error {
			_, err := tx.Page(projected(t, "book_id", "note"), &store.Query{Order: []store.Order{store.Asc("pages")}, Limit: 1}, skip)
			return err
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, false},
		{"a row that is read without its key", func(tx store.Tx) error {
			return tx.Select(projected(t, "note"), &store.Query{}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, false},
		{"the row of a key", func(tx store.Tx) error { _, err := books.Get(tx, 1); return err },
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 101, "")) }, false},
		{"the row of another key", func(tx store.Tx) error { _, err := books.Get(tx, 1); return err },
			func(st *rowStore) {
				st.change(books.Schema(), bookRow(2, 2, "Title 2", 200, ""), bookRow(2, 2, "Title 2", 201, ""))
			}, true},
		{"the row of a key is removed", func(tx store.Tx) error { _, err := books.Get(tx, 1); return err },
			func(st *rowStore) { st.change(books.Schema(), first, nil) }, false},
		{"a row of another key is removed", func(tx store.Tx) error { _, err := books.Get(tx, 1); return err },
			func(st *rowStore) { st.change(books.Schema(), bookRow(2, 2, "Title 2", 200, ""), nil) }, true},
		{"the row of a key that was missing is added", func(tx store.Tx) error { books.Get(tx, 9); return nil },
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "New", 1, "")) }, false},
		{"a new row whose key is not known, of a Get", func(tx store.Tx) error { books.Get(tx, 9); return nil },
			func(st *rowStore) { st.change(books.Schema(), nil, withoutKey(bookRow(0, 1, "New", 1, ""))) }, false},
		{"a new row whose key is not known, of a condition on keys", selectBooks(store.Query{Where: []store.Cond{store.Any(short, store.AtLeast("book_id", store.Int(7)))}}),
			func(st *rowStore) { st.change(books.Schema(), nil, withoutKey(bookRow(0, 1, "New", 200, ""))) }, false},
		{"a new row whose key is not known, which does not match", selectBooks(store.Query{Where: []store.Cond{short}, Order: []store.Order{store.Asc("book_id")}}),
			func(st *rowStore) { st.change(books.Schema(), nil, withoutKey(bookRow(0, 1, "New", 200, ""))) }, true},
		{"a new row whose key is not known, which matches", selectBooks(store.Query{Where: []store.Cond{short}}),
			func(st *rowStore) { st.change(books.Schema(), nil, withoutKey(bookRow(0, 1, "New", 1, ""))) }, false},
		{"a row changes a column that the Get of its key did not show", func(tx store.Tx) error {
			return tx.Get(projected(t, "book_id", "title"), 1, make([]store.Value, 2))
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 1, "z")) }, true},
		{"a row with the number, a column that is not shown", selectEqual(t, store.Equal("author_id", store.Int(1))),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, true},
		{"a row with the number, a shown column", selectEqual(t, store.Equal("author_id", store.Int(1))),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Other", 100, "")) }, false},
		{"a row with another number", selectEqual(t, store.Equal("author_id", store.Int(1))),
			func(st *rowStore) {
				st.change(books.Schema(), bookRow(2, 2, "Title 2", 200, ""), bookRow(2, 2, "Other", 200, ""))
			}, true},
		{"a row that gets the number", selectEqual(t, store.Equal("author_id", store.Int(3))),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 3, "Title 1", 100, "")) }, false},
		{"a row that loses the number of a set", selectEqual(t, store.In("author_id", store.Int(1))),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 3, "Title 1", 100, "")) }, false},
		{"a new row with the number", selectEqual(t, store.In("author_id", store.Int(1))),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "New", 1, "")) }, false},
		{"a new row with a number that is not of the set", selectEqual(t, store.In("author_id", store.Int(1))),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 2, "New", 1, "")) }, true},
		{"a new row without a number", selectEqual(t, store.Equal("author_id", store.Value{})),
			func(st *rowStore) {
				row := bookRow(9, 1, "New", 1, "")
				row[books.Schema().Index("author_id")] = store.Value{}
				st.change(books.Schema(), nil, row)
			}, false},
		{"a new row without the number 0", selectEqual(t, store.Equal("author_id", store.Int(0))),
			func(st *rowStore) {
				row := bookRow(9, 1, "New", 1, "")
				row[books.Schema().Index("author_id")] = store.Value{}
				st.change(books.Schema(), nil, row)
			}, true},
		{"a row with the number, the column of the order, which is not shown", selectEqual(t, store.Equal("author_id", store.Int(1)), store.Asc("note")),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, false},
		{"a row with the number, the column of the order, which is shown", selectEqual(t, store.Equal("author_id", store.Int(1)), store.Asc("title")),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Other", 100, "")) }, false},
		{"a row with the number, on another page", func(tx store.Tx) error {
			_, err := tx.Page(projected(t, "book_id", "title"), &store.Query{Where: []store.Cond{store.Equal("author_id", store.Int(1))}, Limit: 1}, skip)
			return err
		}, func(st *rowStore) {
			st.change(books.Schema(), bookRow(3, 1, "Title 3", 300, ""), bookRow(3, 1, "Other", 300, ""))
		}, true},
		{"a row with one of several numbers", selectEqual(t, store.In("author_id", store.Int(1), store.Int(3))),
			func(st *rowStore) {
				st.change(books.Schema(), bookRow(2, 2, "Title 2", 200, ""), bookRow(2, 3, "Title 2", 200, ""))
			}, false},
		{"a row with the number, which is passed over", func(tx store.Tx) error {
			return tx.Select(projected(t, "book_id", "title"), &store.Query{Where: []store.Cond{store.Equal("author_id", store.Int(1))}, Offset: 1}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Other", 100, "")) }, true},
		{"the reference of the order of rows with a number", func(tx store.Tx) error {
			order := []store.Order{{Column: "author_id", Via: &store.Via{Column: "pages", Schema: authors.Schema()}}}
			return tx.Select(projected(t, "book_id", "author_id"), &store.Query{Where: []store.Cond{store.Equal("author_id", store.Int(1))}, Order: order}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 101, "")) }, false},
		{"how many rows have the number", func(tx store.Tx) error {
			_, err := books.Count(tx, store.Equal("author_id", store.Int(1)))
			return err
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Other", 1, "z")) }, true},
		{"the number of matches", func(tx store.Tx) error { _, err := books.Count(tx, short); return err },
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "New", 50, "")) }, false},
		{"a row that counts changes another column", func(tx store.Tx) error { _, err := books.Count(tx, short); return err },
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Other", 100, "z")) }, true},
		{"the table that an order refers to", selectBooks(store.Query{Order: []store.Order{{Column: "name", Via: &viaAuthor}}}),
			func(st *rowStore) { st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Eva")) }, false},
		{"the column of the order, which is not shown", func(tx store.Tx) error {
			return tx.Select(projected(t, "book_id", "title"), &store.Query{Order: []store.Order{store.Asc("note")}}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 100, "z")) }, false},
		{"the reference that an order goes through, which is not shown", func(tx store.Tx) error {
			return tx.Select(projected(t, "book_id", "title"), &store.Query{Order: []store.Order{{Column: "name", Via: &viaAuthor}}}, skip)
		}, func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 2, "Title 1", 100, "")) }, false},
		{"the reference that an order goes through", selectBooks(store.Query{Order: []store.Order{{Column: "name", Via: &viaAuthor}}}),
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 2, "Title 1", 100, "")) }, false},
		{"the table of a sub-query", selectBooks(store.Query{Where: []store.Cond{store.InQuery("author_id", authors.Schema(), "author_id")}}),
			func(st *rowStore) { st.change(authors.Schema(), nil, authorRow(2, "Eva")) }, false},
		{"the table of a negated sub-query", selectBooks(store.Query{Where: []store.Cond{store.Not(store.InQuery("author_id", authors.Schema(), "author_id"))}}),
			func(st *rowStore) { st.change(authors.Schema(), nil, authorRow(2, "Eva")) }, false},
		{"the table of a sub-query in a sub-query", selectBooks(store.Query{Where: []store.Cond{nested}}),
			func(st *rowStore) {
				st.change(countries.Schema(), nil, []store.Value{store.Int(1), store.String("A")})
			}, false},
		{"the table of a sub-query in a condition of several", selectBooks(store.Query{Where: []store.Cond{store.Any(short, nested)}}),
			func(st *rowStore) {
				st.change(countries.Schema(), nil, []store.Value{store.Int(1), store.String("A")})
			}, false},
		{"a row of a table that is searched", selectBooks(store.Query{Where: []store.Cond{store.Contains("title", "none")}}),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "There is NONE", 1, "")) }, false},
		{"a row of a table that is searched for beginnings", selectBooks(store.Query{Where: []store.Cond{store.BeginsFold("title", "none")}}),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "NONE at all", 1, "")) }, false},
		{"a column that another one is compared with", func(tx store.Tx) error {
			_, err := books.Count(tx, store.AtMostColumn("author_id", "pages"))
			return err
		},
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 1, "Title 1", 0, "")) }, false},
		{"a column that is compared with another one", func(tx store.Tx) error {
			_, err := books.Count(tx, store.AtMostColumn("author_id", "pages"))
			return err
		},
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 200, "Title 1", 100, "")) }, false},
		{"a row of a table that is compared without case", selectBooks(store.Query{Where: []store.Cond{store.EqualFold("title", "none")}}),
			func(st *rowStore) { st.change(books.Schema(), nil, bookRow(9, 1, "NONE", 1, "")) }, false},
		{"a joined table", func(tx store.Tx) error { return tx.Select(withAuthor, &store.Query{}, skip) },
			func(st *rowStore) { st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Eva")) }, false},
		{"the own table of a join, a column that is not shown", func(tx store.Tx) error { return tx.Select(withAuthor, &store.Query{}, skip) },
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 2, "Title 1", 100, "")) }, false},
		{"the own table of a join by key", func(tx store.Tx) error { return tx.Get(withAuthor, 1, make([]store.Value, 2)) },
			func(st *rowStore) { st.change(books.Schema(), first, bookRow(1, 2, "Title 1", 100, "")) }, false},
		{"a joined table by key", func(tx store.Tx) error { return tx.Get(withAuthor, 1, make([]store.Value, 2)) },
			func(st *rowStore) { st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Eva")) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := newRowStore(t)
			reads := readBooks(t, st, c.read)
			if !reads.Valid(t.Context()) {
				t.Fatal("the read set is not valid before the change")
			}
			c.change(st)
			if got := reads.Valid(t.Context()); got != c.valid {
				t.Errorf("the read set is valid: %v, want %v", got, c.valid)
			}
		})
	}
}

// Of more reads of one table than are recorded, every change of the table counts.
func TestReadSet_ManyReadsOfATable(t *testing.T) {
	for _, n := range []int64{16, 17, 40} {
		st := newRowStore(t)
		reads := readBooks(t, st, func(tx store.Tx) error {
			for key := range n {
				if _, err := books.Get(tx, 1000+key); err != store.ErrNotFound {
					return err
				}
			}
			return nil
		})
		st.change(books.Schema(), nil, bookRow(1000+n-1, 1, "New", 1, ""))
		if reads.Valid(t.Context()) {
			t.Errorf("%d reads by key are valid after the row of the last key was added", n)
		}
		if n > 16 {
			reads = readBooks(t, st, func(tx store.Tx) error {
				for range n - 1 {
					books.Get(tx, 1000)
				}
				_, err := books.Get(tx, 1)
				return err
			})
			st.change(books.Schema(), bookRow(1, 1, "Title 1", 100, ""), bookRow(1, 1, "Other", 100, ""))
			if reads.Valid(t.Context()) {
				t.Errorf("%d reads by key are valid after the row of the last key changed", n)
			}
		}
		other := readBooks(t, st, func(tx store.Tx) error { _, err := authors.Get(tx, 1); return err })
		st.change(books.Schema(), nil, bookRow(5, 1, "New", 1, ""))
		if !other.Valid(t.Context()) {
			t.Error("a read of another table is not valid")
		}
	}
	st := newRowStore(t)
	few := readBooks(t, st, func(tx store.Tx) error {
		for key := range int64(16) {
			books.Get(tx, 1000+key)
		}
		return nil
	})
	st.change(books.Schema(), nil, bookRow(5, 1, "New", 1, ""))
	if !few.Valid(t.Context()) {
		t.Error("16 reads by key are not valid after a row of another key was added")
	}
}

// Of a read that returns more rows than are recorded, every change of the table counts.
func TestReadSet_ManyRows(t *testing.T) {
	for _, c := range []struct {
		rows  int64
		valid bool
	}{{1000, true}, {1001, false}} {
		st := newRowStore(t)
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			for i := range c.rows {
				if err := books.Insert(tx, &book{BookID: 10 + i, Pages: 1}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		reads := readBooks(t, st, selectBooks(store.Query{Where: []store.Cond{store.AtMost("pages", store.Int(1))}}))
		st.change(books.Schema(), bookRow(1, 1, "Title 1", 100, ""), bookRow(1, 1, "Other", 100, ""))
		if got := reads.Valid(t.Context()); got != c.valid {
			t.Errorf("a read of %d rows is valid after the change of another row: %v, want %v", c.rows, got, c.valid)
		}
		last := bookRow(10+c.rows-1, 0, "", 1, "")
		st.change(books.Schema(), last, bookRow(10+c.rows-1, 0, "", 1, "z"))
		if reads.Valid(t.Context()) {
			t.Errorf("a read of %d rows is valid after the change of the last one", c.rows)
		}
	}
}

func TestReadSet_Empty(t *testing.T) {
	if reads := new(driver.ReadSet); reads.Complete() || reads.Valid(t.Context()) || reads.Began() {
		t.Error("a read set without reads is complete, valid or has begun")
	}
	var none *driver.ReadSet
	none.MarkUntracked()
	none.While(func() bool { return true })
	none.Merge(new(driver.ReadSet))
	if driver.ReadSetOf(t.Context()) != nil {
		t.Error("a context without a read set has one")
	}
}

func TestReadSet_MarkUntracked(t *testing.T) {
	reads := readBooks(t, newRowStore(t), selectBooks(store.Query{}))
	reads.MarkUntracked()
	if reads.Complete() || reads.Valid(t.Context()) || !reads.Began() {
		t.Error("a read set is complete or valid after MarkUntracked")
	}
}

func TestReadSet_While(t *testing.T) {
	reads := readBooks(t, newRowStore(t), selectBooks(store.Query{}))
	today, open := true, true
	reads.While(func() bool { return today })
	reads.While(func() bool { return open })
	if !reads.Valid(t.Context()) {
		t.Error("a read set is not valid while its conditions hold")
	}
	if open = false; reads.Valid(t.Context()) {
		t.Error("a read set is valid though a condition does not hold")
	}
	open, today = true, false
	if reads.Valid(t.Context()) {
		t.Error("a read set is valid though its first condition does not hold")
	}
}

// The version of a read set is that of the first View, and never a later one.
func TestReadSet_SeveralViews(t *testing.T) {
	st := newRowStore(t)
	reads := new(driver.ReadSet)
	ctx := driver.WithReadSet(t.Context(), reads)
	view := func(ctx context.Context, tx store.Tx) error { _, err := books.Get(tx, 1); return err }
	if err := st.View(ctx, view); err != nil {
		t.Fatal(err)
	}
	st.change(books.Schema(), bookRow(1, 1, "Title 1", 100, ""), bookRow(1, 1, "Other", 100, ""))
	if err := st.View(ctx, view); err != nil {
		t.Fatal(err)
	}
	if reads.Valid(t.Context()) {
		t.Error("a change between the two Views of a read set does not count")
	}
}

func TestReadSet_OfTwoStores(t *testing.T) {
	one, two := newRowStore(t), newRowStore(t)
	reads := new(driver.ReadSet)
	for _, st := range []store.Store{one, two} {
		err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
			_, err := books.Get(tx, 1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if reads.Complete() || reads.Valid(t.Context()) {
		t.Error("a read set of two stores is complete or valid")
	}
}

func TestReadSet_OfAStoreWithoutVersions(t *testing.T) {
	st := newRowStore(t)
	st.unknown = true
	if reads := readBooks(t, st, selectBooks(store.Query{})); reads.Complete() || reads.Valid(t.Context()) || !reads.Began() {
		t.Error("a read set is complete or valid while the store does not know its version")
	}
	ctx, session := driver.NewSession(driver.WithReadSet(t.Context(), new(driver.ReadSet)), struct{ store.Store }{st}, nil, false)
	if reads := driver.ReadSetOf(ctx); session == nil || reads.Complete() {
		t.Error("a read set is complete of a store that is not Versioned")
	}
}

// A store that does not know which rows changed knows which tables did.
func TestReadSet_OfAStoreWithoutRows(t *testing.T) {
	st := memory.New()
	if err := st.Migrate(t.Context(), books.Schema(), authors.Schema()); err != nil {
		t.Fatal(err)
	}
	reads := readBooks(t, st, selectBooks(store.Query{}))
	add := func(fn func(tx store.Tx) error) {
		t.Helper()
		if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return fn(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	add(func(tx store.Tx) error { return authors.Insert(tx, &author{}) })
	if !reads.Valid(t.Context()) {
		t.Error("a change of another table counts")
	}
	add(func(tx store.Tx) error { return books.Insert(tx, &book{}) })
	if reads.Valid(t.Context()) {
		t.Error("a change of the table does not count")
	}
}

// A change that was found to leave the reads as they are is not looked at again.
func TestReadSet_ValidAdvances(t *testing.T) {
	st := newRowStore(t)
	reads := readBooks(t, st, func(tx store.Tx) error { _, err := books.Get(tx, 1); return err })
	st.change(books.Schema(), nil, bookRow(5, 1, "New", 1, ""))
	if !reads.Valid(t.Context()) {
		t.Fatal("the row of another key counts")
	}
	st.change(books.Schema(), nil, bookRow(6, 1, "New", 1, ""))
	if !reads.Valid(t.Context()) || len(st.asked) != 2 || st.asked[0] != 7 || st.asked[1] != 8 {
		t.Errorf("Unaffected was asked from the versions %v, want 7 and then 8", st.asked)
	}
	// Unaffected may answer up to an earlier version than the present one.
	st.until = st.version
	st.change(books.Schema(), nil, bookRow(1, 1, "New", 1, ""))
	if reads.Valid(t.Context()) {
		t.Error("a change after the version that Unaffected answered for does not count")
	}
}

func TestReadSet_Merge(t *testing.T) {
	title := bookRow(1, 1, "Other", 100, "")
	first := bookRow(1, 1, "Title 1", 100, "")
	get := func(tx store.Tx) error { _, err := books.Get(tx, 1); return err }
	getAuthor := func(tx store.Tx) error { _, err := authors.Get(tx, 1); return err }

	t.Run("Reads", func(t *testing.T) {
		st := newRowStore(t)
		reads, other := readBooks(t, st, getAuthor), readBooks(t, st, get)
		size := reads.Size()
		reads.Merge(other)
		if !reads.Valid(t.Context()) {
			t.Fatal("a merged read set is not valid")
		}
		if got := reads.Size(); got != size+8 {
			t.Errorf("a read set takes %d bytes after a merge, want %d: the read is the other one's", got, size+8)
		}
		st.change(books.Schema(), first, title)
		if reads.Valid(t.Context()) {
			t.Error("a change of what was merged does not count")
		}
	})
	t.Run("IntoAnEmptyOne", func(t *testing.T) {
		st := newRowStore(t)
		reads := new(driver.ReadSet)
		reads.Merge(readBooks(t, st, get))
		if !reads.Valid(t.Context()) || !reads.Complete() {
			t.Fatal("a read set that was merged into an empty one is not valid")
		}
		st.change(books.Schema(), first, title)
		if reads.Valid(t.Context()) {
			t.Error("a change of what was merged does not count")
		}
	})
	t.Run("Conditions", func(t *testing.T) {
		st := newRowStore(t)
		today := true
		other := readBooks(t, st, get)
		other.While(func() bool { return today })
		reads := new(driver.ReadSet)
		reads.Merge(other)
		if !reads.Valid(t.Context()) {
			t.Fatal("a merged read set is not valid")
		}
		if today = false; reads.Valid(t.Context()) {
			t.Error("a merged condition that does not hold does not count")
		}
	})
	t.Run("ConditionThatHasEnded", func(t *testing.T) {
		other := readBooks(t, newRowStore(t), get)
		other.While(func() bool { return false })
		reads := new(driver.ReadSet)
		if reads.Merge(other); reads.Complete() {
			t.Error("a read set that is not valid was merged")
		}
	})
	t.Run("AfterAChange", func(t *testing.T) {
		st := newRowStore(t)
		other := readBooks(t, st, get)
		st.change(books.Schema(), first, title)
		reads := new(driver.ReadSet)
		if reads.Merge(other); reads.Complete() || reads.Valid(t.Context()) {
			t.Error("a read set that has changed was merged")
		}
	})
	for _, c := range []struct {
		name  string
		spoil func(st *rowStore, other *driver.ReadSet)
	}{
		{"WhatHasChanged", func(st *rowStore, _ *driver.ReadSet) { st.change(books.Schema(), first, title) }},
		{"WhatIsIncomplete", func(_ *rowStore, other *driver.ReadSet) { other.MarkUntracked() }},
		{"WithoutAVersion", func(st *rowStore, _ *driver.ReadSet) { st.unknown = true }},
	} {
		t.Run(c.name+"EndsACompleteOne", func(t *testing.T) {
			st := newRowStore(t)
			reads, other := readBooks(t, st, getAuthor), readBooks(t, st, get)
			c.spoil(st, other)
			if reads.Merge(other); reads.Complete() || reads.Valid(t.Context()) {
				t.Error("the read set is complete after the merge")
			}
		})
	}
	t.Run("Incomplete", func(t *testing.T) {
		other := readBooks(t, newRowStore(t), get)
		other.MarkUntracked()
		reads := new(driver.ReadSet)
		if reads.Merge(other); reads.Complete() {
			t.Error("an incomplete read set was merged")
		}
	})
	t.Run("OfAnotherStore", func(t *testing.T) {
		reads := readBooks(t, newRowStore(t), get)
		if reads.Merge(readBooks(t, newRowStore(t), get)); reads.Complete() {
			t.Error("read sets of two stores were merged")
		}
	})
	t.Run("WithoutVersions", func(t *testing.T) {
		st := newRowStore(t)
		other := readBooks(t, st, get)
		st.unknown = true
		reads := new(driver.ReadSet)
		if reads.Merge(other); reads.Complete() {
			t.Error("a read set was merged while the store does not know its version")
		}
	})
	// The reads of the other one are as new as the merge, and the own ones as old as they were.
	t.Run("KeepsTheOwnVersion", func(t *testing.T) {
		st := newRowStore(t)
		reads := readBooks(t, st, getAuthor)
		st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Eva"))
		if reads.Merge(readBooks(t, st, get)); reads.Valid(t.Context()) {
			t.Error("a change before the merge does not count")
		}
	})
	// Other tables may change between the reading of the other one and the merge.
	t.Run("CountsFromTheMerge", func(t *testing.T) {
		st := newRowStore(t)
		other := readBooks(t, st, get)
		st.change(authors.Schema(), authorRow(1, "Ana"), authorRow(1, "Eva"))
		reads := new(driver.ReadSet)
		reads.Merge(other)
		err := st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error { return getAuthor(tx) })
		if err != nil {
			t.Fatal(err)
		}
		if !reads.Valid(t.Context()) {
			t.Error("a change counts that came before the table was read")
		}
	})
}

func TestReadSet_Size(t *testing.T) {
	st := newRowStore(t)
	small := readBooks(t, st, func(tx store.Tx) error { _, err := books.Get(tx, 1); return err })
	text := strings.Repeat("x", 10_000)
	long := readBooks(t, st, selectBooks(store.Query{Where: []store.Cond{store.Equal("title", store.String(text))}}))
	set := readBooks(t, st, selectBooks(store.Query{Where: []store.Cond{store.All(store.In("title", store.String(text), store.String("b")))}}))
	for name, reads := range map[string]*driver.ReadSet{"a long text": long, "a long text in a set": set} {
		if got := reads.Size() - small.Size(); got < len(text) || got > 2*len(text) {
			t.Errorf("%s adds %d bytes, want about %d", name, got, len(text))
		}
	}
	if got := readBooks(t, st, selectBooks(store.Query{Limit: 1})).Size() - small.Size(); got < 80+8 {
		t.Errorf("a read of one row without its key adds %d bytes, want at least %d", got, 80+8)
	}
	anyOf := make([]store.Cond, 100)
	for i := range anyOf {
		anyOf[i] = store.Equal("pages", store.Int(int64(i)))
	}
	conds := readBooks(t, st, selectBooks(store.Query{Where: []store.Cond{store.Any(anyOf...)}}))
	if got, want := conds.Size()-small.Size(), len(anyOf)*(96+8); got < want {
		t.Errorf("%d conditions add %d bytes, want at least %d", len(anyOf), got, want)
	}
	many := readBooks(t, st, func(tx store.Tx) error {
		for key := range int64(12) {
			books.Get(tx, key)
		}
		return nil
	})
	if got := many.Size() - small.Size(); got < 11*64 {
		t.Errorf("eleven reads more add %d bytes, want at least %d", got, 11*64)
	}
	keys := readBooks(t, st, func(tx store.Tx) error { _, err := books.Get(tx, 1); return err })
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for range 500 {
			if err := books.Insert(tx, &book{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := readBooks(t, st, selectBooks(store.Query{})).Size() - keys.Size(); got < 500*8 {
		t.Errorf("the keys of 500 rows add %d bytes, want at least %d", got, 500*8)
	}
	tables := make([]*store.Schema, 9)
	for i := range tables {
		type row struct {
			ID int64 `json:"id,string" store:"key"`
		}
		tables[i] = store.MustTable[row](fmt.Sprint("table", i)).Schema()
		if err := st.Migrate(t.Context(), tables[i]); err != nil {
			t.Fatal(err)
		}
	}
	wide := readBooks(t, st, func(tx store.Tx) error {
		for _, s := range tables {
			if err := tx.Get(s.All(), 1, make([]store.Value, 1)); err != store.ErrNotFound {
				return err
			}
		}
		return nil
	})
	if got, want := wide.Size()-small.Size(), 8*(64+8); got < want {
		t.Errorf("reads of nine tables add %d bytes, want at least %d", got, want)
	}
	merged := new(driver.ReadSet)
	for range 3 {
		merged.Merge(readBooks(t, st, func(tx store.Tx) error {
			for key := range int64(12) {
				books.Get(tx, key)
			}
			return nil
		}))
	}
	if got := merged.Size(); got < 96 {
		t.Errorf("merged read sets take %d bytes, want at least those of an empty one", got)
	}
	keysFrom := func(from, n int64) *driver.ReadSet {
		return readBooks(t, st, func(tx store.Tx) error {
			for key := range n {
				books.Get(tx, from+key)
			}
			return nil
		})
	}
	merged = new(driver.ReadSet)
	merged.Merge(keysFrom(0, 16))
	merged.Merge(readBooks(t, st, func(tx store.Tx) error { _, err := authors.Get(tx, 1); return err })) // leaves room for reads
	full := merged.Size()
	merged.Merge(keysFrom(16, 1))
	if got := merged.Size() - full; got < 64 {
		t.Errorf("the read of the whole table, which a merge of too many reads makes, adds %d bytes, want at least 64", got)
	}
	before := small.Size()
	small.While(func() bool { return true })
	if small.Size() <= before {
		t.Error("a condition adds nothing to the size")
	}
}

// In an Update a read set is valid as long as the transaction has not changed its tables.
func TestReadSet_InAnUpdate(t *testing.T) {
	st := newRowStore(t)
	ofBooks := readBooks(t, st, selectBooks(store.Query{}))
	ofAuthors := readBooks(t, st, func(tx store.Tx) error { _, err := authors.Get(tx, 1); return err })
	err := st.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		ctx, session := driver.NewSession(t.Context(), st, tx, true)
		if !ofBooks.Valid(ctx) || !ofAuthors.Valid(ctx) {
			t.Error("a read set is not valid in an Update that has changed nothing")
		}
		if err := books.Insert(session.Tx(), &book{Title: "New"}); err != nil {
			return err
		}
		if ofBooks.Valid(ctx) {
			t.Error("a read set is valid in an Update that has changed its table")
		}
		if !ofAuthors.Valid(ctx) {
			t.Error("a read set is not valid in an Update that has changed another table")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadSet_Began(t *testing.T) {
	for name, st := range map[string]store.Store{"a store with versions": newRowStore(t), "a store that is asked": newAskedStore(t)} {
		if reads := readBooks(t, st, func(tx store.Tx) error { _, err := books.Get(tx, 1); return err }); !reads.Began() {
			t.Errorf("a read of %s has not begun", name)
		}
	}
}
