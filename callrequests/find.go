package callrequests

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which call requests a list holds, and in which order. Its zero
// value is all that the user may see, newest first.
type Filter struct {
	Status      string        `json:"status"`
	Name        string        `json:"name"`  // part of it, in either case
	Phone       string        `json:"phone"` // part of it
	CompanyID   *int64        `json:"company_id"`
	UserID      *int64        `json:"user_id"`      // the administrator in charge, 0 for none
	OrderStatus string        `json:"order_status"` // that of the linked order
	OrderExists *shopapi.Flag `json:"order_exists"` // whether the linked order does

	SortBy    string `json:"-"` // one of [Sorts]; "" is date
	Ascending bool   `json:"-"` // lists descend by themselves: the newest come first
	Limit     int    `json:"-"` // at most so many; 0 means all
	Offset    int    `json:"-"`
}

// Sorts returns what lists can be sorted by, the default first (decisions §9). Ties
// are broken by id.
func Sorts() []string {
	return []string{"date", "id", "status", "name", "phone", "user_id", "user", "order", "order_status"}
}

// columnOf returns the column that a sort key stands for, "" where it stands for
// something of the linked objects.
func columnOf(sortBy string) string {
	switch sortBy {
	case "", "date":
		return "timestamp"
	case "id":
		return "request_id"
	case "order":
		return "order_id"
	case "status", "name", "phone", "user_id":
		return sortBy
	}
	return ""
}

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

// conds are the conditions on the rows by themselves.
func (f *Filter) conds() (conds []store.Cond, err error) {
	var problems shopapi.Problems
	if f.SortBy != "" {
		problems.OneOf("sort_by", f.SortBy, Sorts()...)
	}
	if f.Status != "" {
		problems.OneOf("status", f.Status, statuses...)
		conds = append(conds, store.Equal("status", store.String(f.Status)))
	}
	if f.Name != "" {
		conds = append(conds, store.Contains("name", f.Name))
	}
	if f.Phone != "" {
		conds = append(conds, store.Contains("phone", f.Phone))
	}
	if f.CompanyID != nil {
		conds = append(conds, store.Equal("company_id", store.Int(*f.CompanyID)))
	}
	if f.UserID != nil {
		conds = append(conds, store.Equal("user_id", store.Int(*f.UserID)))
	}
	return conds, problems.Err()
}

// asksLinked reports whether the linked objects have a say in the list.
func (f *Filter) asksLinked() bool {
	return f.asksOrders() || columnOf(f.SortBy) == ""
}

func (f *Filter) asksOrders() bool { return f.OrderStatus != "" || f.OrderExists != nil }

// order is the order of rows. That of linked objects comes on top of it, so that
// the id breaks its ties.
func (f *Filter) order() []store.Order {
	column := columnOf(f.SortBy)
	if column == "" {
		column = table.Schema().Key()
	}
	return []store.Order{{Column: column, Desc: !f.Ascending}}
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
