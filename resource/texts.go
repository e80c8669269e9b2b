package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Texts are the translated columns of a table (decisions §15): rows contain the texts of
// the base language, the table [store.Schema.Texts] the others. A collection has its own
// Texts; [TextsOf] is for rows that are parts of an object. In the base language, Texts
// reads and writes only the rows.
type Texts[T any] interface {
	TextReader[T]

	// Write stores a row whose texts are in the language of ctx. before is the row as
	// [TextReader.Load] returned it, zero for a new one; after is the new state. write
	// stores after in the table and sets the key of a new row; while it runs, before and
	// after contain the texts of the base language. A new row gets its texts in both
	// languages.
	Write(ctx context.Context, tx store.Tx, before, after *T, write func() error) error

	// Copy gives all rows of the table the texts of one language in another too, where
	// they have none there. The base language has a text of every row.
	Copy(ctx context.Context, tx store.Tx, from, to string) error

	// CopyFrom gives a row the texts that another one has in other languages than the base
	// one, in place of its own. The columns that are named stay as they are.
	CopyFrom(tx store.Tx, from, to int64, but ...string) error

	// Delete removes the texts of rows that are deleted.
	Delete(tx store.Tx, ids ...int64) error

	// DeleteWhere removes the texts of rows that meet the conditions, before these go.
	DeleteWhere(tx store.Tx, where ...store.Cond) error
}

// A TextReader lays texts over rows as a reader reads them.
type TextReader[S any] interface {
	// Load lays the texts of the language of ctx over rows as they were read from the
	// table, in one read however many there are.
	Load(ctx context.Context, tx store.Tx, rows ...*S) error
}

type tableTexts[T any] struct {
	textReader[T]
	table  *store.Table[T]
	api    *shopapi.API
	entity string // whose objects the rows are, or are a part of
}

type textReader[S any] struct {
	languages *languages
	view      *textView[S]
}

// TextsIn returns what lays the texts over rows that r reads of their table.
func TextsIn[S, T any](t Texts[T], r *store.Reader[S]) TextReader[S] {
	of := t.(*tableTexts[T])
	return &textReader[S]{of.languages, viewOf(of.table.Schema(), r)}
}

// Texts implements [Collection].
func (c *collection[T, S]) Texts() Texts[T] { return c.texts }

// Language implements [Collection].
func (c *collection[T, S]) Language(ctx context.Context) (string, error) {
	l, err := c.texts.languages.of(ctx)
	return l.asked, err
}

// TextsOf returns the texts of a further table of a collection, such as that of the
// variants of an option. The table is one of [Rows.Tables].
func TextsOf[P, T, S any](c Collection[T, S], table *store.Table[P]) Texts[P] {
	of := c.(*collection[T, S])
	return newTexts(of.api, of.st, of.reported().def.Name, of.texts.languages, table)
}

func newTexts[T any](api *shopapi.API, st store.Store, entity string, l *languages, table *store.Table[T]) *tableTexts[T] {
	t := &tableTexts[T]{textReader[T]{l, viewOf(table.Schema(), &table.Reader)}, table, api, entity}
	if t.translated() {
		api.BeforeDelete("languages", dropLanguages(api, st, entity, table.Schema().Texts()))
	}
	return t
}

func (t *tableTexts[T]) translated() bool { return t.table.Schema().Texts() != nil }

// prepare asks for the default language before the transaction of a read: settings
// are cached from reads outside of one.
func (t *tableTexts[T]) prepare(ctx context.Context) error {
	_, err := t.languageOf(ctx)
	return err
}

// languageOf returns the language of a context. Without translated columns it does not
// matter.
func (t *tableTexts[T]) languageOf(ctx context.Context) (language, error) {
	if !t.translated() {
		return language{}, nil
	}
	return t.languages.of(ctx)
}

// Load implements [TextReader].
func (r *textReader[S]) Load(ctx context.Context, tx store.Tx, rows ...*S) error {
	if r.view.language < 0 && r.view.projection == nil {
		return nil
	}
	l, err := r.languages.of(ctx)
	if err != nil {
		return err
	}
	return r.view.load(tx, l, rows...)
}

// setLanguage has a row say in which language it was asked for, which no change alters.
func (t *tableTexts[T]) setLanguage(ctx context.Context, row *T) error {
	if t.view.language < 0 {
		return nil
	}
	l, err := t.languages.of(ctx)
	t.view.setLanguage(row, l.asked)
	return err
}

// Write implements [Texts].
func (t *tableTexts[T]) Write(ctx context.Context, tx store.Tx, before, after *T, write func() error) error {
	l, err := t.languageOf(ctx)
	switch {
	case err != nil:
		return err
	case l.isBase():
		return write()
	}
	changed, err := t.changed(before, after)
	if err != nil {
		return err
	}
	if t.table.Key(after) == 0 {
		t.view.setLanguage(after, l.base)
		err = write()
	} else {
		err = t.writeBase(tx, l, before, after, write)
	}
	if err != nil {
		return err
	}
	if l.asked != l.base && len(changed) > 0 {
		if err := t.writeTexts(tx, l.asked, t.table.Key(after), changed); err != nil {
			return err
		}
	}
	return t.view.load(tx, l, after)
}

// Delete implements [Texts].
func (t *tableTexts[T]) Delete(tx store.Tx, ids ...int64) error {
	if !t.translated() || len(ids) == 0 {
		return nil
	}
	_, err := tx.Delete(t.table.Schema().Texts(), []store.Cond{store.InInts(store.TextObject, ids...)})
	return err
}

// DeleteWhere implements [Texts].
func (t *tableTexts[T]) DeleteWhere(tx store.Tx, where ...store.Cond) error {
	if !t.translated() {
		return nil
	}
	s := t.table.Schema()
	_, err := tx.Delete(s.Texts(), []store.Cond{store.InQuery(store.TextObject, s, s.Key(), where...)})
	return err
}

// changed returns the texts in which two rows differ, by the position of their field.
func (t *tableTexts[T]) changed(before, after *T) (map[int]store.Value, error) {
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
func (t *tableTexts[T]) writeBase(tx store.Tx, l language, before, after *T, write func() error) error {
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
		if l.asked != l.base || is == was {
			t.table.SetField(after, field, base)
		}
	}
	t.view.setLanguage(after, l.base)
	err = write()
	for i, field := range t.view.fields {
		t.table.SetField(before, field, shown[i])
	}
	return err
}

// writeTexts stores texts of an object in a language that is not the base one.
func (t *tableTexts[T]) writeTexts(tx store.Tx, code string, object int64, changed map[int]store.Value) error {
	texts := t.table.Schema().Texts()
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
	for field, value := range changed {
		row[t.view.columns[field]] = store.String(value.Text())
	}
	if isNew {
		_, err = tx.Insert(texts, row)
		return err
	}
	return tx.Update(texts, row)
}
