package sqlite

import (
	"fmt"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// A search index is a full-text index over the trigrams of the columns of a table that
// are marked search, in their folded form. It finds candidates: rows that may hold a
// text. The condition is then evaluated on each.
//
// Triggers add the key of each changed row to a queue, whichever program changes it, so
// that other programs need not know the index and writes stay cheap. The writer of a
// store moves the queue into the index when it has grown. All rows that changed since
// they were indexed are in the queue, so a row that is found in neither does not match.
//
// The names contain a dot, which the name of a schema cannot.
const (
	searchSuffix = ".search"
	queueSuffix  = ".search.queue"
)

// searchSettings are the settings of the search indexes of the engine. It adds a segment to an index
// with each flush, and merges segments of about the same size into one.
var searchSettings = []struct {
	name  string
	value int64
}{
	// With its own automerge the engine reads and writes up to half of an index in one commit where many
	// texts change. The writer merges a part after each flush instead (see indexQueue), once there are
	// usermerge segments of a size.
	{"automerge", 0},
	{"usermerge", 8},

	// A segment is written anew when this share of its rows, in percent, has changed since they were
	// indexed. With the engine's 10, random changes of texts take a third more of the processor; with 50 the
	// index is a third larger.
	{"deletemerge", 30},

	// Two pages of an index fit into a page of the file.
	{"pgsz", 980},
}

// isSearched reports whether the table has a search index.
func isSearched(s *store.Schema) bool {
	for i := range s.Columns {
		if s.Columns[i].Search {
			return true
		}
	}
	return false
}

// searchObjects returns the statements that create the index, by the names of the created
// objects, and these names in the order of their creation.
func searchObjects(s *store.Schema) (names []string, statements map[string]string) {
	statements = make(map[string]string)
	add := func(suffix, before, after string) {
		name := s.Name + suffix
		names = append(names, name)
		statements[name] = before + quote(name) + after
	}
	add(searchSuffix, "CREATE VIRTUAL TABLE ",
		" USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1')")
	add(queueSuffix, "CREATE TABLE ", " (n INTEGER PRIMARY KEY, id INTEGER NOT NULL)")
	table, key := quote(s.Name), quote(s.Key())
	enqueue := func(row string) string {
		return " ON " + table + " BEGIN INSERT INTO " + quote(s.Name+queueSuffix) + " (id) VALUES (" + row + "." + key + "); END"
	}
	add(".search.insert", "CREATE TRIGGER ", " AFTER INSERT"+enqueue("new"))
	add(".search.update", "CREATE TRIGGER ", " AFTER UPDATE OF "+key+", "+strings.Join(searchedColumns(s), ", ")+enqueue("new"))
	add(".search.delete", "CREATE TRIGGER ", " AFTER DELETE"+enqueue("old"))
	return names, statements
}

// searchedColumns names the columns that are indexed.
func searchedColumns(s *store.Schema) (names []string) {
	for i := range s.Columns {
		if s.Columns[i].Search {
			names = append(names, quote(s.Columns[i].Name+sqltext.FoldSuffix))
		}
	}
	return names
}

// indexRows is the statement that indexes rows, or indexes them again. The caller appends
// a condition.
func indexRows(s *store.Schema) string {
	texts := searchedColumns(s)
	for i, name := range texts {
		texts[i] = "coalesce(" + name + ", '')"
	}
	return "INSERT OR REPLACE INTO " + quote(s.Name+searchSuffix) + " (rowid, text) SELECT " +
		quote(s.Key()) + ", " + strings.Join(texts, " || char(10) || ") + " FROM " + quote(s.Name)
}

// hasSearch reports whether the table has its search index, as it is to be. A program
// that made the table anew may have left parts of it out.
func hasSearch(c *conn, s *store.Schema) (bool, error) {
	names, want := searchObjects(s)
	found := 0
	values := make([]store.Value, len(names))
	for i, name := range names {
		values[i] = store.String(name)
	}
	err := c.db.Query("SELECT name, sql FROM sqlite_schema WHERE name IN (?, ?, ?, ?, ?)", values, func(row []store.Value) error {
		if want[row[0].Text()] == row[1].Text() {
			found++
		}
		return nil
	})
	return found == len(names), err
}

// A searchState says whether a table has its search index in one state of the schema of
// the database.
type searchState struct {
	schema int64
	there  bool
}

// searches is hasSearch, which it asks again when the schema of the database has changed.
func (c *conn) searches(s *store.Schema) (bool, error) {
	if !isSearched(s) {
		return false, nil
	}
	var now int64
	err := c.searchRows(s, "PRAGMA schema_version", nil, func(row []store.Value) { now = row[0].Int() })
	if err != nil {
		return false, err
	}
	if known, ok := c.search[s]; ok && known.schema == now {
		return known.there, nil
	}
	there, err := hasSearch(c, s)
	if err != nil {
		return false, err
	}
	if c.search == nil {
		c.search = make(map[*store.Schema]searchState)
	}
	c.search[s] = searchState{now, there}
	return there, nil
}

// searchRows runs a statement of the index and calls each, if not nil, for its rows.
func (c *conn) searchRows(s *store.Schema, sql string, args []store.Value, each func(row []store.Value)) error {
	st, err := c.bind(searchSQL, s.All(), []byte(sql), args)
	if err != nil {
		return err
	}
	return c.stepAll(st, each)
}

// stepAll runs a statement, releases it, and calls each, if not nil, for its rows.
func (c *conn) stepAll(st *statement, each func(row []store.Value)) error {
	defer c.release(st)
	for {
		more, err := st.Step()
		if err != nil || !more {
			return err
		}
		if each != nil {
			st.Row(st.row)
			each(st.row)
		}
	}
}

// search creates the index of a table that has none, or another one, over the rows that
// are there, and sets it up.
func (m *migration) search(s *store.Schema) error {
	if !isSearched(s) {
		return nil
	}
	there, err := hasSearch(m.conn, s)
	if err != nil {
		return err
	}
	if !there {
		if err := m.createSearch(s); err != nil {
			return err
		}
	}
	if err := m.setSearch(s); err != nil || there {
		return err
	}
	return m.db.Exec(indexRows(s))
}

// setSearch changes the settings of the index that differ.
func (m *migration) setSearch(s *store.Schema) error {
	set := make(map[string]int64)
	err := m.db.Query("SELECT k, v FROM "+quote(s.Name+searchSuffix+"_config"), nil, func(row []store.Value) error {
		set[row[0].Text()] = row[1].Int()
		return nil
	})
	if err != nil {
		return err
	}
	index := quote(s.Name + searchSuffix)
	for _, want := range searchSettings {
		if v, ok := set[want.name]; ok && v == want.value {
			continue
		}
		if err := m.db.Exec(fmt.Sprintf("INSERT INTO %s (%[1]s, rank) VALUES ('%s', %d)", index, want.name, want.value)); err != nil {
			return err
		}
	}
	return nil
}

// createSearch creates an empty index, and removes the present one first.
func (m *migration) createSearch(s *store.Schema) error {
	names, statements := searchObjects(s)
	var list []string
	for i := len(names) - 1; i >= 0; i-- {
		kind, _, _ := strings.Cut(strings.TrimPrefix(statements[names[i]], "CREATE "), " ")
		if kind == "VIRTUAL" {
			kind = "TABLE"
		}
		list = append(list, "DROP "+kind+" IF EXISTS "+quote(names[i]))
	}
	for _, name := range names {
		list = append(list, statements[name])
	}
	for _, sql := range list {
		if err := m.db.Exec(sql); err != nil {
			return err
		}
	}
	return nil
}
