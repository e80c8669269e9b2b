package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A form is a way in which a value grows.
type form struct {
	name  string
	build func(n int) any
	most  int // that the schema admits, 0 if it does not say
}

// maxDepth is how deep the campaign looks into items for a field that can grow.
const maxDepth = 3

// forms returns the forms of a value of the schema. The example is nil or a value that is
// accepted.
func (d *document) forms(s *schema, example any, depth int) (list []form) {
	for _, s := range d.all(s) {
		if s.isText() {
			list = append(list, form{"text", func(n int) any { return strings.Repeat("x", n) }, s.length()})
		}
		if s.Items != nil {
			list = append(list, d.listForms("[]", s, s.Items, firstOf(example), depth, func(item func(int) any, n int) any {
				items := make([]any, n)
				for i := range items {
					items[i] = item(i)
				}
				return items
			})...)
		}
		if s.Members != nil {
			list = append(list, d.listForms("{}", s, s.Members, firstOf(example), depth, func(item func(int) any, n int) any {
				members := make(map[string]any, n)
				for i := range n {
					members[fmt.Sprint(i+1)] = item(i)
				}
				return members
			})...)
		}
		if s.Items == nil && s.Members == nil && len(s.Properties) == 0 && (len(s.Type) == 0 || s.is("object")) {
			list = append(list,
				form{"any[]", func(n int) any { return slices.Repeat([]any{1}, n) }, 0},
				form{"any[[]]", func(n int) any { return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n)) }, 0})
		}
		if depth < maxDepth {
			list = append(list, d.propertyForms(s, example, depth)...)
		}
	}
	return list
}

// listForms returns the forms of a list: many items, many empty ones, one item with a field
// that grows, and as many items as each of them has itself.
func (d *document) listForms(name string, s, item *schema, example any, depth int, many func(item func(int) any, n int) any) (list []form) {
	sample := func(i int) any { return d.sample(item, example, i) }
	most := 0
	if s.MaxItems != nil {
		most = *s.MaxItems
	}
	list = append(list, form{name, func(n int) any { return many(sample, n) }, most})
	items := d.all(item)
	if slices.ContainsFunc(items, func(s *schema) bool { return len(s.Properties) > 0 || s.is("object") }) {
		list = append(list, form{name + " of {}", func(n int) any {
			return many(func(int) any { return map[string]any{} }, n)
		}, most})
	}
	if depth >= maxDepth {
		return list
	}
	for _, nested := range d.forms(item, sample(0), depth+1) {
		if nested.name == "text" {
			continue // a list of long texts is as large as one
		}
		list = append(list,
			form{name + " " + nested.name, func(n int) any { return many(func(int) any { return nested.build(n) }, 1) }, nested.most},
			form{name + " " + nested.name + " each", func(n int) any {
				return many(func(i int) any { return distinct(nested.build(n), i) }, n)
			}, 0})
	}
	return list
}

// propertyForms returns the forms of an object of which one member grows.
func (d *document) propertyForms(s *schema, example any, depth int) (list []form) {
	object, _ := example.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		for _, f := range d.forms(s.Properties[name], object[name], depth+1) {
			list = append(list, form{"." + name + " " + f.name, func(n int) any {
				with := maps.Clone(object)
				if with == nil {
					with = map[string]any{}
				}
				with[name] = f.build(n)
				return with
			}, f.most})
		}
	}
	return list
}

// sample returns the i-th value of a list.
func (d *document) sample(s *schema, example any, i int) any {
	if example != nil {
		return distinct(example, i)
	}
	for _, s := range d.all(s) {
		switch {
		case len(s.Enum) > 0:
			return s.Enum[i%len(s.Enum)]
		case len(s.Properties) > 0:
			object := map[string]any{}
			for name, p := range s.Properties {
				if slices.ContainsFunc(d.all(p), (*schema).isText) || slices.Contains(s.Required, name) {
					object[name] = d.sample(p, nil, i)
				}
			}
			return object
		case s.is("integer") || s.Pattern != "":
			return i + 1
		}
	}
	return fmt.Sprint(i)
}

// distinct appends a number to each text in the value, unless the text is a number itself.
// So no two items of a list are equal.
func distinct(value any, i int) any {
	switch v := value.(type) {
	case string:
		if i == 0 || v == "" || strings.Trim(v, "0123456789.:-") == "" || len(v) == 1 || strings.Contains(v, "/") {
			return v
		}
		return v + fmt.Sprint(i)
	case map[string]any:
		other := make(map[string]any, len(v))
		for name, member := range v {
			other[name] = distinct(member, i)
		}
		return other
	}
	return value
}

// firstOf returns the first item or member of an example, nil for none.
func firstOf(example any) any {
	switch e := example.(type) {
	case []any:
		if len(e) > 0 {
			return e[0]
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(e)) {
			return e[name]
		}
	}
	return nil
}

// isText reports whether a schema admits any text.
func (s *schema) isText() bool {
	return s.is("string") && len(s.Enum) == 0 && s.Pattern == "" && s.Format == "" && s.Items == nil && s.Members == nil && len(s.Properties) == 0 &&
		(s.MaxLength == nil || *s.MaxLength > 0)
}

// length is the largest number of bytes of a text, 0 if the schema does not say.
func (s *schema) length() int {
	if s.MaxLength != nil {
		return *s.MaxLength
	}
	return s.MaxBytes
}

// with returns the body with one field replaced, or the value alone if the field has no name.
func with(example map[string]any, name string, value any) []byte {
	body := value
	if name != "" {
		fields := maps.Clone(example)
		fields[name] = value
		body = fields
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil // a form that JSON does not have
	}
	return text
}

// largest returns the greatest n for which size is at most the limit.
func largest(size func(n int) int, limit int) int {
	low, high := 1, 2
	for size(high) <= limit && high < 1<<21 {
		low, high = high, 2*high
	}
	for high-low > max(1, low/50) {
		if middle := (low + high) / 2; size(middle) <= limit {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
