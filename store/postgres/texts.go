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
}

func (t *texts) of(v verb, p *store.Projection) string {
	if text, ok := t.known.Load(textKey{v, p}); ok {
		return text.(string)
	}
	text := textOf(v, p)
	t.known.Store(textKey{v, p}, text)
	return text
}

func textOf(v verb, p *store.Projection) string {
	d := &sqltext.PostgreSQL
	returning := ` RETURNING "` + p.Schema.Key() + `"`
	const free = " ON CONFLICT DO NOTHING"
	switch v {
	case getRow:
		return d.Get(p)
	case selectRows:
		return d.Select(p) + d.Join(p)
	case insertRow:
		return d.Insert(p.Schema, false) + returning
	case insertKeyRow:
		return d.Insert(p.Schema, true) + returning
	case insertFreeRow:
		return d.Insert(p.Schema, false) + free + returning
	case insertFreeKeyRow:
		return d.Insert(p.Schema, true) + free + returning
	case updateRow:
		return d.Update(p.Schema)
	}
	panic(fmt.Sprintf("postgres: no text for verb %d", v))
}
