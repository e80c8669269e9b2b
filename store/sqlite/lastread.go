package sqlite

import (
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite/internal/engine"
)

// A lastRead is the whole row that an Update read last. Most changes read a row, alter it and
// write it: the row before the change need not be read again. The zero lastRead has no row.
type lastRead struct {
	schema  *store.Schema
	row     []store.Value
	changes int64 // of the connection when it was read
}

// set notes the row that was read.
func (l *lastRead) set(db *engine.Conn, s *store.Schema, row []store.Value) {
	l.schema, l.changes = s, db.TotalChanges()
	l.row = append(l.row[:0], row[:len(s.Columns)]...)
}

// take returns the row with a key, which the caller may keep. It returns nil unless that is
// the row that was read last and nothing has been changed since.
func (l *lastRead) take(db *engine.Conn, s *store.Schema, key int64) []store.Value {
	if l.schema != s || l.row[0] != store.Int(key) || l.changes != db.TotalChanges() {
		return nil
	}
	row := slices.Clip(l.row)
	*l = lastRead{}
	return row
}
