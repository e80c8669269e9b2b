package resource

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

type choiceKey struct{}

// withChoice returns a context in which the collection reads what the choice of a request
// needs (extensions E3).
func withChoice(ctx context.Context, c *shopapi.Choice) context.Context {
	if choiceOf(ctx) == c {
		return ctx
	}
	return context.WithValue(ctx, choiceKey{}, c)
}

func choiceOf(ctx context.Context) *shopapi.Choice {
	c, _ := ctx.Value(choiceKey{}).(*shopapi.Choice)
	return c
}

// Wants reports whether an answer shows any of the fields, so that [Rows.Load],
// [Rows.LoadDetails] and [List.LoadItems] can leave out reads for the others. It is true
// unless ctx is that of a GET with the parameter fields.
func Wants(ctx context.Context, fields ...string) bool { return choiceOf(ctx).HasAny(fields...) }

// Chooses reports whether ctx is that of a GET with the parameter fields.
func Chooses(ctx context.Context) bool { return choiceOf(ctx) != nil }

// listChosen is the page of a list with a choice of fields: whole objects, read together,
// of which only the chosen fields are sent. items may be nil unless asked for.
func (c *collection[T, S]) listChosen(ctx context.Context, f Filter, at place[T], choice *shopapi.Choice, needsItems bool) (items []S, answers []any, total int64, err error) {
	ctx = c.api.Confine(ctx)
	if err := c.texts.Prepare(ctx); err != nil {
		return nil, nil, 0, err
	}
	if at.parent == nil {
		ctx = withChoice(ctx, choice)
	}
	var objects []*T
	selected := false
	err = c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		q, err := c.query(ctx, tx, f, at)
		if err != nil {
			return err
		}
		items, objects = nil, nil
		if selected = c.selects(ctx, q); selected {
			if items, total, err = c.page(ctx, tx, f, q); err == nil {
				objects, err = c.objectsOf(ctx, tx, items)
			}
		} else {
			objects, total, err = c.objectPage(ctx, tx, q)
		}
		if err != nil {
			return err
		}
		return c.loadObjects(ctx, tx, f, objects, !selected)
	})
	if err != nil {
		return nil, nil, 0, err
	}
	answers = make([]any, len(objects))
	if !selected && !needsItems {
		covered := true
		var covering reflect.Type // of the answers so far: most lists have one
		for i, v := range objects {
			answer := c.answer(ctx, v)
			if t := reflect.TypeOf(answer); t != covering {
				covering, covered = t, choice.CoveredBy(answer)
			}
			if !covered {
				break
			}
			answers[i] = choice.Object(answer)
		}
		if covered {
			return nil, answers, total, nil
		}
	}
	if !selected {
		items = c.itemsOf(objects)
	}
	return items, c.chosenItems(ctx, items, objects, choice, nil), total, nil
}

// selects reports whether the items of a list are not simply the rows of a query.
func (c *collection[T, S]) selects(ctx context.Context, q store.Query) bool {
	l, err := c.texts.LanguageOf(ctx)
	sorted := c.textSorts[q.Order[0].Column] != nil && !l.IsBase()
	return err != nil || sorted || c.def.List.Select != nil || c.def.List.BuildTree != nil
}

// objectPage reads the objects of a query, and the number of all that match.
func (c *collection[T, S]) objectPage(ctx context.Context, tx store.Tx, q store.Query) ([]*T, int64, error) {
	list, total, err := c.reader(ctx).Page(tx, q)
	return store.Pointers(list), total, err
}

// objectsOf reads the objects of items, in their order; nil for an item without a row.
func (c *collection[T, S]) objectsOf(ctx context.Context, tx store.Tx, items []S) ([]*T, error) {
	ids := make([]int64, len(items))
	for i := range items {
		ids[i] = c.def.List.Items.Key(&items[i])
	}
	byID, err := store.ByKey(tx, c.reader(ctx), ids...)
	objects := make([]*T, len(items))
	for i, id := range ids {
		objects[i] = byID[id]
	}
	return objects, err
}

// loadObjects sets the texts and the fields that are not columns of objects together.
func (c *collection[T, S]) loadObjects(ctx context.Context, tx store.Tx, f Filter, all []*T, asItems bool) error {
	objects := slices.DeleteFunc(slices.Clone(all), func(v *T) bool { return v == nil })
	if len(objects) == 0 {
		return nil
	}
	if err := c.texts.Load(ctx, tx, objects...); err != nil {
		return err
	}
	if err := c.loadCustom(ctx, tx, objects...); err != nil {
		return err
	}
	items := make([]*S, len(objects))
	for i, v := range objects {
		items[i] = c.def.List.Item(v)
	}
	if c.def.Rows.Load != nil {
		if err := c.def.Rows.Load(ctx, tx, items...); err != nil {
			return err
		}
	}
	if asItems && c.def.List.LoadItems != nil {
		if err := c.def.List.LoadItems(ctx, tx, f, items...); err != nil {
			return err
		}
	}
	if c.def.Rows.LoadDetails == nil {
		return nil
	}
	return c.def.Rows.LoadDetails(ctx, tx, objects...)
}

// reader reads the columns that the choice of ctx needs.
func (c *collection[T, S]) reader(ctx context.Context) *store.Reader[T] {
	choice := choiceOf(ctx)
	needs := c.def.Rows.Needs
	if choice == nil || needs == nil && !c.plain() {
		return &c.def.Table.Reader
	}
	return c.def.Table.Subset(columnsOf(choice, needs, c.def.Table.Schema().Key(), "company_id", c.def.Wire.Code)...)
}

// columnsOf returns the columns that a choice needs, and the ones that are always read.
func columnsOf(choice *shopapi.Choice, needs map[string][]string, always ...string) []string {
	columns := map[string]bool{}
	for _, column := range append(always, needs[""]...) {
		columns[column] = true
	}
	for _, field := range choice.Names() {
		columns[field] = true
		for _, column := range needs[field] {
			columns[column] = true
		}
	}
	return slices.Collect(maps.Keys(columns))
}

// plain reports whether each field of an answer is the column with its name, and nothing else
// is read from the row, as the keys of lists that are objects are.
func (c *collection[T, S]) plain() bool {
	d := &c.def
	return !d.List.Shape.isKeyed() && d.Rows.Load == nil && d.Rows.LoadDetails == nil && d.List.LoadItems == nil &&
		d.Wire.EncodeOne == nil && d.Wire.EncodeList == nil && d.Scope.Visible == nil && d.AliasOf == nil
}
