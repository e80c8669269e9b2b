package sqlite

import (
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/internal/sqltext"
)

func (t *tx) Insert(s *store.Schema, row []store.Value) (int64, error) {
	c, err := t.changeable()
	if err != nil {
		return 0, err
	}
	c.values = sqltext.AppendRow(c.values[:0], s, row)
	v, values := insertKeyRow, c.values
	if row[0].Int() == 0 {
		v, values = insertRow, values[1:]
	}
	if err := t.exec(v, s, values); err != nil {
		return 0, err
	}
	return c.db.LastInsertRowID(), nil
}

func (t *tx) Update(s *store.Schema, row []store.Value) error {
	c, err := t.changeable()
	if err != nil {
		return err
	}
	c.values = sqltext.AppendRow(c.values[:0], s, row)
	c.values = append(c.values, c.values[0]) // the key is the last parameter
	if err := t.exec(updateRow, s, c.values[1:]); err != nil {
		return err
	}
	if c.db.Changes() == 0 {
		return store.ErrNotFound
	}
	return nil
}

func (t *tx) Delete(s *store.Schema, where []store.Cond) (int64, error) {
	c, err := t.changeable()
	if err != nil {
		return 0, err
	}
	st, err := c.query(deleteRows, s.All(), &store.Query{Where: where})
	if err != nil {
		return 0, translate(t.ctx, err)
	}
	if err := t.step(s, st); err != nil {
		return 0, err
	}
	return c.db.Changes(), nil
}

// exec runs a statement that writes.
func (t *tx) exec(v verb, s *store.Schema, values []store.Value) error {
	st, err := t.conn.bind(v, s.All(), nil, values)
	if err != nil {
		return translate(t.ctx, err)
	}
	return t.step(s, st)
}

func (t *tx) step(s *store.Schema, st *statement) error {
	db := t.conn.db
	before := db.TotalChanges()
	_, err := st.Step()
	t.conn.release(st)
	if err != nil {
		return translate(t.ctx, conflict(s, err))
	}
	switch changed := db.TotalChanges() - before; {
	case changed != db.Changes():
		t.changes.all = true // a trigger of the host's changed more
	case changed > 0:
		t.changes.note(s)
	}
	return nil
}
