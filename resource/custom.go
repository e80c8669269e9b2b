package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource/internal/texts"
	"github.com/shopapi/shopapi/store"
)

// customFields are the fields that the host adds to an entity (extensions E13). Their
// columns are a schema of their own over the entity's table, so that the table of a Go type
// does not depend on the host. nil has none.
type customFields struct {
	entity  string
	limited bool // vendors set only fields with a privilege of their own
	fields  []customField
	shown   []shopapi.CustomField // the fields that are members of objects
	ofUser  []shopapi.CustomField // the fields that users show in their member fields
	schema  *store.Schema         // the key and the fields
	texts   *store.Schema         // the translated fields in other languages; nil for none
	base    *texts.Languages
}

// A customField is a field with its column, and how requests are read.
type customField struct {
	shopapi.CustomField
	column store.Column
	text   int          // the column of texts; 0 without translation
	bound  reflect.Type // a struct with a pointer to the value
	filter reflect.Type // a struct with a pointer for each parameter; nil without a filter, and where it takes several values
	rules  *rules.Plan  // of bound
}

var customType = reflect.TypeFor[shopapi.Custom]()

// takeCustom prepares the custom fields of a collection.
func (c *collection[T, S]) takeCustom() error {
	x := &customFields{entity: c.def.Name, limited: c.def.Scope.VendorsLimited, base: c.texts.Languages}
	declared := x.find(c.api, c.reported().def.Name, c.def.Table.Schema())
	if len(declared) == 0 {
		return nil
	}
	if c.customOf, c.customItem = customIn[T](), customIn[S](); c.customOf == nil || c.customItem == nil {
		return x.refuse(&declared[0], "its objects take no custom fields")
	}
	taken := namesOf(reflect.TypeFor[T](), reflect.TypeFor[S](), reflect.TypeOf(c.def.Filter()).Elem())
	if err := x.take(declared, append(taken, keysOf(c.def.Sorts)...), c.def.Table.Schema()); err != nil {
		return err
	}
	c.custom = x
	return nil
}

// find returns the fields that are declared for an entity, by its name in the change log, and for customers.
func (x *customFields) find(api *shopapi.API, name string, s *store.Schema) []shopapi.CustomField {
	x.shown = api.CustomFields(name)
	if len(x.shown) == 0 {
		x.shown = api.CustomFields(s.Name)
	}
	var customer []shopapi.CustomField
	if name == "users" || name == "orders" {
		customer = api.CustomerFields()
	}
	if name == "users" {
		x.ofUser = customer
	}
	return slices.Concat(x.shown, customer)
}

func (x *customFields) refuse(f *shopapi.CustomField, reason string) error {
	return fmt.Errorf("resource: the custom field %s of %s: %s", f.Name, x.entity, reason)
}

// take adds declared fields to the columns of a table. taken are the names of the entity's fields, parameters
// and sort keys.
func (x *customFields) take(declared []shopapi.CustomField, taken []string, s *store.Schema) (err error) {
	columns, translated := []store.Column{s.Columns[0]}, []store.Column(nil)
	for _, declaration := range declared {
		f := &declaration
		switch {
		case slices.Contains(taken, f.Name) || s.Index(f.Name) >= 0:
			return x.refuse(f, "the entity has a field, a filter or a sort key of this name")
		case f.Translated && s.Texts() == nil:
			return x.refuse(f, "the texts of the entity are in one language")
		}
		field, err := customFieldOf(f)
		if err != nil {
			return x.refuse(f, err.Error())
		}
		if f.Translated {
			translated = append(translated, field.column)
			field.text = 2 + len(translated)
		}
		columns = append(columns, field.column)
		x.fields = append(x.fields, field)
	}
	var indexes []store.Index
	for _, f := range x.fields {
		if f.Filters || f.Sorts {
			indexes = append(indexes, store.Index{Columns: []string{f.Name}})
		}
	}
	if x.schema, err = store.NewSchema(s.Name, columns, indexes...); err == nil && translated != nil {
		x.texts, err = customTextsOf(s.Name, translated)
	}
	return err
}

// customIn returns the field of custom fields in a struct type, nil where it has none.
func customIn[T any]() func(*T) *shopapi.Custom {
	for _, f := range structfields.Of(reflect.TypeFor[T]()) {
		if f.Type == customType {
			return func(v *T) *shopapi.Custom {
				return reflect.ValueOf(v).Elem().FieldByIndex(f.Index).Addr().Interface().(*shopapi.Custom)
			}
		}
	}
	return nil
}

// namesOf returns the names of the fields of struct types on the wire.
func namesOf(types ...reflect.Type) (names []string) {
	for _, t := range types {
		for _, f := range structfields.Of(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

func customFieldOf(f *shopapi.CustomField) (customField, error) {
	scale := 0
	value := reflect.TypeFor[*string]()
	switch rule := f.Rule(); f.Type {
	case shopapi.CustomNumber:
		value = reflect.TypeFor[*int64]()
	case shopapi.CustomAmount:
		value, scale = reflect.TypeFor[*decimal.Decimal](), rule.Amount.Scale
	case shopapi.CustomFlag:
		value = reflect.TypeFor[*shopapi.Flag]()
	}
	field := customField{CustomField: *f, column: customColumn(f.Name, f.Type, scale), bound: structOf(value, f.Name)}
	if f.Filters && f.Type != shopapi.CustomOneOf {
		field.filter = structOf(value, f.Parameters()...)
	}
	var err error
	field.rules, err = rules.Of(field.bound, f.Rule())
	return field, err
}

// structOf returns a struct type with fields of these names on the wire.
func structOf(t reflect.Type, names ...string) reflect.Type {
	fields := make([]reflect.StructField, len(names))
	for i, name := range names {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("json:%q", name))}
	}
	return reflect.StructOf(fields)
}

// declared returns the declarations.
func (x *customFields) declared() []shopapi.CustomField {
	if x == nil {
		return nil
	}
	return x.shown
}

// isOfCustomer reports whether the field is one of an address.
func (f *customField) isOfCustomer() bool { return !strings.HasPrefix(f.Name, "x_") }

// BindCustomer sets the customer fields of an order from the members of its user_data.
func BindCustomer(api *shopapi.API, sent *shopapi.Payload, custom *shopapi.Custom, problems *shopapi.Problems, nameOf func(string) string) {
	for _, f := range api.CustomerFields() {
		if !sent.Has(f.Name) {
			continue
		}
		text, ok := wire.Text(sent.Raw(f.Name))
		switch rule := f.Rule(); {
		case !ok:
			problems.Add(nameOf(f.Name), "must be a single text")
		case text == "":
			custom.Set(f.Name, nil)
			continue
		case rule.OneOf != nil:
			problems.OneOf(nameOf(f.Name), text, rule.OneOf...)
		default:
			problems.Length(nameOf(f.Name), text, rule.Length)
		}
		if !problems.Has(nameOf(f.Name)) {
			custom.Set(f.Name, text)
		}
	}
}

// canSet reports whether a user sets the field.
func (x *customFields) canSet(user *shopapi.User, f *customField) bool {
	switch {
	case f.View != "" && !user.Can(f.View):
		return false
	case f.Set != "":
		return user.Can(f.Set)
	}
	return !x.limited || !user.IsVendor()
}

// BindCustom implements [Collection].
func (c *collection[T, S]) BindCustom(r *shopapi.Request, v *T) error {
	if c.customOf == nil {
		return nil
	}
	return c.custom.bind(r, c.customOf(v))
}

// bind sets the fields that a payload has and the user may set. An empty value of a field
// other than a text is null, as forms send it.
func (x *customFields) bind(r *shopapi.Request, custom *shopapi.Custom) error {
	var problems shopapi.Problems
	for i := range x.fields {
		f := &x.fields[i]
		if !r.Payload.Has(f.Name) || !x.canSet(r.User, f) || f.isOfCustomer() && x.ofUser == nil {
			continue
		}
		if raw := string(r.Payload.Raw(f.Name)); raw == "null" || raw == `""` && f.Type != shopapi.CustomText {
			custom.Set(f.Name, nil)
			continue
		}
		if f.Type == shopapi.CustomAmount {
			checkScale(&problems, r.Payload, f.Name, f.column.Scale)
		}
		into := reflect.New(f.bound)
		if err := r.Bind(into.Interface()); err != nil {
			problems.Merge(err)
			continue
		}
		custom.Set(f.Name, into.Elem().Field(0).Elem().Interface())
	}
	return problems.Err()
}

// normalize gives amounts the decimals of their columns, where they fit.
func (x *customFields) normalize(custom *shopapi.Custom) {
	for i := range x.fields {
		f := &x.fields[i]
		if d, ok := custom.Amount(f.Name); ok && d.MinScale() <= f.column.Scale && d.Scale() != f.column.Scale {
			custom.Set(f.Name, d.Rescale(f.column.Scale))
		}
	}
}

// check notes the changed fields that break their rules, and values that no field has.
func (x *customFields) check(before, after shopapi.Custom, problems *shopapi.Problems) {
	for name, value := range after.All() {
		i := slices.IndexFunc(x.fields, func(f customField) bool { return f.Name == name })
		if i < 0 {
			problems.Add(name, "is not a custom field of %s", x.entity)
			continue
		}
		f := &x.fields[i]
		object := reflect.New(f.bound)
		into := object.Elem().Field(0)
		if v := reflect.ValueOf(value); v.Type() == into.Type().Elem() {
			into.Set(reflect.New(v.Type()))
			into.Elem().Set(v)
		} else {
			problems.Add(name, "is a %s: a %T in Go is not", f.Type, value)
			continue
		}
		if reflect.DeepEqual(before.Get(name), value) {
			continue
		}
		f.rules.Normalize(object.Interface(), problems)
		f.rules.Check(object.Interface(), problems)
	}
}

// changed returns the names of the fields that differ, as the change log has them.
func (x *customFields) changed(before, after shopapi.Custom, l texts.Language) (names []string) {
	for i := range x.fields {
		f := &x.fields[i]
		if reflect.DeepEqual(before.Get(f.Name), after.Get(f.Name)) {
			continue
		}
		name := f.Name
		if f.Translated && l.Asked != l.Base {
			name += "@" + l.Asked
		}
		names = append(names, name)
	}
	return names
}
