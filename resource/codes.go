package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// Codes say by which text, beside the id, clients name objects: products by their
// product_code (E2, E6). Several objects may have one code.
type Codes struct {
	// Field is the field that has the code.
	Field string

	// OnlyInFiles says that rows of files name objects by the field (E7), and arrays of PUT
	// with match do not.
	OnlyInFiles bool

	// InAddresses says that addresses may have code:CODE in place of the id.
	InAddresses bool

	// Find returns the ids of the objects with exactly one of the codes that the user of
	// ctx may see, by code and in ascending order. It may leave out ids beyond the first
	// [shopapi.MaxSameCode]+1 of a code. No code is empty. [FindCodes] does most of it.
	Find func(ctx context.Context, tx store.Tx, codes []string) (map[string][]int64, error)
}

// FindCodes returns the keys of the rows of a table whose column has one of the codes and that meet
// the conditions: see [Codes].
func FindCodes[T any](tx store.Tx, table *store.Table[T], column string, codes []string, conds ...store.Cond) (map[string][]int64, error) {
	const perCode = shopapi.MaxSameCode + 1
	values := make([]store.Value, len(codes))
	for i, code := range codes {
		values[i] = store.String(code)
	}
	// Most codes have one row. If too many rows match, rows of one code may have
	// displaced rows of another.
	most := perCode + 2*len(codes)
	found := map[string][]int64{}
	rows := 0
	key := table.Schema().Key()
	// In the order of their codes: in the order of keys, PostgreSQL would search the whole
	// table by key for the first so many rows.
	err := table.Subset(key, column).EachRow(tx, store.Query{
		Where: append(slices.Clip(conds), store.In(column, values...)),
		Order: []store.Order{store.Asc(column), store.Asc(key)}, Limit: most,
	}, func(row []store.Value) error {
		rows++
		code := row[1].Text()
		found[code] = append(found[code], row[0].Int())
		return nil
	})
	if err != nil || rows < most || len(codes) == 1 {
		return found, err
	}
	clear(found)
	for _, code := range codes {
		one, err := FindCodes(tx, table, column, []string{code}, conds...)
		if err != nil {
			return nil, err
		}
		found[code] = one[code]
	}
	return found, nil
}

// IDsByCode implements [shopapi.Coded].
func (e *entity[T, S]) IDsByCode(ctx context.Context, code string) (ids []string, err error) {
	ctx = e.c.api.Confine(ctx)
	err = e.c.short(ctx, func(ctx context.Context, tx store.Tx) error {
		found, err := e.c.def.Wire.Codes.Find(ctx, tx, []string{code})
		ids = make([]string, len(found[code]))
		for i, id := range found[code] {
			ids[i] = shopapi.FormatID(id)
		}
		return err
	})
	return ids, err
}

// MatchField implements [github.com/shopapi/shopapi/extensions/bulk.Matcher].
func (e *entity[T, S]) MatchField() string {
	if codes := e.c.def.Wire.Codes; codes != nil && !codes.OnlyInFiles && e.c.def.AliasOf == nil {
		return codes.Field
	}
	return ""
}

// RowField implements [github.com/shopapi/shopapi/extensions/bulk.RowMatcher].
func (e *entity[T, S]) RowField() string {
	if codes := e.c.def.Wire.Codes; codes != nil && codes.OnlyInFiles && e.c.def.AliasOf == nil {
		return codes.Field
	}
	return ""
}

// IDsByRowField implements [github.com/shopapi/shopapi/extensions/bulk.RowMatcher].
func (e *entity[T, S]) IDsByRowField(ctx context.Context, values []string) (map[string][]string, error) {
	return e.IDsByCodes(ctx, values)
}

// IDsByCodes implements [github.com/shopapi/shopapi/extensions/bulk.Matcher].
func (e *entity[T, S]) IDsByCodes(ctx context.Context, codes []string) (ids map[string][]string, err error) {
	ctx = e.c.api.Confine(ctx)
	ids = map[string][]string{}
	err = e.c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		found, err := e.c.def.Wire.Codes.Find(ctx, tx, codes)
		for code, list := range found {
			for _, id := range list {
				ids[code] = append(ids[code], shopapi.FormatID(id))
			}
		}
		return err
	})
	return ids, err
}

// Store implements [shopapi.Coded].
func (e *entity[T, S]) Store() store.Store { return e.c.st }

// Preparation implements [shopapi.Preparer].
func (e *entity[T, S]) Preparation() func(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	if e.c.def.Wire.BeforeTx == nil {
		return nil
	}
	return func(ctx context.Context, r *shopapi.Request, id string) (any, error) {
		var before *T
		if id != "" {
			at, n, err := e.locate(ctx, r, id)
			if err != nil {
				return nil, err
			}
			if before, err = e.c.changeable(ctx, n, at); err != nil {
				return nil, err
			}
		}
		ctx, _ = e.c.payloadLanguage(ctx, r)
		return e.c.def.Wire.BeforeTx(ctx, r, before)
	}
}

// prepared returns the result of Preparation for a request. ok is false where it did not
// run.
func prepared[T any](r *shopapi.Request) (change func(*T) error, ok bool) {
	change, ok = r.Prepared().(func(*T) error)
	return change, ok
}
