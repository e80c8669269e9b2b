package postgres

import (
	"fmt"
	"sync"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// A verb is what a statement does.
type verb uint8

const (
	getRow verb = iota
	selectRows
	insertRow        // the server chooses the key
	insertKeyRow     // the row brings its key
	insertFreeRow    // the server chooses the key; nothing where a value is taken
	insertFreeKeyRow // the row brings its key; nothing where it or a value is taken
	updateRow
)

// texts caches the statements that depend on a projection alone.
type texts struct{ known sync.Map }

type textKey struct {
	verb       verb
	projection *store.Projection
	rows       int // of a statement for several; 0 of others
}

func (t *texts) of(v verb, p *store.Projection) string {
	return t.get(textKey{v, p, 0}, func() string { return textOf(v, p) })
}

// insertAll returns the statement that adds so many rows: an insertRow, an insertFreeRow or an
// insertKeyRow, which returns nothing.
func (t *texts) insertAll(v verb, s *store.Schema, rows int) string {
	return t.get(textKey{v, s.All(), rows}, func() string {
		d := &sqltext.PostgreSQL
		keyed, further := v == insertKeyRow, d.AppendFurtherRow
		if keyed {
			further = d.AppendFurtherKeyRow
		}
		b := []byte(d.Insert(s, keyed))
		for i := 1; i < rows; i++ {
			b = further(b, s, i)
		}
		if keyed {
			return string(b)
		}
		if v == insertFreeRow {
			b = append(b, free...)
		}
		return string(b) + returning(s)
	})
}

func (t *texts) get(key textKey, build func() string) string {
	if text, ok := t.known.Load(key); ok {
		return text.(string)
	}
	text := build()
	t.known.Store(key, text)
	return text
}

const free = " ON CONFLICT DO NOTHING"

func returning(s *store.Schema) string { return ` RETURNING "` + s.Key() + `"` }

func textOf(v verb, p *store.Projection) string {
	d := &sqltext.PostgreSQL
	switch v {
	case getRow:
		return d.Get(p)
	case selectRows:
		return d.Select(p) + d.Join(p)
	case insertRow:
		return d.Insert(p.Schema, false) + returning(p.Schema)
	case insertKeyRow:
		return d.Insert(p.Schema, true) + returning(p.Schema)
	case insertFreeRow:
		return d.Insert(p.Schema, false) + free + returning(p.Schema)
	case insertFreeKeyRow:
		return d.Insert(p.Schema, true) + free + returning(p.Schema)
	case updateRow:
		return d.Update(p.Schema)
	}
	panic(fmt.Sprintf("postgres: no text for verb %d", v))
}
