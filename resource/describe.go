package resource

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/store"
)

// describe returns the entity's description.
func (c *collection[T, S]) describe() shopapi.Description {
	d := &c.def
	e := shopapi.Description{
		Name:          d.Name,
		ListKey:       d.List.Name,
		IDField:       cmp.Or(d.Wire.Code, d.Table.Schema().Key()),
		Privileges:    d.Privileges,
		Operations:    d.Operations,
		OfCompany:     d.Scope.Company != nil || d.Scope.Visible != nil,
		Actions:       d.describeActions(),
		Cacheable:     !d.Wire.Uncacheable,
		Transactional: true,
		StringIDs:     d.Wire.StringIDs,
		LargePayloads: d.Wire.LargePayloads,

		CreateParameters: d.Wire.CreateParameters,
		UpdateParameters: d.Wire.UpdateParameters,
		Translated:       translatedOf(d.Table.Schema()),
		InFiles:          d.Rows.InFiles,
		TranslatedLists:  translatedLists(d.Rows.TextLists),
		Summary:          d.Summary,
		Display:          d.Display,
		Object:           answeredAs[T](func(v *T) any { return c.answer(context.Background(), v) }),
		Item:             c.itemType(),
		Payload:          reflect.TypeFor[T](),
		Body:             reflect.TypeOf(d.Wire.Body),
		Filter:           reflect.TypeOf(d.Filter()).Elem(),
		Sorts:            keysOf(d.Sorts),
		Descending:       d.List.Descending,
		Shape:            d.List.Shape.in(c.api.Dialect()).described(),
		Rules:            c.fieldRules(),
		FilterRules:      c.filterRules.Rules(),
		Custom:           c.custom.declared(),
	}
	if c.custom != nil && c.custom.ofUser != nil {
		e.MoreFields = func() []string { return []string{field.CustomerMember} }
		for _, f := range c.custom.ofUser {
			e.Rules = append(e.Rules, f.Rule())
		}
	}
	if d.Wire.Codes != nil && d.Wire.Codes.InAddresses {
		e.CodeField = d.Wire.Codes.Field
	}
	if r := c.reported(); r != c {
		e.LoggedAs = r.def.Name
	}
	if d.Wire.Reply != nil {
		e.More = d.Wire.Reply(new(T))
	}
	if d.List.Params != nil {
		e.Params = reflect.Indirect(reflect.ValueOf(d.List.Params(context.Background(), d.Filter(), &shopapi.Params{}))).Type()
	}
	for _, p := range d.Scope.Parents {
		e.Parents = append(e.Parents, p.Entity)
	}
	return e
}

// translatedOf returns the names of a table's translated columns.
func translatedOf(s *store.Schema) (names []string) {
	for _, c := range s.Columns {
		if c.Translated {
			names = append(names, c.Name)
		}
	}
	return names
}

// described is the shape in a description.
func (s Shape) described() shopapi.ListShape {
	switch s {
	case Keyed:
		return shopapi.KeyedList
	case Bare:
		return shopapi.BareList
	case EnvelopedKeyed:
		return shopapi.EnvelopedKeyedList
	}
	return shopapi.EnvelopedList
}

// itemType is the type of an item of a list as it is answered.
func (c *collection[T, S]) itemType() reflect.Type {
	return answeredAs[S](func(v *S) any {
		answers := reflect.ValueOf(c.answers(context.Background(), []S{*v}))
		if answers.Kind() != reflect.Slice || answers.Len() != 1 {
			return nil
		}
		return answers.Index(0).Interface()
	})
}

// answeredAs is the type of the answer to an empty object: T itself where the
// definition has nothing to say of such a one.
func answeredAs[T any](answer func(*T) any) (t reflect.Type) {
	defer func() {
		if recover() != nil || t == nil {
			t = reflect.TypeFor[T]()
		}
	}()
	if t = reflect.TypeOf(answer(new(T))); t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fieldRules returns the rules on the fields of bodies.
func (c *collection[T, S]) fieldRules() []shopapi.Rule {
	if c.def.Wire.Bind != nil {
		return rulesOfBound(c.rules.Rules(), reflect.TypeFor[T]())
	}
	list := slices.Clone(c.rules.Rules())
	c.requireWithoutDefault(list)
	return list
}

// rulesOfBound adds to rules a rule without conditions for each field that only the Bind of a
// definition can read.
func rulesOfBound(rules []shopapi.Rule, t reflect.Type) []shopapi.Rule {
	list := slices.Clone(rules)
	known := map[string]bool{}
	for _, rule := range list {
		known[rule.Field] = true
	}
	for _, f := range bind.Fields(t) {
		known[f.Name] = true
	}
	for _, f := range structfields.Of(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && f.Tag.Get("bind") != "-" && !known[name] {
			list = append(list, shopapi.Rule{Field: name})
		}
	}
	return list
}

// requireWithoutDefault marks the fields that a new object must have, because their defaults break
// their rules: a code without a default, for example. A definition with Derive may set them itself.
func (c *collection[T, S]) requireWithoutDefault(list []shopapi.Rule) {
	if c.def.Rules.Derive != nil {
		return
	}
	defer func() { _ = recover() }() // Defaults need what is set up later: the rules say what they say
	fresh := c.Defaults(context.Background())
	var problems shopapi.Problems
	c.rules.Check(&fresh, &problems)
	var refused *shopapi.Error
	if !errors.As(problems.Err(), &refused) {
		return
	}
	for i := range list {
		if _, ok := refused.Fields[list[i].Field]; ok {
			list[i].Required = true
		}
	}
}
