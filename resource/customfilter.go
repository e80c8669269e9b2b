package resource

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// conds returns the conditions of the parameters of a list on the fields that the user sees.
func (x *customFields) conds(ctx context.Context, r *shopapi.Request) ([]store.Cond, error) {
	if x == nil {
		return nil, nil
	}
	var problems shopapi.Problems
	var own, others []store.Cond
	for i := range x.fields {
		f := &x.fields[i]
		if f.View != "" && !r.User.Can(f.View) || !slices.ContainsFunc(f.Parameters(), r.Filter.Has) {
			continue
		}
		if f.Type == shopapi.CustomOneOf {
			if cond, ok := f.oneOf(r.Filter[f.Name], &problems); ok {
				own = append(own, cond)
			}
			continue
		}
		sent := reflect.New(f.filter)
		if err := r.BindFilter(sent.Interface()); err != nil {
			problems.Merge(err)
			continue
		}
		for j, name := range f.Parameters() {
			value := sent.Elem().Field(j)
			if value.IsNil() {
				continue
			}
			cond := f.cond(j, name, value.Interface(), &problems)
			if !f.Translated {
				own = append(own, cond)
				continue
			}
			l, err := x.base.Of(ctx)
			if err != nil {
				return nil, err
			}
			others = append(others, x.inLanguage(l, cond))
		}
	}
	if own != nil {
		others = append(others, store.InQuery(x.schema.Key(), x.schema, x.schema.Key(), own...))
	}
	return others, problems.Err()
}

// cond returns the condition of a parameter: the value itself, the least or the greatest.
func (f *customField) cond(which int, parameter string, value any, problems *shopapi.Problems) store.Cond {
	compare := []func(string, store.Value) store.Cond{store.Equal, store.AtLeast, store.AtMost}[which]
	switch v := value.(type) {
	case *int64:
		return compare(f.Name, store.Int(*v))
	case *shopapi.Flag:
		return compare(f.Name, store.Bool(bool(*v)))
	case *decimal.Decimal:
		rules.NormalizeAmount(problems, parameter, v, rules.LimitsOf(f.column.Scale))
		return compare(f.Name, amountValue(*v))
	}
	return store.EqualFold(f.Name, *value.(*string))
}

// oneOf returns the condition that the column of a "one of" is among the values that a repeated
// parameter names (decisions §26). ok is false if there are none. Problems are noted.
func (f *customField) oneOf(sent []string, problems *shopapi.Problems) (cond store.Cond, ok bool) {
	codes := codesOf(sent, f.OneOf)
	if len(codes) > MaxCodes {
		problems.Add(f.Name, "must have at most %d values", MaxCodes)
	}
	values := make([]store.Value, len(codes))
	for i, code := range codes {
		problems.OneOf(f.Name, code, f.OneOf...)
		values[i] = store.String(code)
	}
	if len(values) == 1 {
		return store.Equal(f.Name, values[0]), true
	}
	return store.In(f.Name, values...), len(values) > 0
}

// codesOf returns the codes that texts name, separated by commas, each once and at most one more
// than [MaxCodes]. Where a code of the set has commas, the longest code that matches counts.
func codesOf(texts, set []string) (codes []string) {
	most := 1 // parts of a code
	for _, code := range set {
		most = max(most, 1+strings.Count(code, ","))
	}
	for _, text := range texts {
		parts := strings.Split(text, ",")
		for len(parts) > 0 && len(codes) <= MaxCodes {
			code, n := strings.TrimSpace(parts[0]), 1
			for k := min(most, len(parts)); k > 0; k-- {
				whole := strings.Join(parts[:k], ",")
				if i := slices.IndexFunc(set, func(c string) bool { return c == whole || c == strings.TrimSpace(whole) }); i >= 0 {
					code, n = set[i], k
					break
				}
			}
			if parts = parts[n:]; code != "" && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// amountValue returns an amount with the decimals of its column as that stores it.
func amountValue(d decimal.Decimal) store.Value {
	units := int64(d.Coef())
	if d.IsNeg() {
		units = -units
	}
	return store.Int(units)
}

// inLanguage returns the condition on rows that the first existing text in the chain of
// languages meets a condition.
func (x *customFields) inLanguage(l texts.Language, cond store.Cond) store.Cond {
	has := store.Not(store.Equal(cond.Column, store.Null))
	in := func(code string, conds ...store.Cond) store.Cond {
		if code == l.Base {
			return store.InQuery(x.schema.Key(), x.schema, x.schema.Key(), conds...)
		}
		return store.InQuery(x.schema.Key(), x.texts, store.TextObject, append(conds, store.Equal(store.TextLanguage, store.String(code)))...)
	}
	var either, none []store.Cond
	for _, code := range l.Chain() {
		either = append(either, store.All(append(slices.Clone(none), in(code, cond))...))
		none = append(none, store.Not(in(code, has)))
	}
	return store.Any(either...)
}

// sorts returns the sort keys of a user; nil is the host's own code.
func (x *customFields) sorts(user *shopapi.User) (keys []string) {
	if x == nil {
		return nil
	}
	for _, f := range shopapi.CustomFieldsFor(user, x.shown) {
		if f.Sorts {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// order is the order of a sort key, the row's own column.
func (x *customFields) order(key string, desc bool) store.Order {
	return store.Order{Column: key, Desc: desc, Via: &store.Via{Column: x.schema.Key(), Schema: x.schema}}
}
