package texts

import (
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Own returns the texts that rows have of their own in certain languages, nil where none
// are asked for. The rows are as the table has them, and may be nil.
func (t *Table[T]) Own(tx store.Tx, rows []*T, asked []shopapi.TextField) ([]shopapi.Map, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	there := slices.DeleteFunc(slices.Clone(rows), func(v *T) bool { return v == nil })
	var codes []string
	for _, a := range asked {
		if a.Language != t.Languages.Base && !slices.Contains(codes, a.Language) {
			codes = append(codes, a.Language)
		}
	}
	var found map[Key][]store.Value
	if len(codes) > 0 && len(there) > 0 {
		var err error
		if found, err = t.view.read(tx, codes, there); err != nil {
			return nil, err
		}
	}
	base, err := t.baseTexts(tx, there, asked)
	if err != nil {
		return nil, err
	}
	texts := make([]shopapi.Map, len(rows))
	for i, v := range rows {
		if v == nil {
			continue
		}
		for _, a := range asked {
			field := t.view.reader.Field(a.Field)
			text := base[Key{t.table.Key(v), a.Field}]
			if a.Language != t.Languages.Base {
				text = ""
				if values := found[Key{t.table.Key(v), a.Language}]; values != nil {
					text = values[slices.Index(t.view.fields, field)].Text()
				}
			}
			m := shopapi.Member{Name: a.Name()}
			if text != "" {
				m.Value = text
			}
			texts[i] = append(texts[i], m)
		}
	}
	return texts, nil
}

// baseTexts reads the texts of rows in the base language that are asked for, by object
// and field.
func (t *Table[T]) baseTexts(tx store.Tx, rows []*T, asked []shopapi.TextField) (map[Key]string, error) {
	columns := []string{t.table.Schema().Key()}
	for _, a := range asked {
		if a.Language == t.Languages.Base {
			columns = append(columns, a.Field)
		}
	}
	if len(columns) == 1 || len(rows) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(rows))
	for i, v := range rows {
		ids[i] = t.table.Key(v)
	}
	list, err := t.table.Subset(columns...).Select(tx, store.Query{Where: []store.Cond{store.InInts(columns[0], ids...)}})
	texts := map[Key]string{}
	for i := range list {
		for _, column := range columns[1:] {
			value, err := t.table.FieldValue(&list[i], t.table.Field(column))
			if err != nil {
				return nil, err
			}
			texts[Key{t.table.Key(&list[i]), column}] = value.Text()
		}
	}
	return texts, err
}
