package texts

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// copied is how many rows [Table.Copy] reads at once. A text has up to 64 KiB.
const copied = 100

// Copy implements [github.com/shopapi/shopapi/resource.Texts].
func (t *Table[T]) Copy(ctx context.Context, tx store.Tx, from, to string, after int64) (last int64, err error) {
	l, err := t.LanguageOf(ctx)
	if err != nil || !t.Translated() || from == to || to == l.Base {
		return 0, err
	}
	l.Asked = from
	rows, err := t.table.Select(tx, store.Query{Where: []store.Cond{store.AtLeast(t.table.Schema().Key(), store.Int(after+1))}, Limit: copied})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	t.api.RecordAll(ctx, t.entity)
	pointers := store.Pointers(rows)
	there, err := t.view.read(tx, []string{to}, pointers)
	if err != nil {
		return 0, err
	}
	if err := t.view.load(tx, l, pointers...); err != nil {
		return 0, err
	}
	for _, row := range pointers {
		last = t.table.Key(row)
		if there[Key{last, to}] != nil {
			continue
		}
		texts := map[int]store.Value{}
		for _, field := range t.view.fields {
			if texts[field], err = t.table.FieldValue(row, field); err != nil {
				return 0, err
			}
		}
		if err := writeTexts(tx, &t.view.translated, to, last, texts); err != nil {
			return 0, err
		}
	}
	if len(rows) < copied {
		return 0, nil
	}
	return last, nil
}

// CopyFrom implements [github.com/shopapi/shopapi/resource.Texts].
func (t *Table[T]) CopyFrom(tx store.Tx, from, to int64, but ...string) error {
	if t.view.projection == nil || from == to {
		return nil
	}
	return copyTexts(tx, &t.view.translated, from, to, but)
}

// copyTexts replaces the texts of an object by the texts of another one, but for some columns.
func copyTexts(tx store.Tx, v *translated, from, to int64, but []string) error {
	of := map[int64]map[string][]store.Value{from: {}, to: {}}
	q := store.Query{Where: []store.Cond{store.InInts(store.TextObject, from, to)}}
	err := tx.Select(v.projection, &q, func(values []store.Value) error {
		of[values[0].Int()][values[1].Text()] = slices.Clone(values[2:])
		return nil
	})
	if err != nil {
		return err
	}
	none := make([]store.Value, len(v.fields))
	for i := range none {
		none[i] = store.String("")
	}
	for code := range of[to] {
		if of[from][code] == nil {
			of[from][code] = none
		}
	}
	texts := v.projection.Schema
	for code, wanted := range of[from] {
		had := of[to][code]
		if had == nil {
			had = none
		}
		changed := map[int]store.Value{}
		for i, field := range v.fields {
			if wanted[i] != had[i] && !slices.Contains(but, texts.Columns[v.columns[field]].Name) {
				changed[field] = wanted[i]
			}
		}
		if len(changed) == 0 {
			continue
		}
		if err := writeTexts(tx, v, code, to, changed); err != nil {
			return err
		}
	}
	return nil
}
