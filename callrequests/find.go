package callrequests

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// selectRows reads a page. To filter or sort by linked objects, it reads the references
// of all matching rows, filters and sorts them in Go, and then reads the rows of the
// page.
func (c *CallRequests) selectRows(ctx context.Context, tx store.Tx, filter resource.Filter, q store.Query) ([]CallRequest, int64, error) {
	f := filter.(*Filter)
	l := linksOf(c.api)
	if !f.asksOrders() && !f.sortsLinked() {
		list, total, err := table.Page(tx, q)
		if err != nil {
			return nil, 0, err
		}
		return list, total, l.fillAll(ctx, list)
	}
	all, err := references.Select(tx, store.Query{Where: q.Where, Order: q.Order})
	if err != nil {
		return nil, 0, err
	}
	matching, err := f.matching(ctx, l, all)
	if err != nil {
		return nil, 0, err
	}
	if err := f.sort(ctx, l, matching, q.Order[0].Desc); err != nil {
		return nil, 0, err
	}
	page := matching[min(q.Offset, len(matching)):]
	if q.Limit > 0 {
		page = page[:min(q.Limit, len(page))]
	}
	list, err := rowsOf(tx, page)
	if err != nil {
		return nil, 0, err
	}
	return list, int64(len(matching)), l.fillAll(ctx, list)
}

// matching returns the references whose orders match the filter.
func (f *Filter) matching(ctx context.Context, l *links, all []reference) ([]reference, error) {
	if !f.asksOrders() {
		return all, nil
	}
	letters := rules.Codes(f.OrderStatus)
	matching := all[:0]
	for _, r := range all {
		order, err := l.follow(ctx, anOrder, r.OrderID)
		if err != nil {
			return nil, err
		}
		if len(letters) > 0 && (order.text == nil || !slices.Contains(letters, *order.text)) ||
			f.OrderExists != nil && order.exists != bool(*f.OrderExists) {
			continue
		}
		matching = append(matching, r)
	}
	return matching, nil
}

// sort sorts references by the linked objects, if the filter asks for it. They come by
// id, in the same direction, which breaks ties.
func (f *Filter) sort(ctx context.Context, l *links, refs []reference, desc bool) error {
	if !f.sortsLinked() {
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
		if desc {
			return b.key.Compare(a.key)
		}
		return a.key.Compare(b.key)
	})
	for i := range list {
		refs[i] = list[i].reference
	}
	return nil
}

// linkedKey is the sort key of a reference: a name without regard to case, or a status.
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
