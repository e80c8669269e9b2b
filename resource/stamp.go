package resource

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Stamp is the time of an object's last change. A type that embeds it is [Stamped], and
// lists sort by the column updated_at and filter by it with [Where.Times].
type Stamp struct {
	UpdatedAt int64 `json:"updated_at,string" bind:"-" store:"index"` // of the last change, seconds since 1970
}

// LastChange implements [Stamped].
func (s *Stamp) LastChange() int64 { return s.UpdatedAt }

// SetLastChange implements [Stamped].
func (s *Stamp) SetLastChange(at int64) { s.UpdatedAt = at }

// A Stamped object keeps the time of its last change, in seconds since 1970. The pointer
// to the type of a [Collection]'s objects implements it. The collection, [DropIDs] and
// [EraseRows] set the time; a client cannot.
//
// A change is what the change log has as one: a column without a name on the wire, and
// values that follow from other objects, are not (E4).
type Stamped interface {
	LastChange() int64
	SetLastChange(at int64)
}

// SetStamp sets the time of the last change of a [Stamped] object to now. Other objects
// stay as they are.
func SetStamp[T any](ctx context.Context, api *shopapi.API, v *T) {
	if s, ok := any(v).(Stamped); ok {
		s.SetLastChange(api.Now(ctx).Unix())
	}
}

// keepStamp undoes a change of the time of the last change.
func keepStamp[T any](after, before *T) {
	if s, ok := any(after).(Stamped); ok {
		s.SetLastChange(any(before).(Stamped).LastChange())
	}
}

// FillStamps returns the conversion that gives the rows of older versions the time of
// their last change in the column updated_at: the time of creation in the column created,
// or now where there is none.
func FillStamps[T any](api *shopapi.API, table *store.Table[T], created string) store.Conversion {
	return store.Conversion{
		Name:   table.Schema().Name + ": times of the last change",
		Tables: []*store.Schema{table.Schema()},
		Convert: func(ctx context.Context, tx store.Tx) error {
			at, from, now := table.Field("updated_at"), table.Field(created), api.Now(ctx).Unix()
			return table.Alter(tx, func(row []store.Value) {
				row[at] = store.Int(now)
				if t := row[from].Int(); t > 0 && t < now {
					row[at] = store.Int(t)
				}
			}, store.Equal("updated_at", store.Int(0)))
		},
	}
}
