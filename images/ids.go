package images

import "github.com/shopapi/shopapi/store"

// A number is the id of a pair while it is taken.
type number struct {
	PairID int64 `json:"pair_id" store:"key"`
}

// numbers has no rows: each is deleted at once, and its id is never assigned again.
var numbers = store.MustTable[number]("image_pair_ids")

// Schema is the table that ids are taken from. An entity with images also needs
// [UploadSchema].
func Schema() *store.Schema { return numbers.Schema() }

// AssignIDs assigns new ids to the pairs without one, in a store that never assigns an id
// again: to the main pair, which may be nil, and to further pairs.
func AssignIDs(tx store.Tx, main *Pair, more Pairs) error {
	if main != nil {
		if err := assignID(tx, main); err != nil {
			return err
		}
	}
	for i := range more {
		if err := assignID(tx, &more[i]); err != nil {
			return err
		}
	}
	return nil
}

func assignID(tx store.Tx, p *Pair) error {
	if p.PairID != 0 || p.IsZero() || p.Invalid != "" {
		return nil
	}
	var n number
	if err := numbers.Insert(tx, &n); err != nil {
		return err
	}
	p.PairID = n.PairID
	if err := numbers.DeleteKey(tx, n.PairID); err != nil {
		return err
	}
	return name(tx, p)
}
