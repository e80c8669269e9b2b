package apidoc

import (
	"reflect"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/bind"
)

// custom returns the custom fields of the entity that the reader of the document sees
// (extensions E13).
func (e *endpoint) custom() []shopapi.CustomField {
	return shopapi.CustomFieldsFor(e.user, e.Custom)
}

// addCustom adds the custom fields to the schema of a body or of an object.
func (e *endpoint) addCustom(to schema, isBody bool) {
	properties, _ := to["properties"].(schema)
	add := func(name string, property schema) {
		properties[name] = property
		order, _ := to["x-order"].([]string)
		if !slices.Contains(order, name) {
			to["x-order"] = append(order, name)
		}
	}
	if e.hasCustomerFields() {
		if isBody {
			for _, f := range e.api.CustomerFields() {
				property := customTaken(e.schemas, &f)
				add(f.Name, with(described(property, f.Description), "x-in", field.CustomerMember))
			}
		} else {
			add(field.CustomerMember, schema{"type": []string{"object", "array"}, "description": "The values of the custom fields of customers by their names; [] for none."})
		}
	}
	for _, f := range e.custom() {
		property := customAnswered(&f)
		if isBody {
			property = customTaken(e.schemas, &f)
		} else if required, ok := to["required"].([]string); ok {
			to["required"] = append(required, f.Name)
		}
		if f.Translated {
			property = with(property, "x-translated", true)
		}
		add(f.Name, described(property, f.Description))
	}
}

// hasCustomerFields reports whether bodies have the custom fields of addresses, which objects have
// in the member fields.
func (e *endpoint) hasCustomerFields() bool {
	return e.MoreFields != nil && slices.Contains(e.MoreFields(), field.CustomerMember)
}

// customAnswered returns the schema of a custom field in answers.
func customAnswered(f *shopapi.CustomField) schema {
	s := schema{"type": "string"}
	switch f.Type {
	case shopapi.CustomNumber:
		s["pattern"] = wholePattern
	case shopapi.CustomAmount:
		s["pattern"], s["format"] = amountPattern, "decimal"
	case shopapi.CustomFlag:
		s["enum"] = []any{"Y", "N"}
	case shopapi.CustomOneOf:
		s["enum"] = codes(f.OneOf)
	}
	return nullable(s)
}

// customTaken returns the schema of the values that a custom field accepts: null clears it, and in
// forms the empty text does.
func customTaken(s *schemas, f *shopapi.CustomField) schema {
	return cleared(withRule(s.taken(customBound(f)), f.Rule()))
}

// customBound returns how bodies and filters bind a custom field.
func customBound(f *shopapi.CustomField) bind.Field {
	kinds := map[shopapi.CustomType]bind.Kind{
		shopapi.CustomNumber: bind.Number, shopapi.CustomAmount: bind.Amount, shopapi.CustomFlag: bind.Flag,
	}
	field := bind.Field{Name: f.Name, Kind: bind.Text, Type: reflect.TypeFor[string]()}
	if kind, ok := kinds[f.Type]; ok {
		field.Kind = kind
	}
	return field
}

// addCustomParameters adds the parameters of lists that filter by custom fields.
func (e *endpoint) addCustomParameters() {
	if !e.has(shopapi.OpList) {
		return
	}
	for _, f := range e.custom() {
		for _, name := range f.Parameters() {
			description := f.Description
			switch {
			case strings.HasSuffix(name, "_from") && name != f.Name:
				description = "The least value of " + f.Name + "."
			case strings.HasSuffix(name, "_to") && name != f.Name:
				description = "The greatest value of " + f.Name + "."
			}
			p := &openapi31.Parameter{Name: name, In: openapi31.ParameterInQuery, Schema: parameterOf(customBound(&f), shopapi.Rule{})}
			if f.OneOf != nil {
				explode := false
				p.Schema, p.Explode = codesOf(f.OneOf), &explode
			}
			if description != "" {
				p.Description = &description
			}
			e.spec.Components.Parameters[e.name+"."+name] = openapi31.ParameterOrReference{Parameter: p}
		}
	}
}
