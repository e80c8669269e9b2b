package driver

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// An Ending collects something during a transaction and stores it at the end of that,
// in the same transaction. An error of End rolls the transaction back.
type Ending interface {
	End() error
}

// A GroupEnding is an [Ending] that can store what several transactions have collected at once.
// A store that commits several transactions together calls Prepare and EndGroup in place of End.
type GroupEnding interface {
	Ending

	// Prepare runs at the end of the transaction. Its error rolls the transaction back.
	Prepare() error

	// EndGroup stores what endings of one key have collected, in the order of their
	// transactions. It runs before the common commit, in a transaction of its own, the one of
	// ctx. An error rolls back all transactions of the group.
	EndGroup(ctx context.Context, endings []Ending) error
}

// Innermost returns the store that a store wraps, whose method Unwrap returns it, or the store
// itself.
func Innermost(st store.Store) store.Store {
	for {
		w, wraps := st.(interface{ Unwrap() store.Store })
		if !wraps {
			return st
		}
		st = w.Unwrap()
	}
}

// AtEnd returns the [Ending] under key of the writing transaction of st that ctx belongs
// to, which begin makes at the first call. A store that wraps another one has a method
// Unwrap that returns it. ok is false without such a transaction. A
// transaction that runs again begins without endings.
func AtEnd(ctx context.Context, st store.Store, key any, begin func() Ending) (e Ending, ok bool) {
	s := updateOf(ctx, Innermost(st))
	if s == nil {
		return nil, false
	}
	if e, ok = s.ends[key]; !ok {
		if s.ends == nil {
			s.ends = map[any]Ending{}
		}
		e = begin()
		s.ends[key] = e
	}
	return e, true
}

// FinishInGroup is [Session.Finish] for a transaction that is committed together with others:
// it prepares each [GroupEnding], which [EndGroup] ends.
func (s *Session) FinishInGroup() error {
	return s.finish(func(e Ending) error {
		if g, ok := e.(GroupEnding); ok {
			return g.Prepare()
		}
		return e.End()
	})
}

// EndGroup ends every [GroupEnding] of sessions that are committed together, which are in the
// order of their transactions. A store calls it once for a group, before the commit, with the
// context of a session of its own, and rolls back the group with its error.
func EndGroup(ctx context.Context, sessions []*Session) error {
	groups := map[any][]Ending{}
	for _, s := range sessions {
		for key, e := range s.ends {
			if _, ok := e.(GroupEnding); ok {
				groups[key] = append(groups[key], e)
			}
		}
	}
	for _, endings := range groups {
		if err := endings[0].(GroupEnding).EndGroup(ctx, endings); err != nil {
			return err
		}
	}
	return nil
}
