package resource

import (
	"context"
	"math"
	"reflect"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// listBatch is List for a part of an export (extensions E7): the objects after a key, in the
// order of their keys.
func (e *entity[T, S]) listBatch(ctx context.Context, r *shopapi.Request, f Filter, at place[T], b *shopapi.Batch) (any, error) {
	c := e.c
	ctx = c.api.Confine(ctx)
	if err := c.texts.Prepare(ctx); err != nil {
		return nil, err
	}
	choice := r.Choice()
	if at.parent == nil && !choice.Whole() {
		ctx = withChoice(ctx, choice)
	}
	var items any
	err := c.st.View(ctx, func(ctx context.Context, tx store.Tx) (err error) {
		q, err := c.batchQuery(ctx, tx, f, at, b)
		if err != nil {
			return err
		}
		if choice == nil && !c.judgesRows(ctx, at) {
			items, err = c.itemBatch(ctx, tx, f, q, b)
		} else {
			items, err = c.objectBatch(ctx, tx, f, at, q, choice, b)
		}
		return err
	})
	return shopapi.List{Name: c.def.List.Name, Items: items, Bare: true}, err
}

// batchQuery is the query of a batch.
func (c *collection[T, S]) batchQuery(ctx context.Context, tx store.Tx, f Filter, at place[T], b *shopapi.Batch) (store.Query, error) {
	*f.list() = ListOptions{}
	w := &Where{Context: ctx, Tx: tx, API: c.api, Export: true, schema: c.def.Table.Schema()}
	q, err := c.queryWith(w, f, f.list(), at)
	if err != nil {
		return q, err
	}
	return afterBatch(q, c.def.Table.Schema().Key(), b)
}

// afterBatch has a query read the objects of a batch.
func afterBatch(q store.Query, key string, b *shopapi.Batch) (store.Query, error) {
	after := int64(math.MinInt64)
	if b.After != "" {
		var err error
		if after, err = strconv.ParseInt(b.After, 10, 64); err != nil {
			return q, err
		}
		after++
	}
	q.Where = append(q.Where, store.AtLeast(key, store.Int(after)))
	q.Order, q.Limit, q.Offset = []store.Order{store.Asc(key)}, b.Size, 0
	return q, nil
}

// judgesRows reports whether it takes the object to say whether the user of ctx may see
// it, so that a query cannot.
func (c *collection[T, S]) judgesRows(ctx context.Context, at place[T]) bool {
	_, confined := shopapi.CompanyOf(ctx)
	return confined && !at.anyCompany() && c.def.Scope.Company == nil && c.def.Scope.Visible != nil && c.def.Scope.VisibleConds == nil
}

// next sets where the next batch begins.
func next(b *shopapi.Batch, read int, last int64) {
	if b.Next = ""; read == b.Size && last < math.MaxInt64 {
		b.Next = strconv.FormatInt(last, 10)
	}
}

// itemBatch reads a batch of items of lists.
func (c *collection[T, S]) itemBatch(ctx context.Context, tx store.Tx, f Filter, q store.Query, b *shopapi.Batch) (any, error) {
	list, err := c.selectItems(ctx, tx, f, q)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		next(b, len(list), c.def.List.Items.Key(&list[len(list)-1]))
	}
	return c.answers(ctx, list), nil
}

// objectBatch reads a batch of objects with the fields of a choice.
func (c *collection[T, S]) objectBatch(ctx context.Context, tx store.Tx, f Filter, at place[T], q store.Query, choice *shopapi.Choice, b *shopapi.Batch) ([]any, error) {
	var objects []*T
	var err error
	selected := c.def.List.Select != nil
	var items []S
	if selected && !choice.Whole() {
		if items, err = c.selectItems(ctx, tx, f, q); err == nil {
			objects, err = c.objectsOf(ctx, tx, items)
		}
		if len(items) > 0 {
			next(b, len(items), c.def.List.Items.Key(&items[len(items)-1]))
		}
	} else {
		selected = false
		var list []T
		list, err = c.reader(ctx).Select(tx, q)
		objects = store.Pointers(list)
		if len(list) > 0 {
			next(b, len(list), c.id(&list[len(list)-1]))
		}
	}
	if err != nil {
		return nil, err
	}
	if c.judgesRows(ctx, at) {
		if objects, err = c.onlyVisible(ctx, tx, objects); err != nil {
			return nil, err
		}
		items, selected = nil, false
	}
	texts, err := c.ownTexts(ctx, tx, objects, choice.Texts())
	if err != nil {
		return nil, err
	}
	if err := c.loadObjects(ctx, tx, f, objects, !selected && !choice.Whole()); err != nil {
		return nil, err
	}
	if choice.Whole() {
		answers := make([]any, len(objects))
		for i, v := range objects {
			if answers[i] = c.answer(ctx, v); texts != nil {
				answers[i] = choice.Object(answers[i], texts[i])
			}
		}
		return answers, nil
	}
	return c.chosenItems(ctx, items, objects, choice, texts), nil
}

// chosenItems are objects with the fields of a choice. items are the items of lists, nil
// where objects have all of them.
func (c *collection[T, S]) chosenItems(ctx context.Context, items []S, objects []*T, choice *shopapi.Choice, texts []shopapi.Map) []any {
	if items == nil {
		items = c.itemsOf(objects)
	}
	shown := reflect.ValueOf(c.answers(ctx, items))
	answers := make([]any, len(items))
	for i := range answers {
		item := shown.Index(i).Interface()
		if shown.Index(i).CanAddr() {
			item = shown.Index(i).Addr().Interface()
		}
		switch {
		case choice == nil:
			answers[i] = item
		case objects[i] == nil:
			answers[i] = choice.Object(item)
		case texts != nil:
			answers[i] = choice.Object(c.answer(ctx, objects[i]), item, texts[i])
		default:
			answers[i] = choice.Object(c.answer(ctx, objects[i]), item)
		}
	}
	return answers
}

// itemsOf returns the parts of objects that lists show.
func (c *collection[T, S]) itemsOf(objects []*T) []S {
	items := make([]S, len(objects))
	for i, v := range objects {
		items[i] = *c.def.List.Item(v)
	}
	return items
}

// onlyVisible returns the objects that the user of ctx may see.
func (c *collection[T, S]) onlyVisible(ctx context.Context, tx store.Tx, objects []*T) ([]*T, error) {
	visible := make([]*T, 0, len(objects))
	for _, v := range objects {
		may, err := c.def.Scope.Visible(ctx, tx, v)
		if err != nil {
			return nil, err
		}
		if may {
			visible = append(visible, v)
		}
	}
	return visible, nil
}
