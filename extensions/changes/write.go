package changes

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var _ driver.GroupEnding = (*transaction)(nil)

// End implements [driver.Ending]: it writes the rows.
func (t *transaction) End() error {
	if err := t.Prepare(); err != nil {
		return err
	}
	return t.EndGroup(t.ctx, []driver.Ending{t})
}

// Prepare implements [driver.GroupEnding]: it makes the rows, unless the log is off.
func (t *transaction) Prepare() error {
	if t.err != nil || len(t.changes)+len(t.every) == 0 {
		return t.err
	}
	on, err := t.isOn()
	if err != nil || !on {
		return err
	}
	now, user := t.log.api.Now(t.ctx).Unix(), int64(0)
	if u := shopapi.UserFrom(t.ctx); u != nil {
		user = u.ID
	}
	t.rows = make([]row, 0, len(t.changes)+len(t.every))
	for _, p := range t.changes {
		if !p.existed && !p.exists {
			continue
		}
		if p.Owner == nil {
			p.Owner = t.owner(t.ctx, &p.Change)
		}
		t.rows = append(t.rows, t.row(p))
	}
	for _, entity := range t.every {
		t.rows = append(t.rows, row{Entity: entity, Object: Every, Op: Updated, Audience: int64(shopapi.ForAll), Fields: Every})
	}
	for i := range t.rows {
		t.rows[i].Time, t.rows[i].User = now, user
	}
	return t.err
}

// isOn reports whether the log is on.
func (t *transaction) isOn() (bool, error) {
	if t.on != nil {
		return *t.on, nil
	}
	return t.log.isOn.Get(t.ctx, headID, func(tx store.Tx) (bool, error) {
		h, err := readHead(tx)
		return h.On, err
	})
}

// EndGroup implements [driver.GroupEnding]: it writes the rows of several transactions at once,
// which takes about half as long as one by one.
func (t *transaction) EndGroup(ctx context.Context, group []driver.Ending) error {
	list := t.rows
	if len(group) > 1 {
		list = distinct(group)
	}
	if len(list) == 0 {
		return nil
	}
	return t.log.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if !t.log.concurrent {
			if err := addTotals(tx, list); err != nil {
				return err
			}
		}
		if err := rows.Append(tx, list...); err != nil {
			return err
		}
		return t.log.written(ctx, tx, len(list))
	})
}

// distinct returns the rows of transactions that are committed together, in their order, without
// repetitions of the last row of an object. Many orders may take stock of one product; nobody
// can see the product between two of them.
func distinct(group []driver.Ending) []row {
	n := 0
	for _, e := range group {
		n += len(e.(*transaction).rows)
	}
	list, last := make([]row, 0, n), make(map[object]int, n)
	for _, e := range group {
		for _, r := range e.(*transaction).rows {
			of := object{r.Entity, r.Object, r.ParentEntity, r.Parent}
			if i, ok := last[of]; ok && list[i] == r {
				continue
			}
			last[of] = len(list)
			list = append(list, r)
		}
	}
	return list
}

// addTotals sets the totals of new rows.
func addTotals(tx store.Tx, list []row) error {
	total, err := lastTotal(tx)
	for i := range list {
		total += list[i].size()
		list[i].Total = total
	}
	return err
}

// totals reads the ids and the totals of rows.
var totals = rows.Subset("total_bytes")

// lastTotal returns [row.Total] of the newest row.
func lastTotal(tx store.Tx) (int64, error) {
	list, err := totals.Select(tx, store.Query{Order: []store.Order{store.Desc("id")}, Limit: 1})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].Total, nil
}
