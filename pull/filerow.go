package pull

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// row writes the object of a row, and reports whether it was written.
func (m *fileImport) row(ctx context.Context, w *writing, row bulk.Row) (written bool, err error) {
	if row.Err != nil {
		e := shopapi.AsError(row.Err)
		for _, field := range e.FieldNames() {
			w.problems = append(w.problems, Problem{Field: field, Reason: e.Fields[field]})
		}
		if len(w.problems) == 0 {
			w.problems = append(w.problems, Problem{Reason: e.Message})
		}
		return false, nil
	}
	o, in := m.object(row)
	m.takeChildren(o)
	if problem, ok := m.misplaced[o.id]; ok {
		o.problem(problem.Field, problem.Reason)
	}
	if m.entity == "users" && o.text("password") != "" {
		o.problem("password", "is not written into a new shop: set it afterwards")
	}
	list, err := m.c.rows(ctx, m.p, o, in)
	if err != nil {
		return false, err
	}
	for i := range list {
		t := &list[i]
		if !m.p.fit(t) {
			return false, nil
		}
		left := len(w.leaves)
		if err := w.takeSeat(t); err != nil {
			return false, err
		}
		ok, err := w.add(t)
		if err == nil && !ok && len(w.leaves) > left {
			err = errors.New("the user would take the place of this shop's administrator, and has the id or the address of another row")
		}
		if err != nil || !ok {
			return false, err
		}
	}
	return len(list) > 0, nil
}

// object returns the object of a row in the base language and in the others.
func (m *fileImport) object(row bulk.Row) (o *object, in map[string]*object) {
	members := maps.Clone(m.defaults)
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	maps.Copy(members, row.Fields)
	text := m.p.objectOf(m.entity, "", members)
	id := text.text(m.key)
	setTexts := func(to map[string]json.RawMessage, code string) {
		for field, value := range row.Texts[code] {
			if text := string(value); text == "null" || text == `""` {
				delete(to, field)
			} else {
				to[field] = value
			}
		}
	}
	in = map[string]*object{}
	for code := range row.Texts {
		if code == m.p.base {
			continue
		}
		texts := maps.Clone(members)
		for _, field := range m.translated {
			delete(texts, field)
		}
		setTexts(texts, code)
		in[code] = m.p.objectOf(m.entity, id, texts)
		in[code].ownTexts = true
	}
	parts := map[string]json.RawMessage{}
	for _, l := range m.lists {
		if list, ok := members[l.Name]; ok {
			parts[l.Name] = m.overlaid(list, row.Texts[m.p.base][l.Name], l)
		}
	}
	setTexts(members, m.p.base)
	maps.Copy(members, parts)
	return m.p.objectOf(m.entity, id, members), in
}

// takeChildren has an object have the lists of the row that belong to other addresses.
func (m *fileImport) takeChildren(o *object) {
	if m.entity != "orders" {
		return
	}
	o.children = map[string]childList{}
	for _, name := range []string{historyList, documentsList} {
		raw, ok := o.members[name]
		delete(o.members, name)
		if !ok || wire.IsEmpty(raw) {
			continue
		}
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			o.problem(name, "must be a list")
			continue
		}
		o.children[name] = childList{list: list}
	}
}

// overlaid returns a list of parts with the texts in a language that a row has.
func (m *fileImport) overlaid(list, texts json.RawMessage, l shopapi.TranslatedList) json.RawMessage {
	in := map[string]*object{m.p.base: m.p.objectOf(m.entity, "", map[string]json.RawMessage{l.Name: texts})}
	named := partsIn(in, l.Name, l.IDField)
	if len(named) == 0 {
		return list
	}
	of := m.p.objectOf(m.entity, "", map[string]json.RawMessage{l.Name: list})
	var parts []map[string]json.RawMessage
	for _, e := range of.objects(l.Name) {
		part := e.object
		if !part.has(l.IDField) {
			part.members[l.IDField] = []byte(strconv.Quote(e.Key))
		}
		if text := named[part.int(l.IDField)][m.p.base]; text != nil {
			for _, field := range l.Fields {
				if text.text(field) != "" {
					part.members[field] = text.members[field]
				}
			}
		}
		parts = append(parts, part.members)
	}
	made, err := json.Marshal(parts)
	if err != nil {
		return list
	}
	return made
}

// add adds the rows of an object, and reports whether it was added. An id, or another value, that
// another object has is a problem.
func (w *writing) add(t *taken) (added bool, err error) {
	for i := range t.parts {
		p := &t.parts[i]
		_, err := w.insert(t, p, p.rows, false)
		if conflict, ok := errors.AsType[*store.ConflictError](err); ok {
			w.problem(t, conflictField(conflict), "is that of another object")
			if i == 0 {
				return false, nil
			}
			continue
		}
		if err != nil {
			return false, err
		}
		for _, r := range p.rows {
			if p.keyed {
				w.highest[p.schema] = max(w.highest[p.schema], r[0].Int())
			}
		}
	}
	return true, nil
}
