package sqltext

import (
	"unicode/utf8"

	"github.com/shopapi/shopapi/store"
)

// Set writes the statement of [store.Setter].
func (b *Builder) Set(s *store.Schema, column string, v store.Value, where []store.Cond) error {
	b.add("UPDATE ")
	b.name(s.Name)
	b.add(" SET ")
	b.name(column)
	b.add(" = ")
	b.parameter(Arg{Value: v})
	return b.Where(s, where)
}

// ReplacePrefixes writes the statement of [store.Tx.ReplacePrefixes].
func (b *Builder) ReplacePrefixes(s *store.Schema, prefixes []store.Prefix) error {
	concat := " || "
	if b.Dialect.Concat != "" {
		concat = ", "
	}
	b.add("UPDATE ")
	b.name(s.Name)
	for i, p := range prefixes {
		b.add(separator(i, " SET ", ", "))
		b.name(p.Column)
		b.add(" = ")
		b.add(b.Dialect.Concat + "(CAST(")
		b.parameter(Arg{Value: store.String(p.New)})
		b.add(" AS " + b.Dialect.CastText + ")" + concat + "substr(")
		b.name(p.Column)
		b.add(", CAST(")
		b.parameter(Arg{Value: store.Int(int64(utf8.RuneCountInString(p.Old)) + 1)})
		b.add(" AS " + b.Dialect.CastInteger + ")))")
	}
	return b.Where(s, store.Prefixed(prefixes))
}
