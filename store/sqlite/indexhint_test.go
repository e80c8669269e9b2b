package sqlite_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
)

type review struct {
	ReviewID int64  `json:"review_id,string" store:"key"`
	Status   string `json:"status"`
	Name     string `json:"name" store:"fold,index"`
	Time     int64  `json:"time"`
}

var reviews = store.MustTable[review]("reviews",
	store.Index{Columns: []string{"status", "time"}}, store.Index{Columns: []string{"time"}})

func TestIndexHints(t *testing.T) {
	path := file(t)
	st := open(t, path, nil)
	if err := st.Migrate(t.Context(), reviews.Schema()); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range int64(2000) {
			r := review{Status: "A", Name: fmt.Sprintf("Ana %04d", i*7919%2000), Time: i}
			if i%20 == 0 {
				r.Status = "D"
			}
			if err := reviews.Insert(tx, &r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	approved, disapproved := store.Equal("status", store.String("A")), store.Equal("status", store.String("D"))
	byName := []store.Order{store.Asc("name")}
	const (
		index = "reviews.name_fold.index"
		walk  = ` INDEXED BY "` + index + `"`
		scan  = " NOT INDEXED"
	)
	for _, c := range []struct {
		name string
		q    store.Query
		want string
	}{
		{"the usual status", store.Query{Where: []store.Cond{approved}, Order: byName, Limit: 10}, walk},
		{"and one more condition", store.Query{Where: []store.Cond{approved, store.NotEqual("time", store.Int(10))}, Order: byName, Limit: 10}, walk},
		{"downwards", store.Query{Where: []store.Cond{approved}, Order: []store.Order{store.Desc("name")}, Limit: 10}, walk},
		{"a rare status", store.Query{Where: []store.Cond{disapproved}, Order: byName, Limit: 10}, ""},
		{"all rows", store.Query{Where: []store.Cond{approved}, Order: byName}, ""},
		{"a late page", store.Query{Where: []store.Cond{approved}, Order: byName, Limit: 10, Offset: 1500}, ""},
		{"an index for both", store.Query{Where: []store.Cond{approved}, Order: []store.Order{store.Asc("time")}, Limit: 10}, ""},
		{"a search for few", store.Query{Where: []store.Cond{store.Contains("name", "ana 0047")}, Order: []store.Order{store.Desc("time")}, Limit: 10}, scan},
		{"a search for many", store.Query{Where: []store.Cond{store.Contains("name", "ana")}, Order: []store.Order{store.Desc("time")}, Limit: 10}, ""},
		{"a search for none", store.Query{Where: []store.Cond{store.Contains("name", "bob")}, Order: []store.Order{store.Desc("time")}, Limit: 10}, scan},
		{"a search in a few", store.Query{Where: []store.Cond{store.Contains("name", "bob"), store.AtLeast("time", store.Int(1990))}, Order: []store.Order{store.Desc("time")}, Limit: 10}, ""},
		{"no condition", store.Query{Order: byName, Limit: 10}, ""},
		{"no index for the order", store.Query{Where: []store.Cond{approved}, Order: []store.Order{store.Asc("name"), store.Asc("time")}, Limit: 10}, ""},
	} {
		got, err := st.IndexHint(t.Context(), reviews.Schema(), &c.q)
		if err != nil || got != c.want {
			t.Errorf("%s: read%s, %v; want%s", c.name, got, err, c.want)
		}
	}

	first := func() (names []string) {
		t.Helper()
		err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			list, err := reviews.Select(tx, store.Query{Where: []store.Cond{approved}, Order: byName, Limit: 3})
			for _, r := range list {
				names = append(names, r.Name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	want := []string{"Ana 0001", "Ana 0002", "Ana 0003"}
	if diff := cmp.Diff(want, first()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if _, err := host(t, path).Exec(`DROP INDEX "` + index + `"`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, first()); diff != "" {
		t.Errorf("names, after the host dropped the index (-want +got):\n%s", diff)
	}
}

// The host's tables and triggers may change a written row in ways that the store cannot
// see, so they are not cached.
func TestCountsOfTablesThatTheHostChangesAreNotCached(t *testing.T) {
	const table = `CREATE TABLE notes (note_id INTEGER PRIMARY KEY, n INTEGER NOT NULL%s)%s;`
	for name, c := range map[string]struct {
		sql    string
		cached bool
	}{
		"ATableLikeOurs": {fmt.Sprintf(table, "", " STRICT"), true},
		"NotStrict":      {fmt.Sprintf(table, "", ""), false},
		"Replaces":       {fmt.Sprintf(table, " UNIQUE ON CONFLICT REPLACE", " STRICT"), false},
		"MayBeNull":      {`CREATE TABLE notes (note_id INTEGER PRIMARY KEY, n INTEGER) STRICT`, false},
		"Triggers": {fmt.Sprintf(table, "", " STRICT") +
			`CREATE TRIGGER host AFTER INSERT ON notes BEGIN UPDATE notes SET n = 5 WHERE note_id = new.note_id; END`, false},
		"TriggersInCapitals": {fmt.Sprintf(table, "", " STRICT") +
			`CREATE TRIGGER HOST AFTER INSERT ON NOTES BEGIN UPDATE NOTES SET N = 5 WHERE NOTE_ID = NEW.NOTE_ID; END`, false},
		"TableInCapitals": {`CREATE TABLE NOTES (note_id INTEGER PRIMARY KEY, n INTEGER NOT NULL)`, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			st := open(t, path, nil)
			if _, err := host(t, path).Exec(c.sql); err != nil {
				t.Fatal(err)
			}
			if err := st.Migrate(t.Context(), notes.Schema()); err != nil {
				t.Fatal(err)
			}
			for want := range int64(3) {
				if err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
					n, err := notes.Count(tx)
					if err == nil && n != want {
						t.Errorf("%d notes are counted, want %d", n, want)
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if _, ok := st.CachedCount(notes.Schema()); ok != c.cached {
					t.Errorf("the count is cached: %v, want %v", ok, c.cached)
				}
				if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
					return notes.Insert(tx, &note{N: want})
				}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
