// Package variantlist has what the variants of features and of options have in common: they are
// rows of a table of their own, in the order of their positions, with texts in several languages
// and an image each, and are written with the object that they belong to.
package variantlist

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Kind is a kind of variants, which are of the type T.
type Kind[T any] struct {
	Table *store.Table[T]
	Owner string // the kind of object that has the variants: option, with ids in the column option_id
	Of    func(*T) Fields
}

// Fields are the fields that variants of each kind have.
type Fields struct {
	ID, Owner, Position *int64
	Image               *images.Pair
}

// ByID returns the variants that have an id by it.
func (k *Kind[T]) ByID(list []T) map[int64]*T {
	m := make(map[int64]*T, len(list))
	for i := range list {
		if id := *k.Of(&list[i]).ID; id != 0 {
			m[id] = &list[i]
		}
	}
	return m
}

// Sort sorts variants by position. New variants come last within a position.
func (k *Kind[T]) Sort(list []T) {
	slices.SortStableFunc(list, func(v, w T) int {
		a, b := k.Of(&v), k.Of(&w)
		return cmp.Or(cmp.Compare(*a.Position, *b.Position), cmp.Compare(uint64(*a.ID-1), uint64(*b.ID-1)))
	})
}

// Images are the images of variants.
func (k *Kind[T]) Images(list []T) []*images.Pair {
	pairs := make([]*images.Pair, len(list))
	for i := range list {
		pairs[i] = k.Of(&list[i]).Image
	}
	return pairs
}

// KeepImages is [images.Pair.Keep] for each variant.
func (k *Kind[T]) KeepImages(after, before []T) {
	had := k.ByID(before)
	for i := range after {
		v := k.Of(&after[i])
		var pair images.Pair
		if old := had[*v.ID]; old != nil {
			pair = *k.Of(old).Image
		}
		v.Image.Keep(pair)
	}
}

// Load reads the variants of objects in one read, or two in another language than the base
// one, and calls set for each object that has some, with its variants by position. texts are
// nil for the base language.
func (k *Kind[T]) Load(ctx context.Context, tx store.Tx, texts resource.Texts[T], owners []int64, set func(owner int64, list []T)) error {
	if len(owners) == 0 {
		return nil
	}
	found, err := k.Table.Select(tx, store.Query{
		Where: []store.Cond{store.InInts(k.Owner+"_id", owners...)},
		Order: []store.Order{store.Asc(k.Owner + "_id"), store.Asc("position")},
	})
	if err != nil {
		return err
	}
	if texts != nil {
		if err := texts.Load(ctx, tx, store.Pointers(found)...); err != nil {
			return err
		}
	}
	for len(found) > 0 {
		owner, n := *k.Of(&found[0]).Owner, 1
		for n < len(found) && *k.Of(&found[n]).Owner == owner {
			n++
		}
		set(owner, found[:n:n])
		found = found[n:]
	}
	return nil
}

// Gone returns the ids of the stored variants that a change leaves out.
func (k *Kind[T]) Gone(before, after []T) (ids []int64) {
	stays := k.ByID(after)
	for i := range before {
		if id := *k.Of(&before[i]).ID; id != 0 && stays[id] == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Write stores the variants of an object that are new or changed, with their texts.
func (k *Kind[T]) Write(ctx context.Context, tx store.Tx, texts resource.Texts[T], owner int64, before, after []T) error {
	known := k.ByID(before)
	for i := range after {
		v := &after[i]
		fields := k.Of(v)
		*fields.Owner = owner
		if err := images.AssignIDs(tx, fields.Image, nil); err != nil {
			return err
		}
		had, write := known[*fields.ID], func() error { return k.Table.Update(tx, v) }
		if had == nil {
			had, write = new(T), func() error { return k.Table.Insert(tx, v) }
		} else if changed, err := k.Table.Changed(had, v); err != nil {
			return err
		} else if len(changed) == 0 {
			continue
		}
		if err := texts.Write(ctx, tx, had, v, write); err != nil {
			return err
		}
	}
	return nil
}

// Delete deletes the variants that meet a condition, with their texts.
func (k *Kind[T]) Delete(tx store.Tx, texts resource.Texts[T], where store.Cond) error {
	if err := texts.DeleteWhere(tx, where); err != nil {
		return err
	}
	_, err := k.Table.Delete(tx, where)
	return err
}
