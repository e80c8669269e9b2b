package files

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/structfields"
)

// fields are the fields that rows of an entity may have.
type fields struct {
	entity     *bulk.Import
	types      map[string]reflect.Type // by name
	readOnly   map[string]bool         // fields that requests cannot write
	custom     map[string]shopapi.CustomType
	translated []string
	lists      []string // with texts in each language
	unknown    []string // names in a file that no field has
	seen       map[string]bool
}

// maxUnknown is how many unknown columns the report names.
const maxUnknown = 100

func fieldsOf(entity *bulk.Import, inFiles bool) *fields {
	d := entity.Description()
	f := &fields{
		entity: entity, types: map[string]reflect.Type{}, readOnly: map[string]bool{}, custom: map[string]shopapi.CustomType{},
		translated: slices.Clone(d.Translated), seen: map[string]bool{},
	}
	for _, l := range d.TranslatedLists {
		f.lists = append(f.lists, l.Name)
	}
	f.translated = append(f.translated, f.lists...)
	if inFiles {
		for _, name := range d.InFiles {
			f.types[name] = jsonType
		}
	}
	for _, c := range entity.Custom() {
		f.custom[c.Name] = c.Type
		if c.Translated {
			f.translated = append(f.translated, c.Name)
		}
	}
	for i, t := range []reflect.Type{d.Payload, d.Object, d.Item} {
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range structfields.Of(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || name == "-" || f.types[name] != nil {
				continue
			}
			f.types[name] = field.Type
			f.readOnly[name] = d.Payload != nil && (i > 0 || field.Tag.Get("bind") == "-")
		}
	}
	return f
}

// column returns the column of a name, and notes a name that no field has.
func (f *fields) column(name string) column {
	c := column{name: name, field: name}
	if field, code, ok := strings.Cut(name, "@"); ok && slices.Contains(f.translated, field) {
		if language, ok := shopapi.ParseLanguage(code); ok {
			c.field, c.language = field, language
		}
	}
	t := f.types[c.field]
	c.isKnown = t != nil || f.entity.Knows(c.field)
	c.kind, c.isNullable = kindOf(t)
	c.ofParts = c.language != "" && slices.Contains(f.lists, c.field)
	c.isText, c.isReadOnly = t != nil && t.Kind() == reflect.String, f.readOnly[c.field]
	if custom, ok := f.custom[c.field]; ok {
		c.kind, c.isCustom = cellOf(custom), true
	}
	if !c.isKnown && !f.seen[name] && len(f.unknown) < maxUnknown {
		f.seen[name] = true
		f.unknown = append(f.unknown, plain.Short(name))
	}
	return c
}

// A column is a member of the rows of a file.
type column struct {
	name       string
	field      string
	language   string // of the text, "" for the field itself
	ofParts    bool   // an object with the texts of parts
	kind       cellKind
	isNullable bool
	isText     bool // or a list or an object that is stored as one
	isReadOnly bool
	isCustom   bool // null clears it, be it a text
	isKnown    bool
}

// put sets the value of a column in a row.
func (c *column) put(row *bulk.Row, value json.RawMessage) {
	if c.language == "" {
		row.Fields[c.field] = value
		return
	}
	if row.Texts == nil {
		row.Texts = map[string]map[string]json.RawMessage{}
	}
	if row.Texts[c.language] == nil {
		row.Texts[c.language] = map[string]json.RawMessage{}
	}
	row.Texts[c.language][c.field] = value
}

// A cellKind says how the cell of a CSV file becomes JSON.
type cellKind int

const (
	anyCell  cellKind = iota // a list or an object as JSON, or else a text
	textCell                 // a text, whatever it looks like
	listCell                 // a list or an object as JSON, or a text that the field reads
)

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	jsonType    = reflect.TypeFor[shopapi.JSON]()
)

// kindOf returns the kind of the cells of a field, and whether null is one of its values.
func kindOf(t reflect.Type) (kind cellKind, isNullable bool) {
	if t == nil {
		return anyCell, false
	}
	if t.Kind() == reflect.Pointer {
		t, isNullable = t.Elem(), true
	}
	switch {
	case t == jsonType:
		return anyCell, isNullable
	case t.Kind() == reflect.String && !reflect.PointerTo(t).Implements(unmarshaler):
		return textCell, isNullable
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return listCell, isNullable
	}
	return anyCell, isNullable
}

// cellOf returns the kind of the cells of a custom field.
func cellOf(t shopapi.CustomType) cellKind {
	if t == shopapi.CustomText || t == shopapi.CustomOneOf {
		return textCell
	}
	return anyCell
}

// value is the JSON of a cell that is not empty. The error is about the cell.
func (c *column) value(cell []byte) (json.RawMessage, error) {
	if !plain.IsText(string(cell)) {
		return nil, shopapi.Invalid(c.name, "must be valid UTF-8 without NUL characters")
	}
	if c.kind != textCell && (c.language == "" || c.ofParts) {
		trimmed := bytes.TrimSpace(cell)
		if len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{') {
			if json.Valid(trimmed) {
				return bytes.Clone(trimmed), nil
			}
			if c.kind == listCell {
				return nil, shopapi.Invalid(c.name, "is not valid JSON: lists and objects are written as JSON, such as [1,2]")
			}
		}
	}
	return jsonenc.AppendString(nil, string(cell)), nil
}

// cleared is the JSON of an empty cell that clears its field. The error is about the cell.
func (c *column) cleared() (json.RawMessage, error) {
	switch {
	case c.isCustom || c.isReadOnly || c.ofParts:
		return json.RawMessage("null"), nil
	case c.kind == textCell || c.language != "":
		return json.RawMessage(`""`), nil
	case c.isNullable:
		return json.RawMessage("null"), nil
	case c.isText:
		return json.RawMessage(`""`), nil
	case c.kind == listCell:
		return json.RawMessage("[]"), nil
	}
	return nil, shopapi.Invalid(c.name, "is empty, and cannot be cleared: leave the column out to keep its values")
}
