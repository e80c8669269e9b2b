package sqltext

import (
	"fmt"
	"math"

	"github.com/shopapi/shopapi/store"
)

// An Arg is bound to one parameter: a value or, for "column is one of", a list.
type Arg struct {
	Value  store.Value
	List   []store.Value // none of them null, all texts or all integers; nil for a Value
	Column *store.Column // what it is compared with; nil for a limit
}

// A Builder writes the part of a statement that depends on a query, and
// collects its arguments. The zero Builder is ready once its Dialect is set;
// Reset readies it for the next statement.
type Builder struct {
	Dialect *Dialect
	Text    []byte
	Args    []Arg
}

// Reset empties the builder for reuse of its memory.
func (b *Builder) Reset() {
	b.Text = b.Text[:0]
	clear(b.Args)
	b.Args = b.Args[:0]
}

// Query writes the conditions, the order and the limits.
func (b *Builder) Query(s *store.Schema, q *store.Query) error {
	if err := b.Where(s, q.Where); err != nil {
		return err
	}
	if err := b.order(s, q.Order); err != nil {
		return err
	}
	b.limit(q)
	return nil
}

// limit writes the limits. A planner knows a limit of one row, and that an index serves it.
func (b *Builder) limit(q *store.Query) {
	if q.Limit == 1 {
		b.add(" LIMIT 1")
	} else if q.Limit > 0 || q.Offset > 0 {
		limit := int64(q.Limit)
		if limit <= 0 {
			limit = math.MaxInt64 // some databases take no offset without a limit
		}
		b.add(" LIMIT ")
		b.parameter(Arg{Value: store.Int(limit)})
	}
	if q.Offset > 0 {
		b.add(" OFFSET ")
		b.parameter(Arg{Value: store.Int(int64(q.Offset))})
	}
}

// Where writes the conditions, all of which must hold.
func (b *Builder) Where(s *store.Schema, where []store.Cond) error {
	for i := range where {
		b.add(separator(i, " WHERE ", " AND "))
		if err := b.cond(s, &where[i]); err != nil {
			return err
		}
	}
	return nil
}

// order writes the terms, and the key that breaks ties.
func (b *Builder) order(s *store.Schema, terms []store.Order) error {
	desc := false
	for i := range terms {
		term := &terms[i]
		b.add(separator(i, " ORDER BY ", ", "))
		nullable, err := b.orderBy(s, term)
		if err != nil {
			return err
		}
		desc = term.Desc
		b.direction(desc, nullable)
		if term.Via == nil && term.Column == s.Key() {
			return nil // no ties are left
		}
	}
	b.add(separator(len(terms), " ORDER BY ", ", "))
	b.name(s.Key())
	b.direction(desc, false)
	return nil
}

// via is the alias of the table that an order refers to, which may be the table itself.
// No table has this name.
const via = "via."

// orderBy writes what one term orders by, and reports whether it may be null.
func (b *Builder) orderBy(s *store.Schema, term *store.Order) (nullable bool, err error) {
	if term.Via == nil {
		c, err := column(s, term.Column)
		if err != nil {
			return false, err
		}
		b.Text = b.Dialect.appendFold(b.Text, c)
		return c.Null, nil
	}
	other := term.Via.Schema
	c, err := column(other, term.Column)
	if err != nil {
		return false, err
	}
	if _, err := column(s, term.Via.Column); err != nil {
		return false, err
	}
	b.add("(SELECT ")
	b.name(via)
	b.add(".")
	b.Text = b.Dialect.appendFold(b.Text, c)
	b.add(" FROM ")
	b.name(other.Name)
	b.add(" AS ")
	b.name(via)
	b.add(" WHERE ")
	b.name(via)
	b.add(".")
	b.name(other.Key())
	b.add(" = ")
	b.name(s.Name)
	b.add(".")
	b.name(term.Via.Column)
	b.add(")")
	return true, nil
}

// direction writes the direction. Nulls are lowest in all orders.
func (b *Builder) direction(desc, nullable bool) {
	nullable = nullable && b.Dialect.NullsLast
	switch {
	case desc && nullable:
		b.add(" DESC NULLS LAST")
	case desc:
		b.add(" DESC")
	case nullable:
		b.add(" ASC NULLS FIRST")
	}
}

func (b *Builder) add(text string) { b.Text = append(b.Text, text...) }

func (b *Builder) name(name string) { b.Text = b.Dialect.appendName(b.Text, name) }

func (b *Builder) parameter(arg Arg) {
	b.Args = append(b.Args, arg)
	b.Text = b.Dialect.appendParameter(b.Text, len(b.Args))
}

func column(s *store.Schema, name string) (*store.Column, error) {
	i := s.Index(name)
	if i < 0 {
		return nil, fmt.Errorf("store: table %s has no column %s", s.Name, name)
	}
	return &s.Columns[i], nil
}
