package resource

import (
	"slices"

	"github.com/shopapi/shopapi/store"
)

// CopyFrom implements [Texts].
func (t *tableTexts[T]) CopyFrom(tx store.Tx, from, to int64, but ...string) error {
	if t.view.projection == nil || from == to {
		return nil
	}
	of := map[int64]map[string][]store.Value{from: {}, to: {}}
	q := store.Query{Where: []store.Cond{store.InInts(store.TextObject, from, to)}}
	err := tx.Select(t.view.projection, &q, func(values []store.Value) error {
		of[values[0].Int()][values[1].Text()] = slices.Clone(values[2:])
		return nil
	})
	if err != nil {
		return err
	}
	none := make([]store.Value, len(t.view.fields))
	for i := range none {
		none[i] = store.String("")
	}
	for code := range of[to] {
		if of[from][code] == nil {
			of[from][code] = none
		}
	}
	texts := t.table.Schema().Texts()
	for code, wanted := range of[from] {
		had := of[to][code]
		if had == nil {
			had = none
		}
		changed := map[int]store.Value{}
		for i, field := range t.view.fields {
			if wanted[i] != had[i] && !slices.Contains(but, texts.Columns[t.view.columns[field]].Name) {
				changed[field] = wanted[i]
			}
		}
		if len(changed) == 0 {
			continue
		}
		if err := t.writeTexts(tx, code, to, changed); err != nil {
			return err
		}
	}
	return nil
}
