package pull

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store"
)

// A writing is one transaction that stores objects.
type writing struct {
	*puller
	ctx      context.Context
	tx       store.Tx
	problems []Problem // of the transaction, reported after the commit
	leaves   []int64   // users of this shop that gave their id away
	roomFor  map[string]bool
	written  int64
	highest  map[*store.Schema]int64
}

// write stores objects in one transaction, each with its known row.
func (p *puller) write(ctx context.Context, list []taken) error {
	if len(list) == 0 {
		return nil
	}
	list = slices.DeleteFunc(list, func(t taken) bool {
		p.tellUnknown(&t)
		return !p.fit(&t)
	})
	if p.DryRun {
		for i := range list {
			if c := p.report.Counts[list[i].entity]; c != nil {
				c.Here++
			}
		}
		return nil
	}
	var w *writing
	err := p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		w = &writing{puller: p, ctx: ctx, tx: tx, highest: map[*store.Schema]int64{}, roomFor: map[string]bool{}}
		if err := p.stillOwn(tx); err != nil {
			return err
		}
		ids := map[string][]string{}
		for i := range list {
			ids[list[i].entity] = append(ids[list[i].entity], list[i].id)
		}
		known := map[string]map[string]known{}
		for entity, of := range ids {
			if err := w.makeRoom(entity); err != nil {
				return err
			}
			var err error
			if known[entity], err = knownOf(tx, entity, of); err != nil {
				return err
			}
		}
		for i := range list {
			t := &list[i]
			if err := w.object(t, known[t.entity]); err != nil {
				return fmt.Errorf("pull: %s %s: %w", t.entity, t.id, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, problem := range w.problems {
		p.report.problem(problem)
	}
	p.report.Written += w.written
	for entity := range w.roomFor {
		p.seeds[entity] = nil
	}
	for _, id := range w.leaves {
		delete(p.seeds["users"], id)
	}
	for s, id := range w.highest {
		p.highest[s] = max(p.highest[s], id)
	}
	return nil
}

func (w *writing) problem(t *taken, field, reason string) {
	w.problems = append(w.problems, Problem{t.entity, t.id, field, reason})
}

// object stores one object, unless it is as it was, or was changed here.
func (w *writing) object(t *taken, known map[string]known) error {
	for i := range t.parts {
		p := &t.parts[i]
		if p.keyed {
			for _, r := range p.rows {
				w.highest[p.schema] = max(w.highest[p.schema], r[0].Int())
			}
		}
	}
	there, k := sum(t.parts, false), known[t.id]
	if k.KnownID != 0 && k.There == there.text() && !w.Overwrite {
		if err := w.rememberListed(t, k); err != nil {
			return err
		}
		return w.giveSecrets(t)
	}
	if err := w.takeSeat(t); err != nil {
		return err
	}
	have := make([][]row, len(t.parts))
	for i := range t.parts {
		p := &t.parts[i]
		if p.linked {
			if len(have[0]) == 0 {
				continue
			}
			p.of = have[0][0][0]
		}
		var err error
		if have[i], err = w.rows(p); err != nil {
			return err
		}
		p.keepUnread(have[i])
	}
	here := sum(withRows(t.parts, have), true)
	switch gone := len(have[0]) == 0; {
	case k.There == there.text() && k.Here == here.text():
		return w.rememberListed(t, k) // nothing changed, here or there
	case k.KnownID == 0 && !gone && sum(withRows(t.parts, have), false) != there:
		w.problem(t, "", "this shop has a row of its own under the id, which stays")
		return nil
	case k.KnownID != 0 && !w.Overwrite && gone:
		w.problem(t, "", "was deleted here, and changed there: it stays deleted")
		return nil
	case k.KnownID != 0 && !w.Overwrite && k.Here != here.text():
		w.problem(t, "", "was changed here and there: what is here stays")
		return nil
	}
	wrote, partly := false, false
	for i := range t.parts {
		changed, err := w.part(t, &t.parts[i], have[i])
		if conflict, ok := errors.AsType[*store.ConflictError](err); ok {
			w.problem(t, conflictField(conflict), "is that of another row of this shop: "+t.parts[i].schema.Name+" was not taken")
			if i == 0 {
				return nil
			}
			partly = true
			continue
		}
		if err != nil {
			return err
		}
		wrote = wrote || changed
	}
	if wrote {
		w.written++
		op := shopapi.OpUpdate
		if len(have[0]) == 0 {
			op = shopapi.OpCreate
		}
		w.log(t.entity, t.id, op)
	}
	if partly {
		return w.rememberPartly(t, k)
	}
	return w.remember(t, k, there, t.parts)
}

// rememberPartly stores the hashes of an object of which a part was not taken: the rows that it has here
// do not count as a change of this shop, and every run tries again.
func (w *writing) rememberPartly(t *taken, k known) (err error) {
	have := make([][]row, len(t.parts))
	for i := range t.parts {
		if have[i], err = w.rows(&t.parts[i]); err != nil {
			return err
		}
	}
	return w.remember(t, k, digest{}, withRows(t.parts, have))
}

// log writes a row of the change log. The first run writes one for each entity that a
// transaction has, since readers of the log cannot have anything before it.
func (w *writing) log(entity, id string, op shopapi.Operation) {
	switch {
	case entity == "discussion_threads":
		return // their posts are the objects
	case entity == "settings":
		id = shopapi.FormatID(w.settings[id].number)
	}
	if !w.later {
		id = changes.Every
	}
	w.sh.Changed(w.ctx, entity, op, id)
}

func conflictField(err *store.ConflictError) string {
	return strings.Join(err.Columns, ",")
}

// remember stores the hashes of an object with its rows here.
func (w *writing) remember(t *taken, k known, there digest, here []part) error {
	before := k
	k.Entity, k.Object, k.There = t.entity, t.id, there.text()
	k.Here, k.Listed = sum(here, true).text(), w.listed(t)
	if k == before {
		return nil
	}
	if k.KnownID == 0 {
		return knowns.Insert(w.tx, &k)
	}
	return knowns.Update(w.tx, &k)
}

// rememberListed stores the hash of what lists show of an object that is otherwise as it was.
func (w *writing) rememberListed(t *taken, k known) error {
	if listed := w.listed(t); k.Listed != listed {
		k.Listed = listed
		return knowns.Update(w.tx, &k)
	}
	return nil
}

// listed is the hash of what lists show of an object. An object with problems has none, so that
// every run reads it and reports them.
func (w *writing) listed(t *taken) string {
	of := func(p Problem) bool { return p.Entity == t.entity && p.ID == t.id }
	if w.report.hasProblem(t.entity, t.id) || slices.ContainsFunc(w.problems, of) {
		return ""
	}
	return t.listed.text()
}

// rows reads the rows of a part from the store.
func (w *writing) rows(p *part) (list []row, err error) {
	q := store.Query{Where: p.where(), Order: []store.Order{store.Asc(p.schema.Key())}}
	err = w.tx.Select(p.schema.All(), &q, func(r []store.Value) error {
		list = append(list, slices.Clone(r))
		return nil
	})
	return list, err
}

func withRows(parts []part, have [][]row) []part {
	list := slices.Clone(parts)
	for i := range list {
		list[i].rows = have[i]
	}
	return list
}

// part writes the rows of a part to the store, and reports whether any differed.
func (w *writing) part(t *taken, p *part, have []row) (changed bool, err error) {
	left := slices.Clone(have)
	var missing []row
	if p.ordered && !p.beginsWith(have) {
		if _, err := w.tx.Delete(p.schema, p.where()); err != nil {
			return false, err
		}
		return w.insert(t, p, p.rows, true)
	}
	for _, r := range p.rows {
		i := slices.IndexFunc(left, func(h row) bool { return p.matches(r, h) })
		if i < 0 {
			missing = append(missing, r)
			continue
		}
		here := left[i]
		left = slices.Delete(left, i, i+1)
		r = p.keep(r, here)
		if slices.Equal(r, here) {
			continue
		}
		changed = true
		if err := w.tx.Update(p.schema, r); err != nil {
			return changed, err
		}
	}
	for _, r := range left {
		changed = true
		if _, err := w.tx.Delete(p.schema, []store.Cond{store.Equal(p.schema.Key(), r[0])}); err != nil {
			return changed, err
		}
	}
	return w.insert(t, p, missing, changed)
}

// insert adds rows of a part, and reports whether any row of the part changed.
func (w *writing) insert(t *taken, p *part, missing []row, changed bool) (bool, error) {
	for _, r := range missing {
		changed = true
		if p.linked {
			r = slices.Clone(r)
			r[p.schema.Index(p.owner)] = p.of
		}
		key, err := w.tx.Insert(p.schema, r)
		if err != nil {
			return changed, err
		}
		if p == &t.parts[0] && !p.keyed {
			t.link(store.Int(key))
		}
	}
	return changed, nil
}

// link gives the parts that hang on the object's own row its key.
func (t *taken) link(key store.Value) {
	for i := range t.parts {
		if t.parts[i].linked {
			t.parts[i].of = key
		}
	}
}

// matches reports whether a read row is the stored row here: by its key, or else by its
// values.
func (p *part) matches(r, here row) bool {
	if p.keyed {
		return r[0] == here[0]
	}
	return p.line(r, false) == p.line(here, false)
}

// beginsWith reports whether the stored rows are the first ones of the part, in their order.
func (p *part) beginsWith(have []row) bool {
	return len(have) <= len(p.rows) && slices.EqualFunc(have, p.rows[:len(have)], func(here, r row) bool { return p.matches(r, here) })
}

// giveSecrets gives a user that was pulled before the key and the password that this run
// brings, where it has none.
func (w *writing) giveSecrets(t *taken) error {
	if t.entity != "users" {
		return nil
	}
	p := &t.parts[0]
	brings := slices.ContainsFunc(p.kept, func(name string) bool { return p.rows[0][p.schema.Index(name)].Text() != "" })
	if !brings {
		return nil
	}
	have, err := w.rows(p)
	if err != nil || len(have) == 0 {
		return err
	}
	given := slices.Clone(have[0])
	for _, name := range p.kept {
		i := p.schema.Index(name)
		if !given[i].IsText() {
			continue
		}
		given[i] = or(have[0][i], p.rows[0][i])
	}
	if slices.Equal(given, have[0]) {
		return nil
	}
	w.written++
	w.log(t.entity, t.id, shopapi.OpUpdate)
	return w.tx.Update(p.schema, given)
}

// keep gives a row the key of the stored row, and the columns that the other server does
// not send.
func (p *part) keep(r, here row) row {
	r = slices.Clone(r)
	r[0] = here[0]
	for _, name := range p.kept {
		if i := p.schema.Index(name); !here[i].IsText() || here[i].Text() != "" {
			r[i] = here[i]
		}
	}
	return r
}
