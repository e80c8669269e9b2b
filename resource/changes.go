package resource

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// wireNames returns the names on the wire of the columns of a type. A column that
// answers do not show has none, unless the tag log of its field gives it one.
func wireNames(t reflect.Type) map[string]string {
	names := map[string]string{}
	for _, f := range structfields.Of(t) {
		column, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		name := cmp.Or(f.Tag.Get("log"), column)
		for option := range strings.SplitSeq(f.Tag.Get("store"), ",") {
			if given, ok := strings.CutPrefix(option, "name="); ok {
				column = given
			}
		}
		if name != "-" && f.Tag.Get("store") != "-" {
			names[column] = name
		}
	}
	return names
}

// changed returns the names on the wire of the fields that an update changes.
func (c *collection[T, S]) changed(ctx context.Context, op shopapi.Operation, before, after *T) ([]string, error) {
	if op != shopapi.OpUpdate {
		return nil, nil
	}
	columns, err := c.def.Table.Changed(before, after)
	if err != nil {
		return nil, err
	}
	l, err := c.texts.LanguageOf(ctx)
	if err != nil {
		return nil, err
	}
	names := c.cloner.changedExtras(before, after)
	if c.customOf != nil {
		names = append(names, c.custom.changed(*c.customOf(before), *c.customOf(after), l)...)
	}
	return namesOnWire(columns, names, c.wireNames, c.def.Table.Schema(), l), nil
}

// namesOnWire adds to names the names that changed columns have on the wire. wire has the names of all columns.
func namesOnWire(columns, names []string, wire map[string]string, s *store.Schema, l texts.Language) []string {
	for _, column := range columns {
		name, shown := wire[column]
		if !shown {
			continue
		}
		if i := s.Index(column); l.Asked != l.Base && s.Columns[i].Translated {
			name += "@" + l.Asked
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names) // fields of several columns are named once
}

// report reports a stored object to the change log and to the observer.
func (c *collection[T, S]) report(ctx context.Context, tx store.Tx, op shopapi.Operation, before, after *T, fields []string) error {
	change := shopapi.Change{Entity: c.reported().def.Name, ID: c.code(after), Operation: op, Fields: fields}
	if c.def.Wire.EventDetail != nil {
		change.Detail = c.def.Wire.EventDetail(before, after)
	}
	event := shopapi.Event{Entity: change.Entity, ID: change.ID, Operation: op, Detail: change.Detail}
	if op == shopapi.OpUpdate && len(fields) == 0 || !c.api.Records() {
		c.api.ReportAs(ctx, event)
		return nil
	}
	var err error
	if change.Owner, err = c.ownership(ctx, tx, after); err != nil {
		return err
	}
	if op == shopapi.OpUpdate {
		if change.Former, err = c.ownership(ctx, tx, before); err != nil {
			return err
		}
	}
	changes := []shopapi.Change{change}
	if c.def.Wire.SplitChange != nil {
		changes = c.def.Wire.SplitChange(before, after, change)
	}
	c.api.ReportAs(ctx, event, changes...)
	return nil
}

// ownership says who owns an object.
func (c *collection[T, S]) ownership(ctx context.Context, tx store.Tx, v *T) (*shopapi.Ownership, error) {
	d := &c.def.Scope
	switch {
	case d.Company != nil:
		o := shopapi.Ownership{CompanyID: *d.Company(v)}
		if d.VendorReadable && o.CompanyID == c.api.DefaultCompany() {
			o.Audience = shopapi.ForVendors
		}
		if d.About != nil {
			if entity, id := d.About(v); entity != "" {
				o.ParentEntity, o.ParentID = entity, shopapi.FormatID(id)
			}
		}
		return &o, nil
	case d.Owner != nil:
		o, err := d.Owner(ctx, tx, v)
		return &o, err
	case d.Visible != nil:
		return &shopapi.Ownership{}, nil
	}
	return &shopapi.Ownership{Audience: shopapi.ForAll}, nil
}

// Owner implements [shopapi.Owner].
func (e *entity[T, S]) Owner(ctx context.Context, id string) (shopapi.Ownership, error) {
	var owner shopapi.Ownership
	key, err := e.c.IDOf(ctx, id)
	if err != nil {
		return owner, err
	}
	err = e.c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		v, err := e.c.def.Table.Get(tx, key)
		if errors.Is(err, store.ErrNotFound) {
			return e.c.NotFound(key)
		}
		if err != nil {
			return err
		}
		o, err := e.c.ownership(ctx, tx, &v)
		if err == nil {
			owner = *o
		}
		return err
	})
	return owner, err
}

// RecordDeletes writes the deletion of the matching rows of an entity to the change log,
// before they are deleted. The observer gets no event.
func RecordDeletes[T any](ctx context.Context, tx store.Tx, api *shopapi.API, entity string, table *store.Table[T], where ...store.Cond) error {
	if !api.Records() {
		return nil
	}
	var ids []int64
	err := table.Subset(table.Schema().Key()).Each(tx, store.Query{Where: where}, func(row *T) error {
		ids = append(ids, table.Key(row))
		return nil
	})
	api.RecordEach(ctx, entity, shopapi.OpDelete, ids)
	return err
}
