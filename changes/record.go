package changes

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// maxRows is the number of rows of an entity that a transaction writes. Beyond it, one
// row covers all of them.
const maxRows = 10_000

// Record implements [shopapi.Recorder].
func (l *Log) Record(ctx context.Context, c shopapi.Change) {
	e, ok := driver.AtEnd(ctx, l.st, l, func() driver.Ending { return &transaction{log: l, ctx: ctx} })
	if ok {
		e.(*transaction).add(ctx, c)
		return
	}
	store.AfterCommit(ctx, func() { l.recordAlone(context.WithoutCancel(ctx), c) })
}

// recordAlone keeps a change that was committed without the log: one of another store.
func (l *Log) recordAlone(ctx context.Context, c shopapi.Change) {
	err := l.st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		l.Record(ctx, c)
		return nil
	})
	if err != nil {
		l.logger.ErrorContext(ctx, "a committed change is missing in the change log", "entity", c.Entity, "id", c.ID, "error", err)
	}
}

// A transaction collects the changes of one transaction.
type transaction struct {
	log     *Log
	ctx     context.Context
	order   []object
	changed map[object]*pending
	rows    map[string]int // by entity
	every   []string       // entities for which one row covers all changes
	err     error          // of the first change whose owner is unknown
	total   int64          // [row.Total] of the last row, unless rows get their positions later
}

type object struct{ entity, id, parentEntity, parent string }

// A pending change is all that a transaction has done to an object so far.
type pending struct {
	shopapi.Change
	existed  bool // before the transaction
	exists   bool // now
	from, to string
}

// statuses is the Detail of changes of objects with a status, such as orders.
type statuses interface{ Statuses() (from, to string) }

func (t *transaction) add(ctx context.Context, c shopapi.Change) {
	if slices.Contains(t.every, c.Entity) {
		return
	}
	if c.ID == Every {
		t.addEvery(c.Entity)
		return
	}
	o := object{c.Entity, c.ID, c.ParentEntity, c.ParentID}
	p, again := t.changed[o]
	if !again {
		if t.changed == nil {
			t.changed, t.rows = map[object]*pending{}, map[string]int{}
		}
		if t.rows[c.Entity]++; t.rows[c.Entity] > maxRows {
			t.addEvery(c.Entity)
			return
		}
		p = &pending{Change: c, existed: c.Operation != shopapi.OpCreate}
		t.order = append(t.order, o)
		t.changed[o] = p
	}
	if c.Owner == nil && (c.Operation == shopapi.OpDelete || c.ParentEntity != "") && (!again || p.Owner == nil) {
		c.Owner = t.owner(ctx, &c)
	}
	p.merge(&c, again)
	if s, ok := c.Detail.(statuses); ok {
		from, to := s.Statuses()
		if p.from == "" {
			p.from = from
		}
		p.to = to
	}
}

// addEvery replaces all changes of an entity by one row.
func (t *transaction) addEvery(entity string) {
	t.every = append(t.every, entity)
	t.order = slices.DeleteFunc(t.order, func(o object) bool {
		if o.entity == entity {
			delete(t.changed, o)
		}
		return o.entity == entity
	})
}

// merge adds a further change of the object.
func (p *pending) merge(c *shopapi.Change, again bool) {
	p.exists = c.Operation != shopapi.OpDelete
	if c.Owner != nil {
		p.Owner = c.Owner
	}
	if p.Former == nil {
		p.Former = c.Former
	}
	if !again {
		return
	}
	if c.Operation != shopapi.OpUpdate || p.Operation != shopapi.OpUpdate {
		p.Fields = nil // deleted and created again: all of it may differ
	} else if p.Fields != nil {
		if c.Fields == nil {
			p.Fields = nil
		} else {
			p.Fields = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Fields, c.Fields))))
		}
	}
	p.Operation = c.Operation
	if c.Operation == shopapi.OpDelete {
		return
	}
	if !p.existed {
		p.Operation = shopapi.OpCreate
	} else {
		p.Operation = shopapi.OpUpdate
	}
}

// owner asks who owns the object of a change, or the one above it.
func (t *transaction) owner(ctx context.Context, c *shopapi.Change) *shopapi.Ownership {
	entity, id := c.Entity, c.ID
	if c.ParentEntity != "" {
		entity, id = c.ParentEntity, c.ParentID
	}
	o, err := t.log.api.OwnerOf(ctx, entity, id)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("changes: the owner of %s %s: %w", entity, id, err)
	}
	return &o
}

// End implements [driver.Ending]: it writes the rows.
func (t *transaction) End() error {
	if t.err != nil {
		return t.err
	}
	if len(t.order) == 0 && len(t.every) == 0 {
		return nil
	}
	return t.log.st.Update(t.ctx, func(ctx context.Context, tx store.Tx) error {
		h, err := readHead(tx)
		if err != nil || !h.On {
			return err
		}
		if !t.log.concurrent {
			if t.total, err = lastTotal(tx); err != nil {
				return err
			}
		}
		n := 0
		for _, o := range t.order {
			p := t.changed[o]
			if !p.existed && !p.exists {
				continue
			}
			if err := t.write(ctx, tx, p); err != nil {
				return err
			}
			n++
		}
		for _, entity := range t.every {
			if err := t.insert(ctx, tx, &row{Entity: entity, Object: Every, Op: Updated, Audience: int64(shopapi.ForAll), Fields: Every}); err != nil {
				return err
			}
			n++
		}
		return t.log.written(ctx, tx, n)
	})
}

func (t *transaction) write(ctx context.Context, tx store.Tx, p *pending) error {
	if p.Owner == nil {
		if p.Owner = t.owner(ctx, &p.Change); t.err != nil {
			return t.err
		}
	}
	r := row{
		Entity: p.Entity, Object: p.ID, ParentEntity: p.ParentEntity, Parent: p.ParentID, Op: operations[p.Operation],
		Company: p.Owner.CompanyID, Audience: int64(p.Owner.Audience),
	}
	if p.Operation == shopapi.OpUpdate {
		r.Fields = fieldsText(p.Fields)
	}
	if p.Former != nil && *p.Former != *p.Owner && p.existed && p.exists {
		r.Moved, r.FormerCompany, r.FormerAudience = true, p.Former.CompanyID, int64(p.Former.Audience)
		t.moveWith(p.Entity)
	}
	if p.from != p.to {
		r.Status, r.Previous = p.to, p.from
	}
	return t.insert(ctx, tx, &r)
}

// moveWith records a change of all objects of the entities below an object
// with a new owner, because their owners may follow from it.
func (t *transaction) moveWith(entity string) {
	for _, child := range t.log.api.Descriptions() {
		if slices.Contains(child.Parents, entity) && !slices.Contains(t.every, child.Name) {
			t.every = append(t.every, child.Name)
		}
	}
}

func (t *transaction) insert(ctx context.Context, tx store.Tx, r *row) error {
	r.Time = t.log.api.Now(ctx).Unix()
	if u := shopapi.UserFrom(t.ctx); u != nil {
		r.User = u.ID
	}
	if !t.log.concurrent {
		t.total += r.size()
		r.Total = t.total
	}
	return rows.Insert(tx, r)
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
