package apidoc

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/bind"
)

// bodyOf returns the schema of bodies that are bound to a struct: null empties a field,
// and unknown fields are ignored. own is a struct with the members that the entity reads
// by itself, nil for none. Rules on fields that neither has apply to such members too.
func (s *schemas) bodyOf(t, own reflect.Type, rules []shopapi.Rule) schema {
	properties, order := schema{}, []string{}
	readOnly, texts, tags := map[string]bool{}, map[string]string{}, map[string]reflect.StructTag{}
	add := func(name string, property schema, tag reflect.StructTag) {
		property = withRule(property, ruleOn(rules, name))
		if tag.Get("empty") != "" {
			property = cleared(property)
		}
		properties[name] = property
		order = append(order, name)
	}
	read := schema{}
	if own != nil {
		read, _ = s.acceptedIn(own)
	}
	if t != nil {
		for _, m := range membersOf(t) {
			readOnly[m.name] = m.field.Tag.Get("bind") == "-"
			texts[m.name], tags[m.name] = textOf(m), m.field.Tag
		}
		for _, f := range bind.Fields(t) {
			if _, itself := read[f.Name]; !itself {
				property := s.taken(f)
				if types := strings.Fields(tags[f.Name].Get("types")); len(types) > 0 && f.Type == reflect.TypeFor[shopapi.JSON]() {
					property = with(property, "type", append(types, "null"))
				}
				add(f.Name, described(property, texts[f.Name]), tags[f.Name])
			}
		}
	}
	if own != nil {
		for _, m := range membersOf(own) {
			if property, ok := read[m.name].(schema); ok {
				add(m.name, property, "") // which acceptedIn has described
			}
		}
	}
	for _, rule := range rules {
		if _, known := properties[rule.Field]; !known && !readOnly[rule.Field] {
			add(rule.Field, schema{"description": "As answers show it."}, "")
		}
	}
	return schema{"type": "object", "properties": properties, "x-order": order}
}

// payloadOf returns the schema of the payload of an action, nil for none. A payload that
// is not bound is read by the action: values of the type, numbers also as texts.
func (s *schemas) payloadOf(t reflect.Type) schema {
	body := s.bodyOf(t, nil, nil)
	if t == nil {
		return body
	}
	properties := body["properties"].(schema)
	for _, m := range membersOf(t) {
		if _, bound := properties[m.name]; !bound && m.field.Tag.Get("bind") != "-" {
			properties[m.name] = described(orTexts(s.answered(m.field.Type)), textOf(m))
			body["x-order"] = append(body["x-order"].([]string), m.name)
		}
	}
	return body
}

// orTexts returns a schema that also accepts integers as strings of digits.
func orTexts(s schema) schema {
	c := make(schema, len(s))
	for keyword, v := range s {
		if inner, ok := v.(schema); ok {
			v = orTexts(inner)
		}
		c[keyword] = v
	}
	if c["type"] == "integer" {
		c["type"] = []string{"integer", "string"}
	}
	return c
}

func ruleOn(rules []shopapi.Rule, field string) shopapi.Rule {
	i := slices.IndexFunc(rules, func(r shopapi.Rule) bool { return r.Field == field })
	if i < 0 {
		return shopapi.Rule{}
	}
	return rules[i]
}

// requiredOf returns the required fields of a new object, without the fields that the
// address below the parent sets.
func requiredOf(rules []shopapi.Rule, parent *shopapi.Description) []string {
	var names []string
	for _, rule := range rules {
		given := parent != nil && (rule.Field == parent.IDField || rule.Field == parent.IDField+"s" ||
			rule.Field == "company_id" && isCompany(parent))
		if rule.Required && !given {
			names = append(names, rule.Field)
		}
	}
	return names
}

// isCompany reports whether the objects of an entity are companies.
func isCompany(d *shopapi.Description) bool { return d.Name == "stores" || d.Name == "vendors" }

// taken returns the schema of the values that a field of a body accepts (§4).
func (s *schemas) taken(f bind.Field) schema {
	if f.Kind == bind.Document {
		return s.accepted(f.Type)
	}
	return s.bound(f.Kind, f.Type)
}

// bound returns the schema of the values of a kind.
func (s *schemas) bound(kind bind.Kind, t reflect.Type) schema {
	switch kind {
	case bind.Text:
		return schema{"type": []string{"string", "number", "null"}}
	case bind.Number:
		return schema{"type": []string{"string", "integer", "null"}, "pattern": `^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`}
	case bind.Amount:
		return schema{"type": []string{"string", "number", "null"}, "pattern": `^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`}
	case bind.Flag:
		return flag()
	case bind.Numbers:
		return schema{
			"type": []string{"array", "string", "integer", "object", "null"}, "items": schema{"type": []string{"integer", "string"}},
			"maxItems": shopapi.MaxListItems, "description": "A list of numbers, or a text of them joined by commas.",
		}
	case bind.Texts:
		return schema{
			"type": []string{"array", "string", "number", "object", "null"}, "items": schema{"type": []string{"string", "number"}},
			"maxItems": shopapi.MaxListItems, "description": "A list of texts, or a text of them joined by commas.",
		}
	case bind.Scalar:
		if held(t) == reflect.TypeFor[shopapi.Flag]() {
			return flag()
		}
		return schema{"type": []string{"string", "number", "boolean", "null"}}
	}
	return schema{"description": "As answers show it."}
}

func held(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// flag returns the schema of a flag in a body.
func flag() schema {
	return schema{
		"type":    []string{"string", "boolean", "integer", "null"},
		"pattern": `^([YyNn01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$`,
		"minimum": 0, "maximum": 1, "format": "flag",
		"description": "Y or N.",
	}
}

// withRule adds the rule of a field to its schema.
func withRule(s schema, r shopapi.Rule) schema {
	c := with(s, "x-field", true)
	delete(c, "x-field")
	var notes []string
	if text, ok := s["description"].(string); ok {
		notes = append(notes, text)
	}
	if r.OneOf != nil {
		delete(c, "pattern")
		c["enum"] = codes(r.OneOf)
	}
	if r.Range != nil {
		c["minimum"], c["maximum"] = r.Range.Low, r.Range.High
		if _, isFlag := s["format"]; isFlag {
			c["minimum"], c["maximum"] = 0, 1
		} else if note := rangeNote(*r.Range); note != "" {
			notes = append(notes, note)
		}
	}
	if r.Amount != nil {
		notes = append(notes, "From "+r.Amount.Least.String()+" to "+r.Amount.Most.String()+", with at most "+strconv.Itoa(r.Amount.Scale)+" decimals.")
	}
	if r.Length > 0 {
		c["maxLength"] = r.Length
	}
	if r.HTML {
		c["contentMediaType"] = "text/html"
	}
	if r.Bytes > 0 {
		c["x-max-bytes"] = r.Bytes
		notes = append(notes, "At most "+strconv.Itoa(r.Bytes)+" bytes in UTF-8.")
		if r.Length == 0 && canBeText(s) {
			c["maxLength"] = r.Bytes
		}
	}
	if r.Note != "" {
		notes = append(notes, strings.ToUpper(r.Note[:1])+r.Note[1:]+".")
	}
	if len(notes) > 0 {
		c["description"] = strings.Join(notes, " ")
	}
	return c
}

// rangeNote describes a range in words, without the limits of the column.
func rangeNote(r shopapi.Range) string {
	low, high := strconv.FormatInt(r.Low, 10), strconv.FormatInt(r.High, 10)
	switch {
	case r.Low <= math.MinInt32 && r.High >= math.MaxInt32:
		return ""
	case r.High >= math.MaxInt32:
		return "From " + low + "."
	}
	return "From " + low + " to " + high + "."
}

// isText reports whether a schema is of any text, also one that was sent as a number.
func isText(s schema) bool {
	kinds, _ := s["type"].([]string)
	return slices.Equal(kinds, []string{"string", "number", "null"}) && s["pattern"] == nil && s["enum"] == nil
}

// canBeText reports whether values of a schema are texts, so that a length applies.
func canBeText(s schema) bool {
	kinds, _ := s["type"].([]string)
	return slices.Contains(kinds, "string") && !slices.Contains(kinds, "array")
}

// codes returns the values of a field. An empty one is accepted for none.
func codes(values []string) []any {
	list := make([]any, 0, len(values)+1)
	for _, v := range values {
		list = append(list, v)
	}
	return list
}

// parameterOf returns the schema of a query parameter.
func parameterOf(f bind.Field, r shopapi.Rule) schema {
	switch t := held(f.Type); {
	case f.Codes:
		return codesOf(r.OneOf)
	case r.OneOf != nil:
		return schema{"type": "string", "enum": codes(r.OneOf)}
	case t == reflect.TypeFor[shopapi.Flag](), f.Kind == bind.Flag:
		return schema{"type": "string", "pattern": `^([YyNn01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$`, "format": "flag"}
	case t == reflect.TypeFor[decimal.Decimal](), f.Kind == bind.Amount:
		return schema{"type": "string", "format": "decimal"}
	case f.Kind == bind.Number:
		return schema{"type": "integer", "format": "int64"}
	case f.Kind == bind.Numbers:
		return schema{"type": "array", "items": schema{"type": "integer", "format": "int64"}, "maxItems": shopapi.MaxListItems}
	case f.Kind == bind.Texts:
		return schema{"type": "array", "items": schema{"type": "string"}, "maxItems": shopapi.MaxListItems}
	}
	return schema{"type": "string", "maxLength": shopapi.MaxFilterText}
}
