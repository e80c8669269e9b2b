package callrequests

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// Find returns the call requests that match, and their number without limit and
// offset. Texts are sorted without regard to case; requests without what they are
// sorted by are the smallest. It returns a 400 [*shopapi.Error] for a
// status or a sort key that is none.
func (c *CallRequests) Find(ctx context.Context, f Filter) (list []CallRequest, total int64, err error) {
	where, err := f.conds()
	if err != nil {
		return nil, 0, err
	}
	where = append(where, scope.Conds(ctx)...)
	err = c.st.View(ctx, func(ctx context.Context, tx store.Tx) (err error) {
		l := linksOf(c.api)
		if f.asksLinked() {
			list, total, err = f.findLinked(ctx, tx, l, where)
		} else {
			list, total, err = table.Page(tx, store.Query{Where: where, Order: f.order(), Limit: f.Limit, Offset: f.Offset})
		}
		if err != nil {
			return err
		}
		for i := range list {
			if err := l.fill(ctx, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return list, total, err
}

// findLinked finds what linked objects have a say in: it reads the references of
// all rows that match where, filters and sorts them here, and then reads the rows
// of the page.
func (f *Filter) findLinked(ctx context.Context, tx store.Tx, l *links, where []store.Cond) ([]CallRequest, int64, error) {
	all, err := references.Select(tx, store.Query{Where: where, Order: f.order()})
	if err != nil {
		return nil, 0, err
	}
	matching, err := f.matching(ctx, l, all)
	if err != nil {
		return nil, 0, err
	}
	if err := f.sort(ctx, l, matching); err != nil {
		return nil, 0, err
	}
	page := matching[min(f.Offset, len(matching)):]
	if f.Limit > 0 {
		page = page[:min(f.Limit, len(page))]
	}
	list, err := rowsOf(tx, page)
	return list, int64(len(matching)), err
}

// matching returns the references whose order is as the filter says.
func (f *Filter) matching(ctx context.Context, l *links, all []reference) ([]reference, error) {
	if !f.asksOrders() {
		return all, nil
	}
	kept := all[:0]
	for _, r := range all {
		order, err := l.follow(ctx, anOrder, r.OrderID)
		if err != nil {
			return nil, err
		}
		if f.OrderStatus != "" && (order.text == nil || *order.text != f.OrderStatus) ||
			f.OrderExists != nil && order.exists != bool(*f.OrderExists) {
			continue
		}
		kept = append(kept, r)
	}
	return kept, nil
}

// sort orders references by the linked objects, if the filter says so. They come
// in the order of ids, in the same direction, which breaks ties.
func (f *Filter) sort(ctx context.Context, l *links, refs []reference) error {
	if columnOf(f.SortBy) != "" {
		return nil
	}
	type keyed struct {
		reference
		key store.Value
	}
	list := make([]keyed, len(refs))
	for i, r := range refs {
		key, err := f.linkedKey(ctx, l, r)
		if err != nil {
			return err
		}
		list[i] = keyed{r, key}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		if f.Ascending {
			return a.key.Compare(b.key)
		}
		return b.key.Compare(a.key)
	})
	for i := range list {
		refs[i] = list[i].reference
	}
	return nil
}

// linkedKey is what a reference is sorted by: a name without regard to case, or
// a status.
func (f *Filter) linkedKey(ctx context.Context, l *links, r reference) (store.Value, error) {
	if f.SortBy == "user" {
		user, err := l.follow(ctx, anOfficer, r.UserID)
		if err != nil || user.text == nil {
			return store.Null, err
		}
		return store.String(store.Fold(*user.text)), nil
	}
	order, err := l.follow(ctx, anOrder, r.OrderID)
	if err != nil || order.text == nil {
		return store.Null, err
	}
	return store.String(*order.text), nil
}

// rowsOf reads the rows of references, in their order.
func rowsOf(tx store.Tx, refs []reference) ([]CallRequest, error) {
	place := make(map[int64]int, len(refs))
	ids := make([]int64, len(refs))
	for i, r := range refs {
		ids[i], place[r.RequestID] = r.RequestID, i
	}
	list, err := table.Select(tx, store.Query{Where: []store.Cond{store.InInts("request_id", ids...)}})
	slices.SortFunc(list, func(a, b CallRequest) int { return cmp.Compare(place[a.RequestID], place[b.RequestID]) })
	return list, err
}
