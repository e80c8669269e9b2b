package storetest

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var randomCases = []testCase{{"QueriesMeanWhatMatchSays", testRandom}}

// testRandom runs the same queries on the store and on a model that evaluates
// them with store.Match, one row after the other. The seed is fixed.
func testRandom(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), table.Schema())
	g := &generator{rand.New(rand.NewPCG(1, 2))}
	m := model{}
	for round := range 8 {
		changes := g.changes(m)
		update(t, st, func(_ context.Context, tx store.Tx) error {
			for _, c := range changes {
				if err := c.apply(tx); err != nil {
					return err
				}
			}
			return nil
		})
		for range 50 {
			q := g.query()
			want, total := m.run(items.Schema(), &q)
			var got []int64
			var page, counted int64
			view(t, st, func(_ context.Context, tx store.Tx) (err error) {
				got = nil
				page, err = tx.Page(items.Schema().All(), &q, func(row []store.Value) error {
					got = append(got, row[0].Int())
					return nil
				})
				if err != nil {
					return err
				}
				counted, err = tx.Count(items.Schema(), q.Where)
				return err
			})
			if !slices.Equal(got, want) || page != total || counted != total {
				t.Fatalf("round %d: the query %#v\nreads the keys %v, total %d, count %d;\nstore.Match says %v, total %d", round, q, got, page, counted, want, total)
			}
		}
	}
}

// A model holds the rows of tables by their keys.
type model map[*store.Schema]map[int64][]store.Value

func (m model) has(sub *store.Sub, v store.Value) bool {
	column := sub.Schema.Index(sub.Column)
	for _, row := range m[sub.Schema] {
		if row[column] == v && store.Match(sub.Schema, row, sub.Where, m.has) {
			return true
		}
	}
	return false
}

func (m model) run(s *store.Schema, q *store.Query) (keys []int64, total int64) {
	for key, row := range m[s] {
		if store.Match(s, row, q.Where, m.has) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b int64) int {
		desc := false
		for _, o := range q.Order {
			desc = o.Desc
			if d := m.ordering(s, a, o).Compare(m.ordering(s, b, o)); d != 0 {
				return direct(d, desc)
			}
		}
		return direct(cmp.Compare(a, b), desc)
	})
	total = int64(len(keys))
	keys = keys[min(q.Offset, len(keys)):]
	if q.Limit > 0 {
		keys = keys[:min(q.Limit, len(keys))]
	}
	return keys, total
}

// ordering returns the value by which an order places a row.
func (m model) ordering(s *store.Schema, key int64, o store.Order) store.Value {
	row := m[s][key]
	if o.Via != nil {
		to := row[s.Index(o.Via.Column)]
		s = o.Via.Schema
		if row = m[s][to.Int()]; row == nil || to.IsNull() {
			return store.Null
		}
	}
	v := row[s.Index(o.Column)]
	if s.Columns[s.Index(o.Column)].Fold && v.IsText() {
		v = store.String(store.Fold(v.Text()))
	}
	return v
}

func direct(d int, desc bool) int {
	if desc {
		return -d
	}
	return d
}

// A change is a row to insert or update, or a key to delete.
type change struct {
	schema *store.Schema
	row    []store.Value
	exists bool
	delete bool
}

func (c *change) apply(tx store.Tx) (err error) {
	switch {
	case c.delete:
		_, err = tx.Delete(c.schema, []store.Cond{store.Equal(c.schema.Key(), c.row[0])})
	case c.exists:
		err = tx.Update(c.schema, c.row)
	default:
		_, err = tx.Insert(c.schema, c.row)
	}
	return err
}

type generator struct{ *rand.Rand }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// changes makes changes at random and applies them to the model.
func (g *generator) changes(m model) (list []change) {
	for range 30 {
		s := pick(g, items.Schema(), items.Schema(), items.Schema(), table.Schema())
		key := int64(1 + g.IntN(40))
		if s == table.Schema() {
			key = int64(1 + g.IntN(5))
		}
		c := change{schema: s, row: make([]store.Value, len(s.Columns))}
		c.row[0] = store.Int(key)
		for i := 1; i < len(c.row); i++ {
			c.row[i] = g.value(&s.Columns[i])
		}
		_, c.exists = m[s][key]
		c.delete = c.exists && g.IntN(3) == 0
		list = append(list, c)
		if m[s] == nil {
			m[s] = make(map[int64][]store.Value)
		}
		if m[s][key] = c.row; c.delete {
			delete(m[s], key)
		}
	}
	return list
}

var randomTexts = []string{
	"", "a", "A", "b", "B", "ab", "AB", "aB", "ä", "Ä", "a\u0308", "ß", "ss", "SS", "ẞ", "%", "a%", "_", "a_b", `\`, "'", "é", "É", "e\u0301", "e", "Ж", "ж", " a", "a ", "10", "9", "😀",
}

func (g *generator) value(c *store.Column) store.Value {
	if c.Null && g.IntN(4) == 0 {
		return store.Null
	}
	switch c.Kind {
	case store.Boolean:
		return store.Bool(g.IntN(2) == 0)
	case store.Text:
		return store.String(pick(g, randomTexts...))
	case store.JSON:
		return store.String(pick(g, "[]", "{}", `{"a": 1}`))
	}
	if c.Name == "parent_id" {
		return store.Int(int64(g.IntN(45)))
	}
	return store.Int(pick[int64](g, -2, -1, 0, 1, 2, 3, 4, 5, math.MinInt64, math.MaxInt64))
}

func (g *generator) query() store.Query {
	q := store.Query{Limit: pick(g, 0, 0, 1, 3, 10, 100), Offset: pick(g, 0, 0, 0, 1, 5, 50)}
	for range g.IntN(3) {
		q.Where = append(q.Where, g.cond(items.Schema(), 3))
	}
	for range g.IntN(4) {
		switch o := (store.Order{Desc: g.IntN(2) == 0}); g.IntN(4) {
		case 0:
			o.Column = pick(g, "title", "select", "group_id")
			o.Via = &store.Via{Column: pick(g, "group_id", "parent_id", "rank"), Schema: table.Schema()}
			q.Order = append(q.Order, o)
		case 1:
			o.Column = g.column(items.Schema(), false).Name
			o.Via = &store.Via{Column: pick(g, "parent_id", "order"), Schema: items.Schema()}
			q.Order = append(q.Order, o)
		default:
			o.Column = g.column(items.Schema(), false).Name
			q.Order = append(q.Order, o)
		}
	}
	return q
}

func (g *generator) column(s *store.Schema, fold bool) *store.Column {
	for {
		if c := &s.Columns[g.IntN(len(s.Columns))]; c.Kind != store.JSON && (c.Fold || !fold) {
			return c
		}
	}
}

func (g *generator) cond(s *store.Schema, depth int) store.Cond {
	if depth > 0 && g.IntN(3) == 0 {
		var conds []store.Cond
		for range g.IntN(4) {
			conds = append(conds, g.cond(s, depth-1))
		}
		switch g.IntN(3) {
		case 0:
			return store.All(conds...)
		case 1:
			return store.Any(conds...)
		}
		return store.Not(g.cond(s, depth-1))
	}
	c := g.column(s, false)
	switch g.IntN(9) {
	case 0:
		return store.Equal(c.Name, g.value(c))
	case 1:
		return store.NotEqual(c.Name, g.value(c))
	case 2:
		return g.in(c)
	case 3:
		return g.inQuery(s, depth)
	case 4:
		return store.Contains(g.column(s, true).Name, pick(g, randomTexts...))
	case 5:
		return pick(g, store.EqualFold, store.BeginsFold)(g.column(s, true).Name, pick(g, randomTexts...))
	case 6:
		for c.Kind != store.Text {
			c = g.column(s, false)
		}
		return store.StartsWith(c.Name, pick(g, randomTexts[1:]...))
	}
	v := g.value(c)
	for v.IsNull() {
		v = g.value(c)
	}
	return pick(g, store.AtLeast, store.AtMost, store.Less)(c.Name, v)
}

func (g *generator) in(c *store.Column) store.Cond {
	var values []store.Value
	for range g.IntN(5) {
		if v := g.value(c); !v.IsNull() {
			values = append(values, v)
		}
	}
	return store.In(c.Name, values...)
}

func (g *generator) inQuery(s *store.Schema, depth int) store.Cond {
	var where []store.Cond
	sub, column := table.Schema(), pick(g, "group_id", "select")
	if g.IntN(2) == 0 {
		sub, column = items.Schema(), pick(g, "item_id", "parent_id", "rank", "group_id")
	}
	if depth > 0 && g.IntN(2) == 0 {
		where = append(where, g.cond(sub, depth-1))
	}
	if s == table.Schema() {
		return store.InQuery(pick(g, "group_id", "select"), sub, column, where...)
	}
	return store.InQuery(pick(g, "item_id", "parent_id", "rank", "group_id"), sub, column, where...)
}
