package sqltext

import "github.com/shopapi/shopapi/store"

// SelectPositions returns the beginning of a statement that reads the positions of
// rows in an order: their key and what each term orders by. [Builder.QueryAfter]
// writes the rest.
func (d *Dialect) SelectPositions(s *store.Schema, order []store.Order) string {
	b := d.appendName([]byte("SELECT "), s.Key())
	for i := range order {
		b = append(b, ", "...)
		b = d.appendName(b, storedName(s, order[i].Column))
	}
	b = append(b, " FROM "...)
	return string(d.appendName(b, s.Name))
}

// QueryAfter is [Builder.Query] for the rows at or after a position (keyset
// pagination): by is what the terms order by there, folded where the columns are. The
// terms must not lead through a reference, nor be by a column that may be null, and
// all must have one direction; if one is by the key it must be the last.
func (b *Builder) QueryAfter(s *store.Schema, q *store.Query, by []store.Value, key int64) error {
	if err := b.Where(s, q.Where); err != nil {
		return err
	}
	b.add(separator(len(q.Where), " WHERE (", " AND ("))
	terms := q.Order
	if n := len(terms); n > 0 && terms[n-1].Column == s.Key() {
		terms = terms[:n-1]
	}
	for i := range terms {
		c, err := column(s, terms[i].Column)
		if err != nil {
			return err
		}
		b.Text = b.Dialect.appendFold(b.Text, c)
		b.add(", ")
	}
	b.name(s.Key())
	if len(q.Order) > 0 && q.Order[0].Desc {
		b.add(") <= (")
	} else {
		b.add(") >= (")
	}
	for i := range terms {
		b.parameter(Arg{Value: by[i]})
		b.add(", ")
	}
	b.parameter(Arg{Value: store.Int(key)})
	if len(terms) > 0 {
		b.add(b.Dialect.BesideKey)
	}
	b.add(")")
	if err := b.order(s, q.Order); err != nil {
		return err
	}
	b.limit(q)
	return nil
}
