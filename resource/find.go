package resource

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// Find implements [Collection].
func (c *collection[T, S]) Find(ctx context.Context, f Filter) ([]S, int64, error) {
	return c.find(withChoice(ctx, nil), c.filterOf(f), place[T]{})
}

func (c *collection[T, S]) find(ctx context.Context, f Filter, at place[T]) (list []S, total int64, err error) {
	if ctx, err = c.readContext(ctx); err != nil {
		return nil, 0, err
	}
	err = c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		q, err := c.query(ctx, tx, f, at)
		if err != nil {
			return err
		}
		list, total, err = c.page(ctx, tx, f, q)
		return err
	})
	return list, total, err
}

// page reads the items of a query, and the number of all that match.
func (c *collection[T, S]) page(ctx context.Context, tx store.Tx, f Filter, q store.Query) (list []S, total int64, err error) {
	l, err := c.texts.LanguageOf(ctx)
	if err != nil {
		return nil, 0, err
	}
	sort := c.textSorts[q.Order[0].Column]
	switch {
	case sort != nil && !l.IsBase():
		list, total, err = c.sortedPage(ctx, tx, l, sort, f, q)
	case c.def.List.Select != nil:
		list, total, err = c.def.List.Select(ctx, tx, f, q)
	default:
		list, total, err = c.def.List.Items.Page(tx, q)
	}
	if err != nil {
		return nil, 0, err
	}
	if err := c.loadItems(ctx, tx, l, f, list); err != nil {
		return nil, 0, err
	}
	if c.def.List.BuildTree != nil {
		list = c.def.List.BuildTree(f, list)
	}
	return list, total, nil
}

// loadItems applies translations to items, and fills the fields that are not columns
// unless [List.Select] has done so.
func (c *collection[T, S]) loadItems(ctx context.Context, tx store.Tx, l texts.Language, f Filter, list []S) error {
	if err := c.loadCustomItems(ctx, tx, list); err != nil {
		return err
	}
	load := c.def.Rows.Load != nil && c.def.List.Select == nil
	if len(list) == 0 || !load && !c.texts.Translated() {
		return nil
	}
	items := store.Pointers(list)
	if err := c.itemTexts.LoadIn(tx, l, items...); err != nil || !load {
		return err
	}
	if err := c.def.Rows.Load(ctx, tx, items...); err != nil || c.def.List.LoadItems == nil {
		return err
	}
	return c.def.List.LoadItems(ctx, tx, f, items...)
}

// query is what a filter asks of the store.
func (c *collection[T, S]) query(ctx context.Context, tx store.Tx, f Filter, at place[T]) (store.Query, error) {
	return c.queryWith(c.where(ctx, tx), f, f.list(), at)
}

// where returns a Where without conditions.
func (c *collection[T, S]) where(ctx context.Context, tx store.Tx) *Where {
	return &Where{Context: ctx, Tx: tx, API: c.api, schema: c.def.Table.Schema()}
}

// queryWith is query with a Where that has no conditions yet, and with the options o.
func (c *collection[T, S]) queryWith(w *Where, f Filter, o *ListOptions, at place[T]) (store.Query, error) {
	ctx := w.Context
	at.where(w)
	plan, err := c.filterRules.For(f)
	if err != nil {
		return store.Query{}, err
	}
	plan.CheckGiven(f, &w.Problems)
	if err := c.filters.match(w, f); err != nil {
		return store.Query{}, err
	}
	f.Where(w)
	order := orderOf(o, c.def.Sorts, c.custom, c.def.List.Descending, c.def.Table.Schema(), &w.Problems)
	conds, err := w.result()
	if err == nil {
		l, err := c.texts.LanguageOf(ctx)
		if err != nil {
			return store.Query{}, err
		}
		conds = texts.InLanguage(c.def.Table.Schema(), l, conds)
	}
	return store.Query{
		Where: append(conds, c.visibleConds(ctx, at)...),
		Order: order, Limit: o.Limit, Offset: o.Offset,
	}, err
}

// orderOf returns the order that the options request, of the keys of an entity and its custom fields.
func orderOf(o *ListOptions, sorts []Sort, custom *customFields, descending bool, s *store.Schema, problems *shopapi.Problems) []store.Order {
	sort := sorts[0]
	if o.SortBy != "" {
		problems.OneOf("sort_by", o.SortBy, slices.Concat(keysOf(sorts), custom.sorts(nil))...)
		for _, s := range sorts {
			if s.Key == o.SortBy {
				sort = s
			}
		}
	}
	if o.Order != "" {
		problems.OneOf("sort_order", string(o.Order), string(Ascending), string(Descending))
	}
	checkPart(o, problems)
	desc := o.Order == Descending || o.Order == "" && descending
	if slices.Contains(custom.sorts(nil), o.SortBy) {
		return []store.Order{custom.order(o.SortBy, desc)}
	}
	if sort.Column == "" {
		sort.Column = s.Key()
	}
	return []store.Order{{Column: sort.Column, Desc: desc}}
}

// checkPart reports a negative limit or offset of Go code. Requests send page and
// items_per_page, which are checked when they are read.
func checkPart(o *ListOptions, problems *shopapi.Problems) {
	if o.Limit < 0 {
		problems.Add("limit", "must be a whole number from 0, not %d", o.Limit)
	}
	if o.Offset < 0 {
		problems.Add("offset", "must be a whole number from 0, not %d", o.Offset)
	}
}

// filterOf returns the filter, or for nil a filter that all objects match.
func (c *collection[T, S]) filterOf(f Filter) Filter {
	if f == nil {
		return c.def.Filter()
	}
	return f
}

// batch is how many items [Collection.All] reads at once.
const batch = 500

// All implements [Collection].
func (c *collection[T, S]) All(ctx context.Context, f Filter) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		ctx, f := c.api.Confine(ctx), c.filterOf(f)
		var none S
		key := c.def.Table.Schema().Key()
		for after := int64(math.MinInt64); ; {
			var list []S
			err := c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
				q, err := c.queryWith(c.where(ctx, tx), f, new(ListOptions), place[T]{})
				if err != nil {
					return err
				}
				q.Where = append(q.Where, store.AtLeast(key, store.Int(after)))
				q.Order, q.Limit, q.Offset = []store.Order{store.Asc(key)}, batch, 0
				list, err = c.selectItems(ctx, tx, f, q)
				return err
			})
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			if len(list) < batch {
				return
			}
			after = c.def.List.Items.Key(&list[len(list)-1]) + 1
		}
	}
}

// selectItems reads the items of a query whose number does not matter.
func (c *collection[T, S]) selectItems(ctx context.Context, tx store.Tx, f Filter, q store.Query) ([]S, error) {
	l, err := c.texts.LanguageOf(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.selectRows(ctx, tx, f, q)
	if err != nil {
		return nil, err
	}
	return list, c.loadItems(ctx, tx, l, f, list)
}

// sortedPage reads a page of items in the order of a translated column, and the number
// of all that match.
func (c *collection[T, S]) sortedPage(ctx context.Context, tx store.Tx, l texts.Language, sort *texts.Sort, f Filter, q store.Query) ([]S, int64, error) {
	keys, err := sort.Keys(tx, l, q.Where, q.Order[0].Desc)
	if err != nil {
		return nil, 0, err
	}
	total := int64(len(keys))
	keys = keys[min(max(q.Offset, 0), len(keys)):]
	if q.Limit > 0 {
		keys = keys[:min(q.Limit, len(keys))]
	}
	page := store.Query{Where: []store.Cond{store.InInts(c.def.Table.Schema().Key(), keys...)}}
	page.Order = []store.Order{store.Asc(c.def.Table.Schema().Key())}
	list, err := c.selectRows(ctx, tx, f, page)
	if err != nil {
		return nil, 0, err
	}
	place := make(map[int64]int, len(keys))
	for i, key := range keys {
		place[key] = i
	}
	at := make([]*S, len(keys))
	for i := range list {
		at[place[c.def.List.Items.Key(&list[i])]] = &list[i]
	}
	ordered := make([]S, 0, len(list))
	for _, item := range at {
		if item != nil {
			ordered = append(ordered, *item)
		}
	}
	return ordered, total, nil
}

// selectRows reads the items of a query without their texts.
func (c *collection[T, S]) selectRows(ctx context.Context, tx store.Tx, f Filter, q store.Query) (list []S, err error) {
	if c.def.List.Select == nil {
		return c.def.List.Items.Select(tx, q)
	}
	list, _, err = c.def.List.Select(ctx, tx, f, q)
	return list, err
}

// ListsOf returns the lists of a collection by the filter F.
func ListsOf[F any, P interface {
	*F
	Filter
}, T, S any](c Collection[T, S]) Lists[F, S] {
	return lists[F, P, S]{c}
}

// lists are the lists of a collection.
type lists[F any, P interface {
	*F
	Filter
}, S any] struct {
	rows interface {
		Find(ctx context.Context, f Filter) ([]S, int64, error)
		All(ctx context.Context, f Filter) iter.Seq2[S, error]
	}
}

// Find implements [Lists].
func (l lists[F, P, S]) Find(ctx context.Context, f F) ([]S, int64, error) {
	return l.rows.Find(ctx, P(&f))
}

// All implements [Lists].
func (l lists[F, P, S]) All(ctx context.Context, f F) iter.Seq2[S, error] {
	return l.rows.All(ctx, P(&f))
}
