package resource

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource/internal/texts"
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

	// Copy gives rows of the table the texts of one language in another too, where they
	// have none there: the first 100 rows with a key above after. It returns the last of
	// their keys, 0 if no row is left. The base language has a text of every row.
	Copy(ctx context.Context, tx store.Tx, from, to string, after int64) (last int64, err error)

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

// TextsIn returns what lays the texts over rows that r reads of their table.
func TextsIn[S, T any](t Texts[T], r *store.Reader[S]) TextReader[S] {
	of := t.(*texts.Table[T])
	return texts.In(of, r)
}

// BaseLanguage returns the base language of a store, and sets it where the store is
// new: to [shopapi.Options.BaseLanguage], else en. It returns an error where the store
// has another one than the options say.
func BaseLanguage(ctx context.Context, api *shopapi.API, st store.Store) (string, error) {
	return texts.BaseLanguage(ctx, api, st)
}

// Texts implements [Collection].
func (c *collection[T, S]) Texts() Texts[T] { return c.texts }

// Language implements [Collection].
func (c *collection[T, S]) Language(ctx context.Context) (string, error) {
	l, err := c.texts.Languages.Of(ctx)
	return l.Asked, err
}

// TextsOf returns the texts of a further table of a collection, such as that of the
// variants of an option. The table is one of [Rows.Tables].
func TextsOf[P, T, S any](c Collection[T, S], table *store.Table[P]) Texts[P] {
	of := c.(*collection[T, S])
	return texts.New(of.api, of.st, of.reported().def.Name, of.texts.Languages, table)
}

// payloadLanguage returns the context of a write in the language that its payload names,
// else in the language of the request, and the problem of an invalid name.
func (c *collection[T, S]) payloadLanguage(ctx context.Context, r *shopapi.Request) (context.Context, error) {
	if !c.texts.Translated() {
		return ctx, nil
	}
	var problems shopapi.Problems
	if code := r.PayloadLanguage(&problems); code != "" {
		ctx = shopapi.WithLanguage(ctx, code)
	}
	return ctx, problems.Err()
}

// RemoveTexts implements [github.com/shopapi/shopapi/extensions/bulk.TextRemover]. The base language has a text of every object,
// which becomes empty.
func (e *entity[T, S]) RemoveTexts(ctx context.Context, id, code string, fields []string) error {
	c := e.c
	if !c.texts.Translated() {
		return nil
	}
	if code == c.texts.Languages.Base {
		ctx = shopapi.WithLanguage(ctx, code)
		key, err := c.IDOf(ctx, id)
		if err != nil {
			return err
		}
		_, err = c.update(ctx, key, plain(func(v *T) error {
			for _, name := range fields {
				c.texts.Clear(v, name)
			}
			c.clearCustom(ctx, v, fields)
			return nil
		}), place[T]{}, false)
		return err
	}
	return e.changeTexts(ctx, id, code, func(ctx context.Context, tx store.Tx, before *T) ([]string, error) {
		names, err := c.texts.Remove(tx, before, code, fields)
		if err != nil {
			return nil, err
		}
		custom, err := c.custom.removeTexts(tx, shopapi.UserFrom(ctx), c.id(before), code, fields)
		return append(names, custom...), err
	})
}

// changeTexts has change alter the texts of an object in a language other than the base one, and
// reports the fields that it returns.
func (e *entity[T, S]) changeTexts(ctx context.Context, id, code string, change func(ctx context.Context, tx store.Tx, before *T) (fields []string, err error)) error {
	c := e.c
	ctx = shopapi.WithLanguage(ctx, code)
	key, err := c.IDOf(ctx, id)
	if err != nil {
		return err
	}
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := c.read(ctx, tx, key, place[T]{})
		if err != nil {
			return err
		}
		if err := c.authorize(ctx, tx, shopapi.OpUpdate, before); err != nil {
			return err
		}
		fields, err := change(ctx, tx, before)
		if err != nil || len(fields) == 0 {
			return err
		}
		after, err := c.read(ctx, tx, key, place[T]{})
		if err != nil {
			return err
		}
		return c.report(ctx, tx, shopapi.OpUpdate, before, after, fields)
	})
}
