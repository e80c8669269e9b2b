package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// settable returns the fields among the names that have translations and that the user may set.
func (x *customFields) settable(user *shopapi.User, names []string) (fields []*customField) {
	if x == nil {
		return nil
	}
	for i := range x.fields {
		f := &x.fields[i]
		if f.Translated && slices.Contains(names, f.Name) && x.canSet(user, f) {
			fields = append(fields, f)
		}
	}
	return fields
}

// clearCustom sets translated custom fields of an object to null, which has the texts of the base
// language.
func (c *collection[T, S]) clearCustom(ctx context.Context, v *T, names []string) {
	for _, f := range c.custom.settable(shopapi.UserFrom(ctx), names) {
		c.customOf(v).Set(f.Name, nil)
	}
}

// removeTexts removes the texts that a row has of its own in a language other than the base one,
// and returns their names in the change log.
func (x *customFields) removeTexts(tx store.Tx, user *shopapi.User, id int64, code string, names []string) (removed []string, err error) {
	fields := x.settable(user, names)
	if len(fields) == 0 {
		return nil, nil
	}
	columns := map[int]store.Value{}
	err = tx.Select(x.texts.All(), &store.Query{Where: []store.Cond{
		store.Equal(store.TextObject, store.Int(id)), texts.InLanguages([]string{code}),
	}}, func(row []store.Value) error {
		for _, f := range fields {
			if !row[f.text].IsNull() {
				columns[f.text] = store.Null
				removed = append(removed, shopapi.TextField{Field: f.Name, Language: code}.Name())
			}
		}
		return nil
	})
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	return removed, texts.Put(tx, x.texts, id, code, columns)
}

// ownTexts returns the texts that objects have of their own in certain languages, nil where none
// are asked for. An object may be nil.
func (c *collection[T, S]) ownTexts(ctx context.Context, tx store.Tx, objects []*T, asked []shopapi.TextField) ([]shopapi.Map, error) {
	var own, custom, nested []shopapi.TextField
	inFiles := false
	for _, a := range asked {
		switch {
		case a.Language == "":
			inFiles = true
		case c.custom.translates(a.Field):
			custom = append(custom, a)
		case c.textList(a.Field) != nil:
			nested = append(nested, a)
		default:
			own = append(own, a)
		}
	}
	list, err := c.texts.Own(tx, objects, own)
	if err != nil || custom == nil && nested == nil && !inFiles {
		return list, err
	}
	if list == nil {
		list = make([]shopapi.Map, len(objects))
	}
	var ids []int64
	for _, v := range objects {
		if v != nil {
			ids = append(ids, c.id(v))
		}
	}
	found := map[textKey]string{}
	if custom != nil {
		if found, err = c.custom.own(tx, ids, custom); err != nil {
			return nil, err
		}
	}
	for i, v := range objects {
		if v == nil {
			continue
		}
		for _, a := range custom {
			m := shopapi.Member{Name: a.Name()}
			if text := found[textKey{c.id(v), a}]; text != "" {
				m.Value = text
			}
			list[i] = append(list[i], m)
		}
	}
	if inFiles {
		if err := c.addInFiles(ctx, tx, objects, list); err != nil {
			return nil, err
		}
	}
	return list, c.addPartTexts(tx, objects, ids, nested, list)
}

// addInFiles adds the fields that objects have in files alone.
func (c *collection[T, S]) addInFiles(ctx context.Context, tx store.Tx, objects []*T, list []shopapi.Map) error {
	there := slices.DeleteFunc(slices.Clone(objects), func(v *T) bool { return v == nil })
	if len(there) == 0 {
		return nil
	}
	found, err := c.def.Rows.LoadInFiles(ctx, tx, there...)
	if err != nil {
		return err
	}
	for i, v := range objects {
		if v != nil {
			list[i] = append(list[i], found[c.id(v)]...)
		}
	}
	return nil
}

// addPartTexts adds the texts of the parts of objects to the texts of the objects.
func (c *collection[T, S]) addPartTexts(tx store.Tx, objects []*T, ids []int64, asked []shopapi.TextField, list []shopapi.Map) error {
	for i := range c.def.Rows.TextLists {
		l := &c.def.Rows.TextLists[i]
		var codes []string
		for _, a := range asked {
			if a.Field == l.Name && !slices.Contains(codes, a.Language) {
				codes = append(codes, a.Language)
			}
		}
		if codes == nil {
			continue
		}
		found, err := l.own(tx, c.texts.Languages.Base, ids, codes)
		if err != nil {
			return err
		}
		for i, v := range objects {
			if v == nil {
				continue
			}
			for _, code := range codes {
				name := shopapi.TextField{Field: l.Name, Language: code}.Name()
				list[i] = append(list[i], shopapi.Member{Name: name, Value: found.members(c.id(v), code)})
			}
		}
	}
	return nil
}

// translates reports whether a field of this name has translations.
func (x *customFields) translates(name string) bool {
	return x != nil && slices.ContainsFunc(x.fields, func(f customField) bool { return f.Translated && f.Name == name })
}

// A textKey names a text of a row.
type textKey struct {
	id int64
	shopapi.TextField
}

// own returns the texts that rows have of their own, in at most two reads.
func (x *customFields) own(tx store.Tx, ids []int64, asked []shopapi.TextField) (map[textKey]string, error) {
	found := map[textKey]string{}
	if len(ids) == 0 {
		return found, nil
	}
	take := func(id int64, code string, s *store.Schema, row []store.Value) {
		for _, a := range asked {
			if a.Language == code {
				found[textKey{id, a}] = row[s.Index(a.Field)].Text()
			}
		}
	}
	inBase := func(a shopapi.TextField) bool { return a.Language == x.base.Base }
	if slices.ContainsFunc(asked, inBase) {
		err := tx.Select(x.schema.All(), &store.Query{Where: []store.Cond{store.InInts(x.schema.Key(), ids...)}}, func(row []store.Value) error {
			take(row[0].Int(), x.base.Base, x.schema, row)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var codes []string
	for _, a := range asked {
		if !inBase(a) && !slices.Contains(codes, a.Language) {
			codes = append(codes, a.Language)
		}
	}
	if codes == nil {
		return found, nil
	}
	return found, tx.Select(x.texts.All(), &store.Query{Where: []store.Cond{
		store.InInts(store.TextObject, ids...), texts.InLanguages(codes),
	}}, func(row []store.Value) error {
		take(row[1].Int(), row[2].Text(), x.texts, row)
		return nil
	})
}
