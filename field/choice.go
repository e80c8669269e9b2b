package field

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A Choice is the fields that a GET asks for by the parameter fields (extensions E3). A
// nil Choice, without the parameter, has every field.
type Choice struct {
	id      string   // the name of the id, which is always sent
	names   []string // ascending
	fixed   bool     // the names are fields of the entity
	whole   bool     // every field is sent: fields=* of an export
	texts   []TextField
	subsets map[reflect.Type]*jsonenc.Subset
}

// neverChosen is a field that no choice sends: details of a payment leave the shop only
// with the whole order.
const neverChosen = "payment_info"

// NewChoice returns the choice of the fields with these names, in ascending order. id is the
// name of the id. fixed says that all of them are fields of the entity.
func NewChoice(id string, names []string, fixed bool) *Choice {
	return &Choice{id: id, names: names, fixed: fixed, subsets: map[reflect.Type]*jsonenc.Subset{}}
}

// Has reports whether a field is to be sent.
func (c *Choice) Has(field string) bool {
	if c == nil || c.whole || field == c.id {
		return true
	}
	if field == neverChosen {
		return false
	}
	_, ok := slices.BinarySearch(c.names, field)
	return ok
}

// HasAny reports whether any of the fields is to be sent.
func (c *Choice) HasAny(fields ...string) bool {
	return c == nil || slices.ContainsFunc(fields, c.Has)
}

// Whole reports whether an export asks for whole objects: Names then does not have all
// fields that are sent.
func (c *Choice) Whole() bool { return c != nil && c.whole }

// A TextField is a field in one language, such as product@de. An export may ask for it: its
// value is the text of that language alone, null where there is none. Without a language it is a field
// of files alone.
type TextField struct{ Field, Language string }

// Name is the name of the field in an export.
func (t TextField) Name() string {
	if t.Language == "" {
		return t.Field
	}
	return t.Field + "@" + t.Language
}

// ForExport returns the choice with whole objects, or with texts in certain languages. A nil
// choice stays nil without either.
func (c *Choice) ForExport(id string, whole bool, texts []TextField) *Choice {
	if c == nil {
		if !whole && len(texts) == 0 {
			return nil
		}
		c = NewChoice(id, nil, true)
	}
	c.whole, c.texts = whole, texts
	for _, t := range texts {
		c.names = append(c.names, t.Name())
	}
	slices.Sort(c.names)
	return c
}

// Texts returns the texts in certain languages that an export asks for.
func (c *Choice) Texts() []TextField {
	if c == nil {
		return nil
	}
	return c.texts
}

// Names returns the chosen fields in ascending order, without the id.
func (c *Choice) Names() []string {
	if c == nil {
		return nil
	}
	return c.names
}

// A chosen value is an object with its chosen fields alone.
type chosen struct {
	choice  *Choice
	answers []any
}

// Object returns an object that is sent with its chosen fields alone. Each field is that
// of the first of the answers that has it. The answers do not change any more.
func (c *Choice) Object(answers ...any) any { return &chosen{c, answers} }

// CoveredBy reports whether each answer of the type of this one has all chosen fields, so that
// [Choice.Object] needs no other.
func (c *Choice) CoveredBy(answer any) bool {
	s := c.subset(reflect.TypeOf(answer))
	return s != nil && s.Writes(c.id) && !slices.ContainsFunc(c.names, func(name string) bool { return name != neverChosen && !s.Writes(name) })
}

// AppendJSON writes the chosen fields.
func (c *chosen) AppendJSON(dst []byte) (_ []byte, err error) {
	var written *[]string
	if len(c.answers) > 1 {
		written = new([]string)
	}
	dst = append(dst, '{')
	for _, answer := range c.answers {
		if dst, err = c.choice.append(dst, answer, written); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// MarshalJSON writes the chosen fields.
func (c *chosen) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil) }

// append writes the chosen members of an object that are not yet written.
func (c *Choice) append(dst []byte, object any, written *[]string) ([]byte, error) {
	if s := c.subset(reflect.TypeOf(object)); s != nil {
		return s.Append(dst, object, written)
	}
	members, isMap := object.(Map)
	var err error
	if !isMap {
		if members, err = membersOf(object); err != nil {
			return dst, err
		}
	}
	for _, m := range members {
		if !c.Has(m.Name) || written != nil && slices.Contains(*written, m.Name) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(jsonenc.AppendString(dst, m.Name), ':')
		if raw, ok := m.Value.(json.RawMessage); ok {
			dst = append(dst, raw...)
		} else if dst, err = jsonenc.Append(dst, m.Value); err != nil {
			return dst, err
		}
		if written != nil {
			*written = append(*written, m.Name)
		}
	}
	return dst, nil
}

// subset returns the encoder of the chosen fields of a type, nil if the type is not a
// plain struct.
func (c *Choice) subset(t reflect.Type) *jsonenc.Subset {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, known := c.subsets[t]
	if !known {
		if s, known = jsonenc.SubsetOf(t, c.Has); !known {
			s = nil
		}
		c.subsets[t] = s
	}
	return s
}

// membersOf returns the members of any object in their order, none of another value.
func membersOf(object any) (Map, error) {
	data, err := jsonenc.Marshal(object, jsonenc.Unlimited())
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, err
	}
	var members Map
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, Member{name.(string), value})
	}
	return members, nil
}

// Objects chooses the fields of each of some objects.
func (c *Choice) Objects(objects []any) []any { return c.Items(objects).([]any) }

// Only returns an object with the chosen fields alone; all of it if it has none of them, or if
// the choice is nil.
func (c *Choice) Only(object any) any {
	switch {
	case c == nil:
		return object
	case !c.knownIn(object):
		return unchosen(object)
	}
	return c.one(object)
}

// Items is Only for each item of a list, which is a slice or a [Map]. The items are whole if
// none of them has any of the fields.
func (c *Choice) Items(items any) any {
	if c == nil {
		return items
	}
	names, objects, ok := ItemsOf(items)
	if !ok {
		return items
	}
	known := c.fixed || slices.ContainsFunc(objects, c.knownIn)
	for i, object := range objects {
		if known {
			objects[i] = c.one(object)
		} else {
			objects[i] = unchosen(object)
		}
	}
	if names == nil {
		return objects
	}
	keyed := make(Map, len(objects))
	for i, name := range names {
		keyed[i] = Member{name, objects[i]}
	}
	return keyed
}

// ItemsOf returns the items of a list, with their names where it is a [Map]. ok is false if it
// is not a slice either.
func ItemsOf(items any) (names []string, objects []any, ok bool) {
	if keyed, isMap := items.(Map); isMap {
		names = []string{}
		for _, m := range keyed {
			names, objects = append(names, m.Name), append(objects, m.Value)
		}
		return names, objects, true
	}
	values := reflect.ValueOf(items)
	if values.Kind() != reflect.Slice {
		return nil, nil, false
	}
	objects = make([]any, values.Len())
	for i := range objects {
		objects[i] = values.Index(i).Interface()
	}
	return nil, objects, true
}

// one chooses the fields of an object.
func (c *Choice) one(object any) any {
	if _, done := object.(*chosen); done {
		return object
	}
	return c.Object(object)
}

// knownIn reports whether an object has any of the names, where the fields of the entity
// are not known beforehand.
func (c *Choice) knownIn(object any) bool {
	if c.fixed {
		return true
	}
	members, err := membersOf(unchosen(object))
	return err != nil || slices.ContainsFunc(members, func(m Member) bool {
		return slices.Contains(c.names, m.Name)
	})
}

// unchosen returns an object with all its fields.
func unchosen(object any) any {
	if c, ok := object.(*chosen); ok {
		return c.answers[0]
	}
	return object
}

// ParseFields reads a parameter fields: names separated by commas.
func ParseFields(values []string) (names []string) {
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
