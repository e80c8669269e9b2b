package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/store"
)

// Create implements [Collection].
func (c *collection[T, S]) Create(ctx context.Context, v T) (T, error) {
	return c.create(ctx, c.given(v))
}

// CreateAll implements [Collection].
func (c *collection[T, S]) CreateAll(ctx context.Context, list []T) (created []T, err error) {
	ctx = c.api.Confine(ctx)
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = make([]T, len(list))
		for i, v := range list {
			bulk.Writing(ctx) // any error fails the transaction, also in a row of PUT with match
			add := c.adding(&created[i], c.given(v), place[T]{}, true)
			if err := add(ctx, tx); err != nil {
				return numbered(err, i+1)
			}
		}
		return nil
	})
	if err != nil {
		return nil, withGoFields[T](err)
	}
	return created, nil
}

// numbered says of which object of many an error for clients is. Others are as they came.
func numbered(err error, n int) error {
	err = unstorable(err)
	var e *shopapi.Error
	if !errors.As(err, &e) {
		return err
	}
	numbered := *e
	numbered.Message = fmt.Sprintf("Object %d: %s", n, e.Message)
	return &numbered
}

// given returns the function that fills a new object with one from Go code.
func (c *collection[T, S]) given(v T) func(context.Context, *T) error {
	return func(ctx context.Context, created *T) error {
		*created = *c.cloner.clone(&v)
		c.fillDefaults(ctx, created)
		return nil
	}
}

// CreateFunc implements [Collection].
func (c *collection[T, S]) CreateFunc(ctx context.Context, fill func(*T) error) (T, error) {
	return c.create(ctx, c.filled(plain(fill)))
}

// plain is a change that needs no context.
func plain[T any](change func(*T) error) func(context.Context, *T) error {
	return func(_ context.Context, v *T) error { return change(v) }
}

// filled applies fill to an object with the defaults, within the transaction of its context.
func (c *collection[T, S]) filled(fill func(context.Context, *T) error) func(context.Context, *T) error {
	return func(ctx context.Context, created *T) error {
		c.setDefaults(ctx, created)
		return fill(ctx, created)
	}
}

// prefilled is filled for one object, which it fills in now, before the transaction: that keeps
// others waiting. It also returns the problems of the payload. The first call of again is for this
// object; where the transaction runs again, the next one fills it in anew.
func (c *collection[T, S]) prefilled(ctx context.Context, created *T, fill func(context.Context, *T) error) (again func(context.Context, *T) error, wrong error) {
	wrong = c.filled(fill)(c.api.Confine(ctx), created)
	fresh := true
	return func(ctx context.Context, created *T) error {
		if fresh {
			fresh = false
			return wrong
		}
		return c.filled(fill)(ctx, created)
	}, wrong
}

// create adds an object to the store, and returns it with the fields that are not columns.
func (c *collection[T, S]) create(ctx context.Context, fill func(context.Context, *T) error) (T, error) {
	created := new(T)
	err := c.st.Update(c.api.Confine(ctx), c.adding(created, fill, place[T]{}, true))
	if err != nil {
		return *new(T), withGoFields[T](err)
	}
	return *created, nil
}

// adding returns the function that adds an object, which fill fills in, in the transaction of its
// context. whole says that the object gets the fields that are not columns, which takes further
// reads.
func (c *collection[T, S]) adding(created *T, fill func(context.Context, *T) error, at place[T], whole bool) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		c.api.ReadRecorderAhead(ctx, tx)
		none := new(T)
		var problems shopapi.Problems
		draft, err := c.fillIn(ctx, none, created, fill, at, &problems)
		if err == nil {
			err = c.check(ctx, tx, none, created, &problems)
		}
		if err == nil {
			err = c.save(ctx, tx, shopapi.OpCreate, none, created, draft, whole)
		}
		return bulk.BeforeWriting(ctx, err)
	}
}

// fillIn makes a new object, which is not checked yet; none is the zero object. It returns the
// copy for hooks, nil without hooks.
func (c *collection[T, S]) fillIn(ctx context.Context, none, created *T, fill func(context.Context, *T) error, at place[T], problems *shopapi.Problems) (draft *T, err error) {
	problems.Merge(fill(ctx, created))
	c.def.Table.SetKey(created, 0)
	if err := c.texts.SetLanguage(ctx, created); err != nil {
		return nil, err
	}
	at.enter(created, problems)
	c.restoreImmutable(created, none, problems)
	c.normalize(created, problems)
	return c.draft(created), nil
}

// Update implements [Collection].
func (c *collection[T, S]) Update(ctx context.Context, id int64, change func(*T) error) (T, error) {
	after, err := c.update(ctx, id, plain(change), place[T]{}, true)
	return valueOf(after), withGoFields[T](err)
}

// update changes an object. whole means the same as in adding. The object is nil with an
// error.
func (c *collection[T, S]) update(ctx context.Context, id int64, change func(context.Context, *T) error, at place[T], whole bool) (after *T, err error) {
	ctx = c.api.Confine(ctx)
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		after, err = c.updateIn(ctx, tx, id, change, at, whole)
		return bulk.BeforeWriting(ctx, err)
	})
	if err != nil {
		return nil, err
	}
	return after, nil
}

func (c *collection[T, S]) updateIn(ctx context.Context, tx store.Tx, id int64, change func(context.Context, *T) error, at place[T], whole bool) (after *T, err error) {
	if err := store.TakeTurns(tx, c.def.Table.Schema(), id); err != nil {
		return nil, err
	}
	c.api.ReadRecorderAhead(ctx, tx)
	store.ReadWithNext(tx, func() { _, _ = c.texts.LanguageOf(ctx) })
	before, err := c.read(ctx, tx, id, at)
	if err != nil {
		return nil, err
	}
	if err := c.authorize(ctx, tx, shopapi.OpUpdate, before); err != nil {
		return nil, err
	}
	err = shopapi.CheckPreconditions(ctx, func() (err error) {
		after, err = c.change(ctx, tx, before, change, at, whole)
		return err
	})
	return after, err
}

// change alters an object that was read, within the transaction of ctx, and stores it.
func (c *collection[T, S]) change(ctx context.Context, tx store.Tx, before *T, change func(context.Context, *T) error, at place[T], whole bool) (*T, error) {
	after, draft, same, err := c.alter(ctx, tx, before, change, at)
	if err != nil || same {
		return after, err
	}
	return after, c.save(ctx, tx, shopapi.OpUpdate, before, after, draft, whole)
}

// alter applies a change to a copy of an object and checks it. It returns the copy, the object
// before the check (nil without hooks), and whether nothing changes.
func (c *collection[T, S]) alter(ctx context.Context, tx store.Tx, before *T, change func(context.Context, *T) error, at place[T]) (after, draft *T, same bool, err error) {
	var problems shopapi.Problems
	after, same, err = c.apply(ctx, before, change, at, &problems)
	if err != nil || same && problems.Err() == nil {
		return after, nil, true, err
	}
	draft = c.draft(after)
	if err := c.check(ctx, tx, before, after, &problems); err != nil {
		return after, nil, false, err
	}
	// check may have reset derived fields: compare again.
	same, err = c.same(before, after)
	return after, draft, same, err
}

// apply applies a change to a copy of an object, and reports whether it changes nothing.
func (c *collection[T, S]) apply(ctx context.Context, before *T, change func(context.Context, *T) error, at place[T], problems *shopapi.Problems) (after *T, same bool, err error) {
	after = c.cloner.clone(before)
	problems.Merge(change(ctx, after))
	c.def.Table.SetKey(after, c.id(before))
	if err := c.texts.SetLanguage(ctx, after); err != nil {
		return after, false, err
	}
	at.enter(after, problems)
	c.restoreImmutable(after, before, problems)
	c.normalize(after, problems)
	same, err = c.skipUnchanged(before, after, problems)
	return after, same, err
}

// draft returns a copy of an object that is about to be checked, which is checked again if a
// hook sets a field. It is nil without hooks.
func (c *collection[T, S]) draft(v *T) *T {
	if len(c.reported().beforeSave) == 0 {
		return nil
	}
	return c.cloner.clone(v)
}

// recheck derives and checks an object again with the fields that hooks set in its draft. It
// acts for the host, since hooks are its code, and reports whether nothing is left to change.
func (c *collection[T, S]) recheck(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after, draft *T) (same bool, err error) {
	ctx = shopapi.AsHost(ctx)
	var problems shopapi.Problems
	*after = *draft
	c.restoreImmutable(after, before, &problems)
	c.normalize(after, &problems)
	if op == shopapi.OpUpdate {
		if same, err = c.skipUnchanged(before, after, &problems); err != nil || same && problems.Err() == nil {
			return same, err
		}
	}
	if err := c.check(ctx, tx, before, after, &problems); err != nil || op == shopapi.OpCreate {
		return false, err
	}
	return c.same(before, after)
}

// restoreImmutable restores the fields that no change alters.
func (c *collection[T, S]) restoreImmutable(after, before *T, problems *shopapi.Problems) {
	keepStamp(after, before)
	if c.def.Rules.RestoreImmutable != nil {
		c.def.Rules.RestoreImmutable(after, before, problems)
	}
}

func (c *collection[T, S]) normalize(v *T, problems *shopapi.Problems) {
	c.rules.Normalize(v, problems)
	if c.def.Rules.Normalize != nil {
		c.def.Rules.Normalize(v, problems)
	}
	if c.customOf != nil {
		c.custom.normalize(c.customOf(v))
	}
}

// check assigns the company of an object, derives fields, checks the rules in tags and in
// the definition, and returns the problems of the object, including problems reported
// before.
func (c *collection[T, S]) check(ctx context.Context, tx store.Tx, before, after *T, problems *shopapi.Problems) error {
	if c.def.Scope.Company != nil {
		had, company := *c.def.Scope.Company(before), c.def.Scope.Company(after)
		if err := AssignCompany(ctx, c.api, problems, had, company); err != nil {
			return err
		}
	}
	if c.def.Rules.Derive != nil {
		if err := c.def.Rules.Derive(ctx, tx, before, after, problems); err != nil {
			return err
		}
	}
	c.rules.Check(after, problems)
	if c.customOf != nil {
		c.custom.check(*c.customOf(before), *c.customOf(after), problems)
	}
	if c.def.Rules.Check != nil {
		if err := c.def.Rules.Check(ctx, tx, before, after, problems); err != nil {
			return err
		}
	}
	return problems.Err()
}

// skipUnchanged makes the rules on one field skip unchanged fields, and reports whether
// the change changes nothing at all.
func (c *collection[T, S]) skipUnchanged(before, after *T, problems *shopapi.Problems) (same bool, err error) {
	changed, err := c.def.Table.Changed(before, after)
	if err != nil {
		return false, err
	}
	problems.SkipAllBut(changed, c.def.Table.Schema())
	return len(changed) == 0 && c.sameExtras(before, after), nil
}

// sameExtras reports whether two objects agree in the fields that are not columns of T.
func (c *collection[T, S]) sameExtras(before, after *T) bool {
	return c.cloner.sameExtras(before, after) && (c.customOf == nil || c.customOf(before).Equal(*c.customOf(after)))
}

func (c *collection[T, S]) same(before, after *T) (bool, error) {
	changed, err := c.def.Table.Changed(before, after)
	return err == nil && len(changed) == 0 && c.sameExtras(before, after), err
}

// save runs the hooks and stores an object that was checked; draft is the object before that.
// Fields that are not columns are read anew for hooks, and if whole.
func (c *collection[T, S]) save(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after, draft *T, whole bool) error {
	bulk.Writing(ctx)
	changed, same, err := c.runHooksBefore(ctx, tx, op, before, after, draft)
	if err != nil || same {
		return err
	}
	write := c.def.Rows.Write
	if write == nil {
		write = c.WriteRow
	}
	if c.texts.Translated() {
		err = c.texts.Write(ctx, tx, before, after, func() error { return write(ctx, tx, before, after) })
	} else {
		err = write(ctx, tx, before, after)
	}
	if err != nil {
		if c.def.Rows.Conflict != nil && errors.Is(err, store.ErrConflict) {
			return c.def.Rows.Conflict(err)
		}
		return err
	}
	if c.customOf != nil {
		if err := c.custom.write(ctx, tx, c.id(after), op == shopapi.OpCreate, c.customOf(before), c.customOf(after)); err != nil {
			return err
		}
	}
	if c.def.Rows.AfterWrite != nil {
		if err := c.def.Rows.AfterWrite(ctx, tx, after); err != nil {
			return err
		}
	}
	if err := c.moved(ctx, op, before, after); err != nil {
		return err
	}
	if err := c.report(ctx, tx, op, before, after, changed); err != nil {
		return err
	}
	if whole || len(c.reported().afterSave) > 0 {
		if err := c.load(ctx, tx, after); err != nil {
			return err
		}
	}
	return c.runAfterSave(ctx, tx, op, before, after)
}

// runHooksBefore runs the hooks before an object is stored. It returns the names of the fields
// that changed, and whether nothing is left to change.
func (c *collection[T, S]) runHooksBefore(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after, draft *T) (changed []string, same bool, err error) {
	if changed, err = c.modify(ctx, op, before, after); err != nil {
		return nil, false, err
	}
	if draft != nil && c.def.Scope.Company != nil {
		*c.def.Scope.Company(draft) = *c.def.Scope.Company(after)
	}
	set, err := c.runBeforeSave(ctx, tx, op, before, after, draft)
	if err != nil || !set {
		return changed, false, err
	}
	if same, err = c.recheck(ctx, tx, op, before, after, draft); err != nil || same {
		return nil, same, err
	}
	changed, err = c.modify(ctx, op, before, after)
	return changed, false, err
}

// modify sets the time of the last change of an object, and returns the names of the fields that changed
// before that.
func (c *collection[T, S]) modify(ctx context.Context, op shopapi.Operation, before, after *T) ([]string, error) {
	changed, err := c.changed(ctx, op, before, after)
	if err == nil && (op == shopapi.OpCreate || len(changed) > 0) {
		SetStamp(ctx, c.api, after)
	}
	return changed, err
}

// WriteRow implements [Collection].
func (c *collection[T, S]) WriteRow(_ context.Context, tx store.Tx, _, after *T) error {
	if c.id(after) == 0 {
		return c.def.Table.Insert(tx, after)
	}
	return c.def.Table.Update(tx, after)
}
