package resource

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// copied is how many rows [Texts.Copy] reads at once.
const copied = 500

// Copy implements [Texts].
func (t *tableTexts[T]) Copy(ctx context.Context, tx store.Tx, from, to string) error {
	l, err := t.languageOf(ctx)
	if err != nil || !t.translated() || from == to || to == l.base {
		return err
	}
	l.asked = from
	t.api.RecordAll(ctx, t.entity)
	return t.table.Batches(tx, copied, nil, func(rows []T) error {
		pointers := make([]*T, len(rows))
		for i := range rows {
			pointers[i] = &rows[i]
		}
		there, err := t.view.read(tx, []string{to}, pointers)
		if err != nil {
			return err
		}
		if err := t.view.load(tx, l, pointers...); err != nil {
			return err
		}
		for _, row := range pointers {
			id := t.table.Key(row)
			if there[textKey{id, to}] != nil {
				continue
			}
			texts := map[int]store.Value{}
			for _, field := range t.view.fields {
				if texts[field], err = t.table.FieldValue(row, field); err != nil {
					return err
				}
			}
			if err := t.writeTexts(tx, to, id, texts); err != nil {
				return err
			}
		}
		return nil
	})
}
