package pull

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/store"
)

// distance is how far above the highest id that was pulled the ids of new rows begin, so
// that the old shop may go on giving its own. Imports of files have none.
const distance = 1_000_000

// longest is the highest id that is followed: guests' carts have random ones above it.
const longest = 1 << 31

// keyed are the tables whose ids are not given one after another.
var unnumbered = []string{"carts", "product_options_inventory"}

// reserve makes the ids of new rows begin above the pulled ones.
func (p *puller) reserve(ctx context.Context) error {
	if p.DryRun {
		return nil
	}
	for s, id := range p.numbered() {
		err := p.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			f, err := readFact(tx, factReserved+s.Name)
			if err != nil {
				return err
			}
			if before, _ := strconv.ParseInt(f.Value, 10, 64); before >= id {
				return nil
			}
			if err := raise(tx, s, id+p.distance); err != nil {
				return err
			}
			return writeFact(tx, factReserved+s.Name, strconv.FormatInt(id, 10))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// numbered returns the highest ids that were read, by table. It leaves out tables with random ids.
func (p *puller) numbered() map[*store.Schema]int64 {
	ids := maps.Clone(p.highest)
	if id := p.pairIDs.Load(); id > 0 {
		ids[p.schema(images.Schema().Name)] = id
	}
	maps.DeleteFunc(ids, func(s *store.Schema, id int64) bool { return id == 0 || id > longest || isUnnumbered(s.Name) })
	return ids
}

// raiseAll has the ids of new rows begin above the ids that were read.
func (p *puller) raiseAll(tx store.Tx) error {
	for s, id := range p.numbered() {
		if err := raise(tx, s, id); err != nil {
			return err
		}
	}
	return nil
}

func isUnnumbered(table string) bool {
	return slices.Contains(unnumbered, table)
}

// raise has the next id of a table be the one after id: a store never gives an id again.
func raise(tx store.Tx, s *store.Schema, id int64) error {
	at := []store.Cond{store.Equal(s.Key(), store.Int(id))}
	if n, err := tx.Count(s, at); err != nil || n > 0 {
		return err
	}
	r := make(row, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case i == 0:
			r[i] = store.Int(id)
		case c.Null:
		case c.Kind == store.Text:
			r[i] = store.String("\U0010fffd pull")
		default:
			r[i] = c.Zero()
		}
	}
	if _, err := tx.Insert(s, r); err != nil {
		return err
	}
	_, err := tx.Delete(s, at)
	return err
}
