package sqltext

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// cond writes one condition. It evaluates to TRUE, FALSE or NULL for a row, and NULL
// counts as false: AND and OR preserve that, and NOT is written so that it does.
func (b *Builder) cond(s *store.Schema, c *store.Cond) error {
	switch c.Op {
	case store.OpAll:
		return b.join(s, c.Conds, " AND ", true)
	case store.OpAny:
		return b.join(s, c.Conds, " OR ", false)
	case store.OpNot:
		b.add("((")
		if err := b.cond(s, &c.Conds[0]); err != nil {
			return err
		}
		b.add(") IS NOT TRUE)")
		return nil
	}
	col, err := column(s, c.Column)
	if err != nil {
		return err
	}
	switch c.Op {
	case store.OpIn:
		if folded := b.indexedFold(s, col, c.Values); folded != nil {
			b.add("(")
			b.in(folded, foldAll(c.Values))
			b.add(" AND ")
			defer b.add(")")
		}
		if b.hintSparse(s, col, c.Values) {
			defer b.add(")")
		}
		b.in(col, c.Values)
	case store.OpInQuery:
		return b.inQuery(col, c.Sub)
	case store.OpContains, store.OpEqualFold, store.OpBeginsFold:
		return b.folded(s, col, c)
	case store.OpAtMostColumn:
		other, err := column(s, c.Values[0].Text())
		if err != nil {
			return err
		}
		b.add("(")
		b.name(col.Name)
		b.add(" <= ")
		b.name(other.Name)
		b.add(" IS TRUE)")
	case store.OpEqual:
		if folded := b.indexedFold(s, col, c.Values); folded != nil {
			b.add("(")
			b.compare(folded, store.OpEqual, foldAll(c.Values)[0])
			b.add(" AND ")
			defer b.add(")")
		}
		if b.hintSparse(s, col, c.Values) {
			defer b.add(")")
		}
		b.compare(col, store.OpEqual, c.Values[0])
	case store.OpNotEqual, store.OpAtLeast, store.OpAtMost, store.OpLess:
		b.compare(col, c.Op, c.Values[0])
	default:
		return fmt.Errorf("store: unknown operator %d", c.Op)
	}
	return nil
}

func (b *Builder) join(s *store.Schema, conds []store.Cond, with string, empty bool) error {
	if len(conds) == 0 {
		b.constant(empty)
		return nil
	}
	for i := range conds {
		b.add(separator(i, "(", with))
		if err := b.cond(s, &conds[i]); err != nil {
			return err
		}
	}
	b.add(")")
	return nil
}

func (b *Builder) constant(holds bool) {
	if holds {
		b.add("TRUE")
	} else {
		b.add("FALSE")
	}
}

// compare writes a comparison with one value.
func (b *Builder) compare(col *store.Column, op store.Op, v store.Value) {
	if v.IsNull() || !b.Dialect.holds(col, v) {
		b.compareClass(col, op, v)
		return
	}
	if op == store.OpNotEqual && col.Null {
		b.distinct(col, v)
		return
	}
	b.name(col.Name)
	switch op {
	case store.OpEqual:
		b.add(" = ")
	case store.OpNotEqual:
		b.add(" <> ")
	case store.OpAtLeast:
		b.add(" >= ")
	case store.OpAtMost:
		b.add(" <= ")
	case store.OpLess:
		b.add(" < ")
	}
	b.parameter(Arg{Value: v, Column: col})
}

// distinct writes that a column is not v, which a null is not either.
func (b *Builder) distinct(col *store.Column, v store.Value) {
	equal := b.Dialect.NullSafeEqual
	if equal != "" {
		b.add("NOT (")
	}
	b.name(col.Name)
	b.add(" " + cmp.Or(equal, "IS DISTINCT FROM") + " ")
	b.parameter(Arg{Value: v, Column: col})
	if equal != "" {
		b.add(")")
	}
}

// holds reports whether a row may have v, which is not null, in the column, so
// that the database can be asked about it.
func (d *Dialect) holds(col *store.Column, v store.Value) bool {
	if d.Boolean != "" && col.Kind == store.Boolean && (v.Int() < 0 || v.Int() > 1) {
		return false
	}
	return v.IsText() == isText(col)
}

// compareClass writes a comparison with null, or with a value that the column
// never holds: all that counts is whether the column is null.
func (b *Builder) compareClass(col *store.Column, op store.Op, v store.Value) {
	// A text is greater than every integer, and all are greater than null.
	greater := v.IsText() || col.Kind == store.Boolean && v.Int() > 1
	switch op {
	case store.OpEqual:
		if v.IsNull() {
			b.null(col, true)
		} else {
			b.constant(false)
		}
	case store.OpNotEqual:
		if v.IsNull() {
			b.null(col, false)
		} else {
			b.constant(true)
		}
	case store.OpAtLeast:
		if greater {
			b.constant(false)
		} else {
			b.null(col, false)
		}
	default:
		if greater {
			b.null(col, false)
		} else {
			b.constant(false)
		}
	}
}

// null writes whether the column is null.
func (b *Builder) null(col *store.Column, is bool) {
	if !col.Null {
		b.constant(!is)
		return
	}
	b.name(col.Name)
	if is {
		b.add(" IS NULL")
	} else {
		b.add(" IS NOT NULL")
	}
}

// maxShortList is the greatest number of values that have a parameter each.
const maxShortList = 8

// in writes a condition with one of few texts, because each text is a statement to prepare. More
// than 8 values are one parameter, a list. Fewer values have 2, 4 or 8 parameters, the last
// of which repeat the last value: PostgreSQL plans a statement with a list anew at each execution,
// because the cost depends on the list, and SQLite parses the list.
func (b *Builder) in(col *store.Column, values []store.Value) {
	fits := func(v store.Value) bool { return !v.IsNull() && b.Dialect.holds(col, v) }
	for i, v := range values {
		if fits(v) {
			continue
		}
		fitting := append([]store.Value(nil), values[:i]...)
		for _, w := range values[i+1:] {
			if fits(w) {
				fitting = append(fitting, w)
			}
		}
		values = fitting
		break
	}
	if len(values) == 0 {
		b.constant(false)
		return
	}
	if len(values) == 1 {
		b.compare(col, store.OpEqual, values[0])
		return
	}
	if len(values) <= maxShortList {
		b.shortIn(col, values)
		return
	}
	begin, end := b.Dialect.ListOpen, b.Dialect.ListClose
	if isText(col) && b.Dialect.TextListOpen != "" {
		begin, end = b.Dialect.TextListOpen, b.Dialect.TextListClose
	}
	b.name(col.Name)
	b.add(begin)
	b.parameter(Arg{List: values, Column: col})
	b.add(end)
}

func (b *Builder) shortIn(col *store.Column, values []store.Value) {
	size := 2
	for size < len(values) {
		size *= 2
	}
	b.name(col.Name)
	for i := range size {
		b.add(separator(i, " IN (", ", "))
		b.parameter(Arg{Value: values[min(i, len(values)-1)], Column: col})
	}
	b.add(")")
}

func (b *Builder) inQuery(col *store.Column, sub *store.Sub) error {
	other, err := column(sub.Schema, sub.Column)
	if err != nil {
		return err
	}
	if isText(other) != isText(col) {
		b.constant(false)
		return nil
	}
	b.unit(col, other)
	b.add(" IN (SELECT ")
	b.unit(other, col)
	b.add(" FROM ")
	b.name(sub.Schema.Name)
	if err := b.Where(sub.Schema, sub.Where); err != nil {
		return err
	}
	b.add(")")
	return nil
}

// unit writes a column that is compared with another one. If the database stores the two
// as different types, unit writes them as integers.
func (b *Builder) unit(col, other *store.Column) {
	d := b.Dialect
	same := col.Kind == other.Kind && col.Scale == other.Scale
	switch {
	case d.Boolean != "" && col.Kind == store.Boolean && !same:
		b.add("CAST(CAST(")
		b.name(col.Name)
		b.add(" AS " + d.CastInteger + ") AS " + d.CastLong + ")")
	case d.Decimal != "" && col.Kind == store.Decimal && !same:
		b.add("CAST(")
		b.name(col.Name)
		b.add(" * 1" + strings.Repeat("0", col.Scale) + " AS " + d.CastLong + ")")
	default:
		b.name(col.Name)
	}
}

// hintSparse writes "(column <> 0 AND " if a sparse index begins with the column and has all
// rows with the values: databases use the index only with this condition. It reports whether
// it did, so that the caller closes the parenthesis. A sparse index of the rows that are not
// null needs no hint.
func (b *Builder) hintSparse(s *store.Schema, col *store.Column, values []store.Value) bool {
	zero := col.Zero()
	if !b.Dialect.Partial || zero.IsNull() || slices.Contains(values, zero) ||
		!slices.ContainsFunc(s.Indexes, func(x store.Index) bool { return x.Sparse && x.Columns[0] == col.Name }) {
		return false
	}
	b.add("(")
	b.Text = b.Dialect.appendSet(b.Text, s, col)
	b.add(" AND ")
	return true
}

// indexedFold returns the folded form of a column if an index begins with it and all values
// are texts, nil otherwise. The index finds the few rows whose folded form is that of a value.
func (b *Builder) indexedFold(s *store.Schema, col *store.Column, values []store.Value) *store.Column {
	leads := func(x store.Index) bool { return x.Columns[0] == col.Name }
	if !col.Fold || !slices.ContainsFunc(s.Indexes, leads) || len(values) == 0 ||
		slices.ContainsFunc(values, func(v store.Value) bool { return !v.IsText() }) {
		return nil
	}
	return &store.Column{Name: col.Name + FoldSuffix, Kind: store.Text, Null: col.Null}
}

func foldAll(values []store.Value) []store.Value {
	folded := make([]store.Value, len(values))
	for i, v := range values {
		folded[i] = store.String(store.Fold(v.Text()))
	}
	return folded
}

func (b *Builder) folded(s *store.Schema, col *store.Column, c *store.Cond) error {
	if !col.Fold {
		return fmt.Errorf("store: table %s: the column %s is not marked fold, so its text cannot be searched", s.Name, col.Name)
	}
	part := store.Fold(c.Values[0].Text())
	arg := Arg{Value: store.String(part), Column: col}
	if c.Op != store.OpContains && b.hintSparse(s, col, []store.Value{arg.Value}) {
		defer b.add(")")
	}
	if c.Op == store.OpEqualFold {
		b.Text = b.Dialect.appendFold(b.Text, col)
		b.add(" = ")
		b.parameter(arg)
		return nil
	}
	if c.Op == store.OpBeginsFold {
		b.begins(col, part)
		return nil
	}
	if b.Dialect.Find == "" {
		b.Text = b.Dialect.appendFold(b.Text, col)
		b.add(" LIKE ")
		arg.Value = store.String("%" + likeEscapes.Replace(part) + "%")
		b.parameter(arg)
		return nil
	}
	b.add(b.Dialect.Find)
	b.add("(")
	b.Text = b.Dialect.appendFold(b.Text, col)
	b.add(", ")
	b.parameter(arg)
	b.add(") > 0")
	return nil
}

// begins writes that the folded column begins with a text, as a range of its index.
func (b *Builder) begins(col *store.Column, prefix string) {
	b.add("(")
	b.Text = b.Dialect.appendFold(b.Text, col)
	b.add(" >= ")
	b.parameter(Arg{Value: store.String(prefix), Column: col})
	if after, ok := store.Successor(prefix); ok {
		b.add(" AND ")
		b.Text = b.Dialect.appendFold(b.Text, col)
		b.add(" < ")
		b.parameter(Arg{Value: store.String(after), Column: col})
	}
	b.add(")")
}

// likeEscapes has LIKE take each character as it is.
var likeEscapes = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

func isText(c *store.Column) bool { return c.Kind == store.Text || c.Kind == store.JSON }
