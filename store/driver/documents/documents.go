// Package documents checks the JSON documents that SQL stores read.
package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"

	"github.com/shopapi/shopapi/store"
)

// A Checker checks the JSON documents of rows that are read. A column that another
// program filled with invalid JSON reads as its zero value, and the log reports it once.
type Checker struct {
	Log *slog.Logger // nil for the default

	mu   sync.Mutex
	seen map[spoiled]bool
}

// spoiled is the location of an invalid document.
type spoiled struct {
	table, column string
	key           int64
}

// maxSpoiled is how many places are logged.
const maxSpoiled = 1000

// Check replaces the invalid documents of a row. key is the key of the row, or 0 to take
// it from the row.
func (d *Checker) Check(p *store.Projection, key int64, row []store.Value) {
	for i := range row {
		schema, c := p.Column(i)
		joined := i >= len(p.Columns)
		if isValid(c, joined, row[i]) {
			continue
		}
		row[i] = c.Zero()
		if joined {
			d.report(spoiled{schema.Name, c.Name, 0})
			continue
		}
		if first := slices.Index(p.Columns, 0); key == 0 && first >= 0 {
			key = row[first].Int()
		}
		d.report(spoiled{p.Schema.Name, c.Name, key})
	}
}

// Valid reports whether [Checker.Check] replaces nothing in a row.
func (d *Checker) Valid(p *store.Projection, row []store.Value) bool {
	for i := range row {
		if _, c := p.Column(i); !isValid(c, i >= len(p.Columns), row[i]) {
			return false
		}
	}
	return true
}

func isValid(c *store.Column, joined bool, v store.Value) bool {
	return c.Kind != store.JSON || v.IsNull() && (c.Null || joined) || isDocument(v.Text())
}

func isDocument(text string) bool {
	return text == "[]" || text == "{}" || json.Valid([]byte(text))
}

func (d *Checker) report(place spoiled) {
	d.mu.Lock()
	known := d.seen[place] || len(d.seen) >= maxSpoiled
	if !known {
		if d.seen == nil {
			d.seen = make(map[spoiled]bool)
		}
		d.seen[place] = true
	}
	d.mu.Unlock()
	if !known {
		cmp.Or(d.Log, slog.Default()).LogAttrs(context.Background(), slog.LevelWarn, "A column holds no JSON and is read as empty.",
			slog.String("table", place.table), slog.Int64("row", place.key), slog.String("column", place.column))
	}
}
