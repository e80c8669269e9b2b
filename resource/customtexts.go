package resource

import (
	"context"
	"maps"
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

// ownTexts returns the texts that objects have of their own in certain languages, and the fields
// that they have in files alone; nil where none are asked for. An object may be nil.
func (c *collection[T, S]) ownTexts(ctx context.Context, tx store.Tx, objects []*T, asked []shopapi.TextField) (list []shopapi.Map, err error) {
	if len(asked) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(objects)) // 0 for a missing object
	var there []*T
	for i, v := range objects {
		if v != nil {
			ids[i] = c.id(v)
			there = append(there, v)
		}
	}
	var inFiles map[int64]shopapi.Map
	if len(there) > 0 && slices.ContainsFunc(asked, func(a shopapi.TextField) bool { return a.Language == "" }) {
		if inFiles, err = c.def.Rows.LoadInFiles(ctx, tx, there...); err != nil {
			return nil, err
		}
	}
	return ownTexts(tx, c.def.Table.Schema(), c.custom, c.def.Rows.TextLists, c.texts.Languages.Base, ids, asked, inFiles)
}

// ownTexts reads the texts in columns, custom fields and lists of parts. An id is 0 for a missing object.
// inFiles has further members of objects, which come before the lists.
func ownTexts(tx store.Tx, s *store.Schema, x *customFields, lists []TextList, base string, ids []int64, asked []shopapi.TextField, inFiles map[int64]shopapi.Map) ([]shopapi.Map, error) {
	var own, custom []shopapi.TextField
	inList := map[string][]string{} // languages
	for _, a := range asked {
		switch {
		case a.Language == "":
		case x.translates(a.Field):
			custom = append(custom, a)
		case slices.ContainsFunc(lists, func(l TextList) bool { return l.Name == a.Field }):
			if !slices.Contains(inList[a.Field], a.Language) {
				inList[a.Field] = append(inList[a.Field], a.Language)
			}
		default:
			own = append(own, a)
		}
	}
	there := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id == 0 })
	found, err := texts.Own(tx, s, s.Texts(), base, there, own)
	if err == nil && custom != nil {
		var of map[texts.OwnKey]string
		of, err = texts.Own(tx, x.schema, x.texts, base, there, custom)
		maps.Copy(found, of)
	}
	if err != nil {
		return nil, err
	}
	answers := make([]shopapi.Map, len(ids))
	for i, id := range ids {
		if id == 0 {
			continue
		}
		for _, a := range slices.Concat(own, custom) {
			m := shopapi.Member{Name: a.Name()}
			if text := found[texts.OwnKey{Object: id, TextField: a}]; text != "" {
				m.Value = text
			}
			answers[i] = append(answers[i], m)
		}
		answers[i] = append(answers[i], inFiles[id]...)
	}
	return answers, addPartTexts(tx, lists, base, ids, inList, answers)
}

// addPartTexts adds the texts of the parts of objects to the texts of the objects.
func addPartTexts(tx store.Tx, lists []TextList, base string, ids []int64, languages map[string][]string, answers []shopapi.Map) error {
	there := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id == 0 })
	for i := range lists {
		l := &lists[i]
		codes := languages[l.Name]
		if codes == nil {
			continue
		}
		found, err := l.own(tx, base, there, codes)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if id == 0 {
				continue
			}
			for _, code := range codes {
				name := shopapi.TextField{Field: l.Name, Language: code}.Name()
				answers[i] = append(answers[i], shopapi.Member{Name: name, Value: found.members(id, code)})
			}
		}
	}
	return nil
}

// translates reports whether a field of this name has translations.
func (x *customFields) translates(name string) bool {
	return x != nil && slices.ContainsFunc(x.fields, func(f customField) bool { return f.Translated && f.Name == name })
}
