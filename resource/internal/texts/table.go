package texts

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Table is the translated columns of a table.
type Table[T any] struct {
	Reader[T]
	table  *store.Table[T]
	api    *shopapi.API
	entity string // whose objects the rows are, or are a part of
}

// A Reader lays texts over rows as a reader reads them.
type Reader[S any] struct {
	Languages *Languages
	view      *view[S]
}

// In returns what lays the texts over rows that r reads of their table.
func In[S, T any](t *Table[T], r *store.Reader[S]) *Reader[S] {
	return ReaderOf(t.Languages, t.table.Schema(), r)
}

// ReaderOf returns what lays texts over rows that r reads of a table.
func ReaderOf[S any](l *Languages, s *store.Schema, r *store.Reader[S]) *Reader[S] {
	return &Reader[S]{l, viewOf(s, r)}
}

// New returns the texts of a table whose rows are objects of an entity or parts of them.
func New[T any](api *shopapi.API, st store.Store, entity string, l *Languages, table *store.Table[T]) *Table[T] {
	t := &Table[T]{Reader[T]{l, viewOf(table.Schema(), &table.Reader)}, table, api, entity}
	if t.Translated() {
		api.BeforeDelete("languages", dropLanguages(api, st, entity, table.Schema().Texts()))
	}
	return t
}

// Translated reports whether the table has translated columns.
func (t *Table[T]) Translated() bool { return t.table.Schema().Texts() != nil }

// Prepare asks for the default language before the transaction of a read: settings
// are cached from reads outside of one.
func (t *Table[T]) Prepare(ctx context.Context) error {
	_, err := t.LanguageOf(ctx)
	return err
}

// LanguageOf returns the language of a context. Without translated columns it does not
// matter.
func (t *Table[T]) LanguageOf(ctx context.Context) (Language, error) {
	if !t.Translated() {
		return Language{}, nil
	}
	return t.Languages.Of(ctx)
}

// Load lays the texts of the language of ctx over rows.
func (r *Reader[S]) Load(ctx context.Context, tx store.Tx, rows ...*S) error {
	if r.view.language < 0 && r.view.projection == nil {
		return nil
	}
	l, err := r.Languages.Of(ctx)
	if err != nil {
		return err
	}
	return r.LoadIn(tx, l, rows...)
}

// LoadIn lays the texts of a language over rows.
func (r *Reader[S]) LoadIn(tx store.Tx, l Language, rows ...*S) error {
	return r.view.load(tx, l, rows...)
}

// SetLanguage has a row say in which language it was asked for, which no change alters.
func (t *Table[T]) SetLanguage(ctx context.Context, row *T) error {
	if t.view.language < 0 {
		return nil
	}
	l, err := t.Languages.Of(ctx)
	t.view.setLanguage(row, l.Asked)
	return err
}

// Write implements [github.com/shopapi/shopapi/resource.Texts].
func (t *Table[T]) Write(ctx context.Context, tx store.Tx, before, after *T, write func() error) error {
	l, err := t.LanguageOf(ctx)
	switch {
	case err != nil:
		return err
	case l.IsBase():
		return write()
	}
	changed, err := t.changed(before, after)
	if err != nil {
		return err
	}
	if t.table.Key(after) == 0 {
		t.view.setLanguage(after, l.Base)
		err = write()
	} else {
		err = t.writeBase(tx, l, before, after, write)
	}
	if err != nil {
		return err
	}
	if l.Asked != l.Base && len(changed) > 0 {
		if err := writeTexts(tx, &t.view.translated, l.Asked, t.table.Key(after), changed); err != nil {
			return err
		}
	}
	return t.view.load(tx, l, after)
}

// Delete implements [github.com/shopapi/shopapi/resource.Texts].
func (t *Table[T]) Delete(tx store.Tx, ids ...int64) error {
	if !t.Translated() || len(ids) == 0 {
		return nil
	}
	_, err := tx.Delete(t.table.Schema().Texts(), []store.Cond{store.InInts(store.TextObject, ids...)})
	return err
}

// DeleteWhere implements [github.com/shopapi/shopapi/resource.Texts].
func (t *Table[T]) DeleteWhere(tx store.Tx, where ...store.Cond) error {
	if !t.Translated() {
		return nil
	}
	s := t.table.Schema()
	_, err := tx.Delete(s.Texts(), []store.Cond{store.InQuery(store.TextObject, s, s.Key(), where...)})
	return err
}

// changed returns the texts in which two rows differ, by the position of their field.
func (t *Table[T]) changed(before, after *T) (map[int]store.Value, error) {
	changed := map[int]store.Value{}
	for _, field := range t.view.fields {
		was, err := t.table.FieldValue(before, field)
		if err != nil {
			return nil, err
		}
		is, err := t.table.FieldValue(after, field)
		if err != nil {
			return nil, err
		}
		if is != was {
			changed[field] = is
		}
	}
	return changed, nil
}

// writeBase runs write with a row that is there as the table has it: with the texts of
// the base language, as they were unless it is that language that is written.
func (t *Table[T]) writeBase(tx store.Tx, l Language, before, after *T, write func() error) error {
	raw, err := t.table.Get(tx, t.table.Key(after))
	if err != nil {
		return err
	}
	shown := make([]store.Value, len(t.view.fields)) // of before
	for i, field := range t.view.fields {
		base, err := t.table.FieldValue(&raw, field)
		if err != nil {
			return err
		}
		was, err := t.table.FieldValue(before, field)
		if err != nil {
			return err
		}
		is, err := t.table.FieldValue(after, field)
		if err != nil {
			return err
		}
		shown[i] = was
		t.table.SetField(before, field, base)
		if l.Asked != l.Base || is == was {
			t.table.SetField(after, field, base)
		}
	}
	t.view.setLanguage(after, l.Base)
	err = write()
	for i, field := range t.view.fields {
		t.table.SetField(before, field, shown[i])
	}
	return err
}

// writeTexts stores texts of an object, by their field, in a language that is not the base
// one.
func writeTexts(tx store.Tx, v *translated, code string, object int64, changed map[int]store.Value) error {
	columns := make(map[int]store.Value, len(changed))
	for field, value := range changed {
		columns[v.columns[field]] = store.String(value.Text())
	}
	return Put(tx, v.projection.Schema, object, code, columns)
}

// Put stores values of the columns of a table of texts: of the texts of an object in a
// language.
func Put(tx store.Tx, texts *store.Schema, object int64, code string, columns map[int]store.Value) error {
	var row []store.Value
	err := tx.Select(texts.All(), &store.Query{Where: []store.Cond{
		store.Equal(store.TextObject, store.Int(object)), store.Equal(store.TextLanguage, store.String(code)),
	}}, func(found []store.Value) error {
		row = slices.Clone(found)
		return nil
	})
	if err != nil {
		return err
	}
	isNew := row == nil
	if isNew {
		row = make([]store.Value, len(texts.Columns))
		for i := range row {
			row[i] = texts.Columns[i].Zero()
		}
		row[texts.Index(store.TextObject)] = store.Int(object)
		row[texts.Index(store.TextLanguage)] = store.String(code)
	}
	for column, value := range columns {
		row[column] = value
	}
	if isNew {
		_, err = tx.Insert(texts, row)
		return err
	}
	return tx.Update(texts, row)
}
