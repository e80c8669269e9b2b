package pull

import (
	"context"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// makeRoom removes the rows that every new shop has of an entity, before its first objects
// are written. Users stay: they are the administrators of this shop.
func (w *writing) makeRoom(entity string) error {
	name := seedEntity(entity)
	if len(w.seeds[name]) == 0 || name == "users" {
		return nil
	}
	for _, table := range newShops[name] {
		s := w.schema(table)
		column := s.Key()
		if s.Index(store.TextObject) >= 0 {
			column = store.TextObject
		}
		var ids []int64
		for id := range w.seeds[name] {
			ids = append(ids, id)
		}
		if _, err := w.tx.Delete(s, []store.Cond{store.InInts(column, ids...)}); err != nil {
			return err
		}
	}
	w.roomFor[name] = true
	return w.writeSeeds(w.tx, name, nil)
}

// takeSeat gives a pulled user the place of an administrator of this shop: one with the
// same e-mail address goes on as the pulled user, with the key and password from here; one
// with the same id gets another.
func (w *writing) takeSeat(t *taken) error {
	if t.entity != "users" || len(w.seeds["users"]) == 0 {
		return nil
	}
	s := w.schema("users")
	user := t.parts[0].rows[0]
	email, key, password := s.Index("email"), s.Index("api_key_hash"), s.Index("password_hash")
	var mine []row
	err := w.tx.Select(s.All(), &store.Query{Where: []store.Cond{store.Any(
		store.Equal("user_id", user[0]), store.EqualFold("email", user[email].Text()))}}, func(r []store.Value) error {
		if w.seeds["users"][r[0].Int()] && !slices.Contains(w.leaves, r[0].Int()) {
			mine = append(mine, slices.Clone(r))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, here := range mine {
		if strings.EqualFold(here[email].Text(), user[email].Text()) {
			user[key], user[password] = or(user[key], here[key]), or(user[password], here[password])
			if err := w.leaveSeat(here, user[0].Int(), false); err != nil {
				return err
			}
			continue
		}
		if err := w.leaveSeat(here, 0, true); err != nil {
			return err
		}
	}
	return nil
}

func or(a, b store.Value) store.Value {
	if a.Text() != "" {
		return a
	}
	return b
}

// leaveSeat removes a user of this shop from its id, or moves it to another above all that
// are pulled. Memberships, one-time links and API keys go along.
func (w *writing) leaveSeat(here row, to int64, move bool) error {
	s := w.schema("users")
	from := here[0]
	if _, err := w.tx.Delete(s, []store.Cond{store.Equal("user_id", from)}); err != nil {
		return err
	}
	w.leaves = append(w.leaves, from.Int())
	if move {
		moved := slices.Clone(here)
		moved[0] = store.Int(w.largest + w.distance + int64(len(w.leaves)))
		key, err := w.tx.Insert(s, moved)
		if err != nil {
			return err
		}
		to = key
	}
	for _, table := range []string{"usergroup_links", "sign_in_links", "api_keys"} {
		t := w.schema(table)
		var list []row
		err := w.tx.Select(t.All(), &store.Query{Where: []store.Cond{store.Equal("user_id", from)}}, func(r []store.Value) error {
			list = append(list, slices.Clone(r))
			return nil
		})
		if err != nil {
			return err
		}
		for _, r := range list {
			r[t.Index("user_id")] = store.Int(to)
			if err := w.tx.Update(t, r); err != nil {
				return err
			}
		}
	}
	left := map[int64]bool{}
	for id := range w.seeds["users"] {
		if !slices.Contains(w.leaves, id) {
			left[id] = true
		}
	}
	return w.writeSeeds(w.tx, "users", left)
}

// clearSeeds forgets the seed rows of an entity once it was read: the remaining ones are
// this shop's own.
func (p *puller) clearSeeds(ctx context.Context, entity string) error {
	if !p.completed[entity] || len(p.seeds[seedEntity(entity)]) == 0 || entity == "usergroups" && p.report.Counts[entity].There == 0 {
		return nil
	}
	if entity == "stores" && p.report.Counts[entity].There == 0 {
		return nil // there may be vendors
	}
	p.seeds[seedEntity(entity)] = nil
	return p.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return p.writeSeeds(tx, seedEntity(entity), nil)
	})
}
