package bind

import (
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"sync"

	"github.com/gorilla/schema"
)

// Filter sets the fields of the struct that dst points to from query parameters, by
// their json tags. A parameter that does not fit, or is longer than [MaxFilterText], is
// a problem, and its field does not change. The problems are in the order of the
// struct.
//
// The decoder of gorilla/schema fills a struct of the filter's own: it would match
// names in either case, split them at dots, and write through pointers that copies of
// the struct share.
func Filter(dst any, values url.Values) (problems []Problem) {
	target := reflect.ValueOf(dst).Elem()
	fields := fieldsOf(target.Type())
	var sent []*parameter
	var src map[string][]string // by the name of the slot
	plan := decodingOf(target.Type())
	for i := range fields {
		f := &fields[i]
		if len(values[f.Name]) == 0 {
			continue
		}
		if src == nil {
			src = map[string][]string{}
		}
		p := &parameter{field: f, slot: i}
		if p.texts, p.problem = f.filterTexts(values[f.Name]); p.problem == "" && len(p.texts) > 0 && !plan.aside[i] {
			src[slotName(i)] = p.texts
		}
		sent = append(sent, p)
	}
	if len(sent) == 0 {
		return nil
	}
	decoded, failed := plan.decode(src)
	for _, p := range sent {
		value, problem := p.value(plan, decoded, failed)
		if problem != "" {
			problems = append(problems, Problem{p.Name, problem})
			continue
		}
		set(target.FieldByIndex(p.index), value)
	}
	return problems
}

// A parameter is a field that the query names, with its texts or its problem.
type parameter struct {
	*field
	slot    int
	texts   []string
	problem string
}

// value returns the value of the field: the zero Value where it becomes empty.
func (p *parameter) value(plan *decoding, decoded reflect.Value, failed schema.MultiError) (value reflect.Value, problem string) {
	switch {
	case p.problem != "" || len(p.texts) == 0:
		return value, p.problem
	case plan.aside[p.slot] || failed[slotName(p.slot)] != nil: // converters report no reason
		return p.convert(p.texts)
	}
	return decoded.Field(p.slot), ""
}

// A decoding fills filters of one type. It is made once: converters cannot be added to
// a decoder in use.
type decoding struct {
	decoder *schema.Decoder
	into    reflect.Type // a struct of the fields' types
	aside   []bool       // the fields that the decoder cannot address
}

var decodings sync.Map // of reflect.Type to *decoding

func decodingOf(t reflect.Type) *decoding {
	if known, ok := decodings.Load(t); ok {
		return known.(*decoding)
	}
	known, _ := decodings.LoadOrStore(t, newDecoding(fieldsOf(t)))
	return known.(*decoding)
}

func newDecoding(fields []field) *decoding {
	d := &decoding{decoder: schema.NewDecoder(), aside: make([]bool, len(fields))}
	d.decoder.ZeroEmpty(true)
	slots := make([]reflect.StructField, len(fields))
	for i := range fields {
		f := &fields[i]
		slots[i] = reflect.StructField{Name: slotName(i), Type: f.value}
		if f.Kind == Text || f.Kind == Texts {
			continue
		}
		converted := f.value
		if f.Kind.isList() {
			converted = converted.Elem()
		}
		d.aside[i] = addressedByItem(converted)
		d.decoder.RegisterConverter(reflect.Zero(converted).Interface(), f.converter(converted))
	}
	d.into = reflect.StructOf(slots)
	return d
}

// slotName is the name of a field in what the decoder fills.
func slotName(i int) string { return "F" + strconv.Itoa(i) }

// converter is the conversion to a type in the form of the decoder.
func (f *field) converter(t reflect.Type) schema.Converter {
	return func(text string) reflect.Value {
		value := reflect.New(t).Elem()
		if f.read(value, text) != nil {
			return reflect.Value{}
		}
		return value
	}
}

// decode converts texts by the names of slots. It returns the struct that was filled,
// and the errors of the slots that could not be.
func (d *decoding) decode(src map[string][]string) (values reflect.Value, failed schema.MultiError) {
	into := reflect.New(d.into)
	if len(src) > 0 {
		errors.As(d.decoder.Decode(into.Interface(), src), &failed)
	}
	return into.Elem(), failed
}

// addressedByItem reports whether gorilla/schema addresses a type by its items only:
// a slice or array of anything but plain values.
func addressedByItem(t reflect.Type) bool {
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
		return false
	}
	item := t.Elem().Kind()
	return !(item >= reflect.Bool && item <= reflect.Float64 && item != reflect.Uintptr || item == reflect.String)
}
