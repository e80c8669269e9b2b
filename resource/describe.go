package resource

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/store"
)

// describe is what the definition says of the entity.
func (c *collection[T, S]) describe() shopapi.Description {
	d := &c.def
	e := shopapi.Description{
		Name:          d.Name,
		ListKey:       d.List.Name,
		IDField:       cmp.Or(d.Wire.Code, d.Table.Schema().Key()),
		Privileges:    d.Privileges,
		Operations:    d.Operations,
		Actions:       d.describeActions(),
		Cacheable:     !d.Wire.Uncacheable,
		Transactional: true,
		StringIDs:     d.Wire.StringIDs,
		LargePayloads: d.Wire.LargePayloads,
		Translated:    translatedOf(d.Table.Schema()),
		Summary:       d.Summary,
		Object:        answeredAs[T](func(v *T) any { return c.answer(context.Background(), v) }),
		Item:          c.itemType(),
		Payload:       reflect.TypeFor[T](),
		Filter:        reflect.TypeOf(d.Filter()).Elem(),
		Sorts:         keysOf(d.Sorts),
		Descending:    d.List.Descending,
		Shape:         d.List.Shape.in(c.api.Dialect()).described(),
	}
	if d.Wire.Reply != nil {
		e.More = d.Wire.Reply(new(T))
	}
	if d.List.Params != nil {
		e.Params = reflect.Indirect(reflect.ValueOf(d.List.Params(d.Filter(), &shopapi.Params{}))).Type()
	}
	for _, p := range d.Scope.Parents {
		e.Parents = append(e.Parents, p.Entity)
	}
	return e
}

// translatedOf names the columns of a table whose texts stand in several languages.
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

// Rules implements [shopapi.RuleSource]. It runs the rules of the definition on the
// object that a POST without fields would make, and those of the filter on one that
// looks for nothing and then, parameter by parameter, for a text that is no code.
func (e *entity[T, S]) Rules(ctx context.Context, empty *shopapi.Request) (fields, parameters []shopapi.Rule) {
	// What could not be read ends the observation, and nothing else.
	_ = e.c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		fields = e.c.fieldRules(ctx, tx, empty)
		parameters = e.c.parameterRules(ctx, tx)
		return nil
	})
	return fields, parameters
}

func (c *collection[T, S]) fieldRules(ctx context.Context, tx store.Tx, empty *shopapi.Request) (rules []shopapi.Rule) {
	problems, observed := shopapi.Observed()
	defer func() {
		_ = recover() // of a rule that counts on what those before it refused
		rules = observed()
	}()
	var none T
	v := c.Defaults(ctx)
	if c.def.Wire.Bind != nil {
		c.observeOwn(problems)
		problems.Merge(c.def.Wire.Bind(ctx, empty, &v))
	}
	if c.def.Rules.RestoreImmutable != nil {
		c.def.Rules.RestoreImmutable(&v, &none, problems)
	}
	c.normalize(&v, problems)
	_ = c.check(ctx, tx, &none, &v, problems) // its problems are noted
	return nil
}

// observeOwn notes the fields of types that only a Bind of the definition's own can
// read.
func (c *collection[T, S]) observeOwn(problems *shopapi.Problems) {
	bound := map[string]bool{}
	for _, f := range bind.Fields(reflect.TypeFor[T]()) {
		bound[f.Name] = true
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && f.Tag.Get("bind") != "-" && !bound[name] {
			problems.Observe(name)
		}
	}
}

// noCode is a text that is no code of any field.
const noCode = "?"

func (c *collection[T, S]) parameterRules(ctx context.Context, tx store.Tx) []shopapi.Rule {
	rules := c.observeFilter(ctx, tx, c.def.Filter())
	t := reflect.TypeOf(c.def.Filter()).Elem()
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" || field.Type.Kind() != reflect.String {
			continue
		}
		f := c.def.Filter()
		reflect.ValueOf(f).Elem().FieldByIndex(field.Index).SetString(noCode)
		for _, rule := range c.observeFilter(ctx, tx, f) {
			if rule.OneOf != nil {
				rules = append(rules, shopapi.Rule{Field: name, OneOf: rule.OneOf})
			}
		}
	}
	return rules
}

// observeFilter returns the rules that a filter meets.
func (c *collection[T, S]) observeFilter(ctx context.Context, tx store.Tx, f Filter) (rules []shopapi.Rule) {
	problems, observed := shopapi.Observed()
	defer func() {
		_ = recover()
		rules = observed()
	}()
	f.Where(&Where{Context: ctx, Tx: tx, API: c.api, Problems: *problems})
	return nil
}
