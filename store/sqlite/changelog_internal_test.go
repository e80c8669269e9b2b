package sqlite

import (
	"testing"
	"unsafe"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

type cup struct {
	CupID int64  `json:"cup_id,string" store:"key"`
	Name  string `json:"name"`
}

type saucer struct {
	SaucerID int64  `json:"saucer_id,string" store:"key"`
	Name     string `json:"name"`
}

var (
	cups    = store.MustTable[cup]("cups").Schema()
	saucers = store.MustTable[saucer]("saucers").Schema()
)

func row(key int64, name string) []store.Value {
	return []store.Value{store.Int(key), store.String(name)}
}

// renamed are changes of rows of a table, one of each key.
func renamed(s *store.Schema, keys ...int64) *tableChanges {
	t := &tableChanges{schema: s}
	for _, key := range keys {
		t.rows = append(t.rows, driver.RowChange{Before: row(key, "before"), After: row(key, "next")})
	}
	return t
}

// bytesOfRenamed is what a change of renamed takes.
var bytesOfRenamed = driver.RowSize(row(1, "before")) + driver.RowSize(row(1, "next"))

// knows reports whether the log has every change of the table since the version. The read
// returned no row, so it is not affected by changes that the log has.
func (l *changeLog) knows(s *store.Schema, since uint64) bool {
	return l.unaffected(&driver.Read{Schema: s}, since)
}

func (l *changeLog) checkSize(t *testing.T, changes int) {
	t.Helper()
	if len(l.order) != changes || l.bytes != changes*bytesOfRenamed {
		t.Errorf("the log has %d changes of %d bytes, want %d of %d", len(l.order), l.bytes, changes, changes*bytesOfRenamed)
	}
}

// The log has its capacity, and no change more.
func TestChangeLog_Bounds(t *testing.T) {
	for name, c := range map[string]struct {
		capacity, most int
	}{
		"by number": {1 << 30, maxLogged},
		"by bytes":  {5 * bytesOfRenamed, 5},
	} {
		t.Run(name, func(t *testing.T) {
			l := &changeLog{capacity: c.capacity}
			for i := range c.most {
				l.commit(newLoggedCommit(renamed(cups, int64(i+1))), uint64(i), uint64(i+1))
			}
			l.checkSize(t, c.most)
			if !l.knows(cups, 0) {
				t.Fatalf("%d changes are not all in the log", c.most)
			}
			l.commit(newLoggedCommit(renamed(saucers, 1, 2)), uint64(c.most), uint64(c.most+1))
			l.checkSize(t, c.most)
			for since, known := range map[uint64]bool{0: false, 1: false, 2: true} {
				if got := l.knows(cups, since); got != known {
					t.Errorf("after two changes more, the changes since version %d are known: %v, want %v", since, got, known)
				}
			}
			if !l.knows(saucers, uint64(c.most)) {
				t.Error("the last changes are not known")
			}
		})
	}
}

// Changes of a table that were not all recorded end its log, and that of no other table.
func TestChangeLog_UnrecordedRows(t *testing.T) {
	l := &changeLog{capacity: 1 << 20}
	l.commit(newLoggedCommit(renamed(cups, 1, 2)), 0, 1)
	l.commit(newLoggedCommit(renamed(saucers, 1)), 0, 2)
	l.commit(newLoggedCommit(&tableChanges{schema: cups, partial: true}), 1, 3)
	l.checkSize(t, 1)
	if l.knows(cups, 3) || !l.knows(saucers, 0) {
		t.Errorf("the changes of cups are known: %v, of saucers: %v; want only the second", l.knows(cups, 3), l.knows(saucers, 0))
	}
	l.commit(newLoggedCommit(renamed(cups, 3)), 3, 4)
	l.checkSize(t, 2)
	if l.knows(cups, 2) || !l.knows(cups, 3) {
		t.Errorf("the changes of cups since 2 are known: %v, since 3: %v; want only the second", l.knows(cups, 2), l.knows(cups, 3))
	}
	// Another version of the library has another schema of the table.
	other := store.MustTable[cup]("cups").Schema()
	l.commit(newLoggedCommit(renamed(other, 1)), 4, 5)
	l.checkSize(t, 1)
	if l.knows(cups, 4) || l.knows(other, 5) {
		t.Error("the changes of cups are known after a change of another schema of the table")
	}
}

// Only a change that matters ends a read, wherever it is among those since the version.
func TestChangeLog_EachChangeCounts(t *testing.T) {
	everything := &driver.Read{Schema: cups} // without conditions: each new row matters
	for at := range uint64(3) {
		l := &changeLog{capacity: 1 << 20}
		for i := range uint64(3) {
			change := renamed(cups, 1)
			if i == at {
				change.rows[0].Before = nil
			}
			l.commit(newLoggedCommit(change), i, i+1)
		}
		l.commit(newLoggedCommit(&tableChanges{schema: cups}), 3, 4) // nothing
		for since := range uint64(5) {
			if got, want := l.unaffected(everything, since), since > at; got != want {
				t.Errorf("with a new row in version %d, the read of version %d is unaffected: %v, want %v", at+1, since, got, want)
			}
		}
	}
}

// The log retains no text of a request.
func TestChangeLog_OwnTexts(t *testing.T) {
	l, changed := &changeLog{capacity: 1 << 20}, renamed(cups, 1)
	text := changed.rows[0].After[1]
	l.commit(newLoggedCommit(changed), 0, 1)
	if unsafe.StringData(l.tables["cups"].changes[0].After[1].Text()) == unsafe.StringData(text.Text()) {
		t.Error("the log has the text of a request")
	}
}
