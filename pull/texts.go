package pull

import (
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// textsBelow are the translations of the rows of a table that belong to one object.
func textsBelow(s *store.Schema, owner string, id int64) part {
	return part{
		schema: s.Texts(), owner: store.TextObject, of: store.Int(id),
		below: store.InQuery(store.TextObject, s, s.Key(), store.Equal(owner, store.Int(id))),
	}
}

// texts are the translations of an object's row. Custom fields are columns of the table of texts
// too.
func (p *puller) texts(s *store.Schema, id int64, base row, in map[string]*object) part {
	t := s.Texts()
	if extended := p.schemas[t.Name]; extended != nil {
		t = extended
	}
	made := part{schema: t, owner: store.TextObject, of: store.Int(id), unreadIn: p.refusedIn}
	for _, code := range p.inLanguages() {
		o := in[code]
		if o == nil {
			continue
		}
		r := make(row, len(t.Columns))
		any := false
		for i := range t.Columns {
			c := &t.Columns[i]
			switch c.Name {
			case t.Key():
				r[i] = store.Int(0)
			case store.TextObject:
				r[i] = store.Int(id)
			case store.TextLanguage:
				r[i] = store.String(code)
			default:
				of := s.Index(c.Name)
				r[i] = o.textOf(c, &s.Columns[of], base[of])
				any = any || !r[i].IsNull() && r[i].Text() != ""
			}
		}
		if any {
			made.rows = append(made.rows, r)
		}
	}
	return made
}

// textOf is the translation of a text as a column of translations holds it: empty where the object
// has none of its own.
func (o *object) textOf(column, of *store.Column, base store.Value) store.Value {
	none := store.String("")
	if column.Null {
		none = store.Null
	}
	if o.ownTexts && !o.has(column.Name) {
		return none
	}
	v := o.value(of)
	if _, kind := wire.Scalar(o.members[column.Name]); kind == wire.Composite {
		v = compact(o, column.Name)
	}
	if v.IsNull() || !o.ownTexts && !base.IsNull() && v.Text() == base.Text() {
		return none
	}
	return store.String(v.Text())
}
