package pull

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// fieldNames are the fields that an entity of this shop has on the wire, and the columns
// of its table. It returns nil for an entity without a description.
func (p *puller) fieldNames(entity string, table *store.Schema) map[string]bool {
	if names, ok := p.fields[entity]; ok {
		return names
	}
	var names map[string]bool
	for _, d := range p.sh.Descriptions() {
		if d.Name != entity {
			continue
		}
		for _, t := range describedTypes(&d) {
			if names == nil {
				names = map[string]bool{}
			}
			for _, f := range structfields.Of(t) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				names[name] = true
			}
		}
	}
	if names != nil {
		for _, c := range table.Columns {
			names[c.Name] = true
		}
		for _, name := range answered[entity] {
			names[name] = true
		}
		delete(names, field.CustomerMember) // it has fields that this shop does not have
	}
	p.fields[entity] = names
	return names
}

// describedTypes are the structs by which an entity describes its answers.
func describedTypes(d *shopapi.Description) []reflect.Type {
	var types []reflect.Type
	for _, t := range []reflect.Type{d.Object, d.Item} {
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t != nil && t.Kind() == reflect.Struct && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// answered are fields that follow from other objects, or repeat others.
var answered = map[string][]string{
	"users": {"usergroups", "company_name", "profile_id"},
}

// tellUnknown counts the fields of an object that hold something and have no place here.
func (p *puller) tellUnknown(t *taken) {
	names := p.fieldNames(t.entity, t.parts[0].schema)
	if names == nil {
		return
	}
	for name, raw := range t.raw.members {
		if !names[name] && !isBlank(raw) {
			p.report.notCarried("fields of "+t.entity, name)
		}
	}
}

// spreadCustomer gives an object the customer fields of this shop by their names: answers have them in
// one member (E13).
func (p *puller) spreadCustomer(members map[string]json.RawMessage) {
	sent, ok := parseObject(members[field.CustomerMember])
	if !ok {
		return
	}
	for _, f := range p.sh.CustomerFields() {
		if value, ok := sent[f.Name]; ok {
			members[f.Name] = value
			delete(sent, f.Name)
		}
	}
	if len(sent) == 0 {
		delete(members, field.CustomerMember)
	}
}

// isBlank reports whether a field is empty or has its zero value.
func isBlank(raw json.RawMessage) bool {
	if wire.IsEmpty(raw) {
		return true
	}
	text, kind := wire.Scalar(raw)
	return kind != wire.Composite && slices.Contains([]string{"", "0", "0.00", "0.000", "N", "false"}, strings.TrimSpace(text))
}
