package sqlite

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// The rows that a transaction changes in a table are recorded up to a number of bytes, and
// then none of them.
func TestChanges_Bounds(t *testing.T) {
	half := renamed(cups, 1)
	of := func(bytes int) []driver.RowChange {
		rows := []driver.RowChange{{Before: row(1, "before"), After: row(1, "")}}
		rows[0].After = row(1, strings.Repeat("x", bytes-rows[0].Size()))
		return rows
	}
	var c changes
	c.note(cups, of(maxRecorded), false)
	if got := c.tables["cups"]; got.partial || len(got.rows) != 1 || got.bytes != maxRecorded {
		t.Fatalf("%d bytes of rows are recorded: %v, %d rows of %d bytes", maxRecorded, !got.partial, len(got.rows), got.bytes)
	}
	c.note(cups, half.rows, false)
	if got := c.tables["cups"]; !got.partial || got.rows != nil {
		t.Errorf("more than %d bytes of rows are recorded", maxRecorded)
	}
	c.note(cups, half.rows, false)
	if got := c.tables["cups"]; !got.partial || got.rows != nil {
		t.Error("rows are recorded after others were not")
	}
	c = changes{}
	c.note(cups, of(maxRecorded+1), false)
	if got := c.tables["cups"]; !got.partial || got.rows != nil {
		t.Errorf("%d bytes of rows are recorded", maxRecorded+1)
	}
}

// Several transactions that are committed together are one change.
func TestChanges_Add(t *testing.T) {
	var all changes
	for _, one := range []*tableChanges{renamed(cups, 1), renamed(saucers, 2), renamed(cups, 3, 4)} {
		var c changes
		c.note(one.schema, one.rows, false)
		c.queue(one.schema, 2)
		all.add(&c)
	}
	if len(all.tables) != 2 || len(all.tables["cups"].rows) != 3 || len(all.tables["saucers"].rows) != 1 {
		t.Errorf("the changes are %v, want 3 of cups and 1 of saucers", all.tables)
	}
	if all.tables["cups"].queued != 4 || all.tables["saucers"].queued != 2 {
		t.Errorf("%d cups and %d saucers are queued, want 4 and 2", all.tables["cups"].queued, all.tables["saucers"].queued)
	}
	all.add(&changes{all: true})
	if !all.all {
		t.Error("a transaction that changed any table counts as one that did not")
	}
	all.add(&changes{})
	if !all.all {
		t.Error("the next transaction hides it")
	}
}

// Rows that wait for their search index count as a change of their table, of which no row
// is recorded; without a row nothing is recorded.
func TestChanges_Queue(t *testing.T) {
	var c changes
	if c.queue(cups, 0); c.tables["cups"] != nil {
		t.Error("no row is a change of the table")
	}
	c.queue(cups, 3)
	if got := c.tables["cups"]; got == nil || got.queued != 3 || got.partial {
		t.Errorf("the change of the table is %v, want 3 queued rows", got)
	}
}

// Reads of a table are of its committed state until a transaction changes it, or any table.
func TestChanges_Any(t *testing.T) {
	var c changes
	if c.any([]*store.Schema{cups, saucers}) {
		t.Error("a transaction without changes has changed a table")
	}
	c.note(cups, nil, true)
	if !c.any([]*store.Schema{saucers, cups}) || c.any([]*store.Schema{saucers}) {
		t.Error("a change of cups counts for other tables, or not for cups")
	}
	c.all = true
	if !c.any([]*store.Schema{saucers}) {
		t.Error("a change of any table does not count for saucers")
	}
}
