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
	t := l.transaction(ctx)
	if t == nil {
		l.recordLater(ctx, c)
		return
	}
	t.add(ctx, &c)
}

// ReadAhead implements [shopapi.RecorderAhead].
func (l *Log) ReadAhead(ctx context.Context, tx store.Tx) {
	t := l.transaction(ctx)
	if t == nil || t.ahead {
		return
	}
	t.ahead = true
	store.ReadWithNext(tx, func() {
		if on, err := t.isOn(); err == nil {
			t.on = &on
		}
	})
}

// transaction returns the transaction of ctx, nil if there is none in the store of the log.
func (l *Log) transaction(ctx context.Context) *transaction {
	e, ok := driver.AtEnd(ctx, l.st, l, func() driver.Ending { return &transaction{log: l, ctx: ctx} })
	if !ok {
		return nil
	}
	return e.(*transaction)
}

// recordLater keeps a change of another store once it is committed.
func (l *Log) recordLater(ctx context.Context, c shopapi.Change) {
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
	changes []*pending          // in their order
	by      map[object]*pending // nil for few changes
	counts  map[string]int      // of changed objects by entity, nil for few changes
	every   []string            // entities for which one row covers all changes
	err     error               // of the first change whose owner is unknown
	rows    []row               // of the changes, at the end
	ahead   bool                // whether the log is on is read ahead
	on      *bool               // nil where it was not
}

type object struct{ entity, id, parentEntity, parent string }

// fewChanges is how many changes are searched one after another. Most transactions have no
// more.
const fewChanges = 16

// A pending change is all that a transaction has done to an object so far.
type pending struct {
	shopapi.Change
	existed  bool // before the transaction
	exists   bool // now
	from, to string
}

// statuses is the Detail of changes of objects with a status, such as orders.
type statuses interface{ Statuses() (from, to string) }

func (t *transaction) add(ctx context.Context, c *shopapi.Change) {
	if slices.Contains(t.every, c.Entity) {
		return
	}
	if c.ID == Every {
		t.addEvery(c.Entity)
		return
	}
	p := t.find(c)
	again := p != nil
	if !again {
		if t.counts[c.Entity] >= maxRows {
			t.addEvery(c.Entity)
			return
		}
		p = &pending{Change: *c, existed: c.Operation != shopapi.OpCreate}
		t.changes = append(t.changes, p)
		if t.by != nil {
			t.index(p)
		}
	}
	if c.Owner == nil && (c.Operation == shopapi.OpDelete || c.ParentEntity != "") && (!again || p.Owner == nil) {
		c.Owner = t.owner(ctx, c)
	}
	p.merge(c, again)
	if s, ok := c.Detail.(statuses); ok {
		from, to := s.Statuses()
		if p.from == "" {
			p.from = from
		}
		p.to = to
	}
}

// find returns the change of the object of a change, or nil.
func (t *transaction) find(c *shopapi.Change) *pending {
	if len(t.changes) > fewChanges && t.by == nil {
		t.by, t.counts = map[object]*pending{}, map[string]int{}
		for _, p := range t.changes {
			t.index(p)
		}
	}
	o := object{c.Entity, c.ID, c.ParentEntity, c.ParentID}
	if t.by != nil {
		return t.by[o]
	}
	for _, p := range t.changes {
		if p.object() == o {
			return p
		}
	}
	return nil
}

func (p *pending) object() object { return object{p.Entity, p.ID, p.ParentEntity, p.ParentID} }

func (t *transaction) index(p *pending) {
	t.by[p.object()] = p
	t.counts[p.Entity]++
}

// addEvery replaces all changes of an entity by one row.
func (t *transaction) addEvery(entity string) {
	t.every, t.by, t.counts = append(t.every, entity), nil, nil
	t.changes = slices.DeleteFunc(t.changes, func(p *pending) bool { return p.Entity == entity })
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

// row returns the row of a change.
func (t *transaction) row(p *pending) row {
	r := row{
		Entity: p.Entity, Object: p.ID, ParentEntity: p.ParentEntity, Parent: p.ParentID, Op: operations[p.Operation],
		Company: p.Owner.CompanyID, Audience: int64(p.Owner.Audience),
	}
	if r.ParentEntity == "" {
		r.ParentEntity, r.Parent = p.Owner.ParentEntity, p.Owner.ParentID
	}
	if p.Operation == shopapi.OpUpdate {
		r.Fields = fieldsText(p.Fields)
	}
	if p.Former != nil && *p.Former != *p.Owner && p.existed {
		if p.exists {
			r.Moved, r.FormerCompany, r.FormerAudience = true, p.Former.CompanyID, int64(p.Former.Audience)
		} else { // the users of its former company see the deletion
			r.Company, r.Audience = p.Former.CompanyID, int64(p.Former.Audience)
		}
		t.moveWith(p.Entity)
	}
	if p.from != p.to {
		r.Status, r.Previous = p.to, p.from
	}
	return r
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
