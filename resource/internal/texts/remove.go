package texts

import (
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Clear empties a translated field of a row, which has the texts of the base language.
func (t *Table[T]) Clear(row *T, name string) {
	if field := t.view.reader.Field(name); slices.Contains(t.view.fields, field) {
		t.table.SetField(row, field, store.String(""))
	}
}

// Remove removes the texts that a row has of its own in a language other than the base one,
// and returns the names of the removed texts.
func (t *Table[T]) Remove(tx store.Tx, row *T, code string, fields []string) (names []string, err error) {
	found, err := t.view.read(tx, []string{code}, []*T{row})
	if err != nil {
		return nil, err
	}
	values := found[Key{t.table.Key(row), code}]
	removed := map[int]store.Value{}
	for _, name := range fields {
		field := t.view.reader.Field(name)
		i := slices.Index(t.view.fields, field)
		if i < 0 || values == nil || values[i].Text() == "" {
			continue
		}
		removed[field] = store.String("")
		names = append(names, shopapi.TextField{Field: name, Language: code}.Name())
	}
	if len(removed) == 0 {
		return nil, nil
	}
	return names, writeTexts(tx, &t.view.translated, code, t.table.Key(row), removed)
}
