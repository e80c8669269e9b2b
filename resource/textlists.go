package resource

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// translatedLists describes lists of parts.
func translatedLists(lists []TextList) (described []shopapi.TranslatedList) {
	for _, l := range lists {
		described = append(described, shopapi.TranslatedList{Name: l.Name, IDField: l.Parts.Key(), Fields: translatedOf(l.Parts)})
	}
	return described
}

// textList returns the list of parts in a field, nil where the field is another one.
func (c *collection[T, S]) textList(field string) *TextList {
	for i := range c.def.Rows.TextLists {
		if l := &c.def.Rows.TextLists[i]; l.Name == field {
			return l
		}
	}
	return nil
}

// partTexts are the texts that parts have of their own, by the id of the object, the language and the id
// of the part. A part is there in each language, with nil where it has no text.
type partTexts map[int64]map[string]map[int64]shopapi.Map

// own returns the texts that the parts of objects have of their own in certain languages, in at most
// two reads.
func (l *TextList) own(tx store.Tx, base string, owners []int64, codes []string) (partTexts, error) {
	found := partTexts{}
	if len(owners) == 0 {
		return found, nil
	}
	s, beside := l.Parts, l.Parts.Texts()
	names, of := translatedOf(s), store.InInts(l.Owner, owners...)
	take := func(row []store.Value, in *store.Schema) (m shopapi.Map) {
		for _, name := range names {
			if text := row[in.Index(name)].Text(); text != "" {
				m = append(m, shopapi.Member{Name: name, Value: text})
			}
		}
		return m
	}
	ownerOf, owner := map[int64]int64{}, s.Index(l.Owner)
	err := tx.Select(s.All(), &store.Query{Where: []store.Cond{of}}, func(row []store.Value) error {
		id := row[owner].Int()
		if ownerOf[row[0].Int()] = id; found[id] == nil {
			found[id] = map[string]map[int64]shopapi.Map{}
		}
		for _, code := range codes {
			if found[id][code] == nil {
				found[id][code] = map[int64]shopapi.Map{}
			}
			var own shopapi.Map
			if code == base {
				own = take(row, s)
			}
			found[id][code][row[0].Int()] = own
		}
		return nil
	})
	others := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { return code == base })
	if err != nil || len(others) == 0 || len(ownerOf) == 0 {
		return found, err
	}
	object, language := beside.Index(store.TextObject), beside.Index(store.TextLanguage)
	return found, tx.Select(beside.All(), &store.Query{Where: []store.Cond{
		store.InQuery(store.TextObject, s, s.Key(), of), texts.InLanguages(others),
	}}, func(row []store.Value) error {
		part := row[object].Int()
		if id, ok := ownerOf[part]; ok {
			found[id][row[language].Text()][part] = take(row, beside)
		}
		return nil
	})
}

// members are the texts of an object's parts in a language as an export has them: an object by the ids
// of the parts that have any, nil where none has.
func (t partTexts) members(object int64, code string) any {
	parts := t[object][code]
	var m shopapi.Map
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		if parts[id] != nil {
			m = append(m, shopapi.Member{Name: strconv.FormatInt(id, 10), Value: parts[id]})
		}
	}
	if m == nil {
		return nil
	}
	return m
}

// ListTexts implements [github.com/shopapi/shopapi/extensions/bulk.ListTexter].
func (e *entity[T, S]) ListTexts(ctx context.Context, id, code, field string) (own map[string]map[string]string, err error) {
	c := e.c
	l := c.textList(field)
	if l == nil {
		return nil, nil
	}
	key, err := c.IDOf(ctx, id)
	if err != nil {
		return nil, err
	}
	base := c.texts.Languages.Base
	if code == "" {
		code = base
	}
	own = map[string]map[string]string{}
	return own, c.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		found, err := l.own(tx, base, []int64{key}, []string{code})
		for part, texts := range found[key][code] {
			of := make(map[string]string, len(texts))
			for _, m := range texts {
				of[m.Name], _ = m.Value.(string)
			}
			own[strconv.FormatInt(part, 10)] = of
		}
		return err
	})
}

// RemoveListTexts implements [github.com/shopapi/shopapi/extensions/bulk.ListTexter].
func (e *entity[T, S]) RemoveListTexts(ctx context.Context, id, code, field string, removed map[string][]string) error {
	l := e.c.textList(field)
	if l == nil || code == e.c.texts.Languages.Base {
		return nil
	}
	return e.changeTexts(ctx, id, code, func(_ context.Context, tx store.Tx, _ *T) ([]string, error) {
		return []string{field}, l.remove(tx, code, removed)
	})
}

// remove removes texts of parts in a language other than the base one, which are named by the ids of
// the parts.
func (l *TextList) remove(tx store.Tx, code string, removed map[string][]string) error {
	beside := l.Parts.Texts()
	for _, part := range slices.Sorted(maps.Keys(removed)) {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return err
		}
		columns := map[int]store.Value{}
		for _, name := range removed[part] {
			if i := beside.Index(name); i >= 0 {
				columns[i] = beside.Columns[i].Zero()
			}
		}
		if err := texts.Put(tx, beside, id, code, columns); err != nil {
			return err
		}
	}
	return nil
}
