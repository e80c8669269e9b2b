package shopapi

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/gorilla/schema"

	"github.com/shopapi/shopapi/internal/structfields"
)

// Binding lays what a request sent over a struct. gorilla/schema converts: each
// field kind but text is a converter of the decoder, and what the decoder reports
// is what the client is told. This package does what it has no way to say or do:
//
//   - It knows texts alone, so JSON values become texts first: true is told from
//     "true", arrays and the numbered members of a form from single values, null
//     from the empty text (fieldtexts.go).
//   - Its fields are set or left alone; here null and the empty list empty one.
//   - It reports by name, in no order, and a converter only that a text does not
//     fit; the words are those of the same conversion outside the decoder, and
//     the order is that of the struct.
//   - It matches names in either case, splits them at dots, knows no read-only
//     fields, writes through pointers that copies of the struct share, and walks
//     the whole struct at each call. So it fills a struct of the plan's own, of
//     the fields that requests may set, from which the sent ones are copied.
//   - It addresses the items of a slice of structs, not the slice, reads an empty
//     number in a list as 0, and splits numbers at commas (fieldkind.go,
//     fieldtexts.go).

// Bind lays the payload over the struct that dst points to, by its json tags:
// fields that the payload lacks keep their values, null empties one, read-only
// fields (tag bind:"-") and unknown ones are ignored. It returns a 400 that names
// each field whose value does not fit it (§4), in the order of the struct; these
// fields keep their values too.
//
// Fields may be texts, numbers, bools, [Flag], [JSON], decimal.Decimal and other
// types that implement [encoding.TextUnmarshaler], slices of texts and whole
// numbers of at most [MaxListItems] items, types that implement [json.Unmarshaler],
// and pointers to these. Fields of other types are read-only.
func (r *Request) Bind(dst any) error {
	if r.Payload == nil {
		return nil
	}
	return bind(dst, func(f *bindField) (texts []string, problem string, sent bool) {
		raw, sent := r.Payload.fields[f.name]
		if !sent || raw[0] == 'n' {
			return nil, "", sent
		}
		texts, problem = f.bodyTexts(raw)
		return texts, problem, true
	})
}

// BindFilter lays the query parameters over the struct that dst points to, by
// its json tags. Pointers tell a parameter that was not sent from a zero. It
// returns a 400 that names each parameter whose value does not fit or is longer
// than [MaxFilterText], in the order of the struct.
func (r *Request) BindFilter(dst any) error {
	return bind(dst, func(f *bindField) (texts []string, problem string, sent bool) {
		values := r.Filter[f.name]
		if len(values) == 0 {
			return nil, "", false
		}
		texts, problem = f.filterTexts(values)
		return texts, problem, true
	})
}

// A sentField is a field that a request sends: as texts, none of which empty it,
// or with what is wrong already.
type sentField struct {
	*bindField
	texts   []string
	problem string
}

// bind sets the fields that were sent.
func bind(dst any, read func(*bindField) (texts []string, problem string, sent bool)) error {
	target := reflect.ValueOf(dst).Elem()
	plan := bindPlanOf(target.Type())
	var sent []sentField
	src := map[string][]string{}
	for i := range plan.fields {
		f := &plan.fields[i]
		texts, problem, ok := read(f)
		if !ok {
			continue
		}
		sent = append(sent, sentField{f, texts, problem})
		if problem == "" && len(texts) > 0 && !f.aside {
			src[f.key] = texts
		}
	}
	if len(sent) == 0 {
		return nil
	}
	values, failed := plan.decode(src)
	var problems Problems
	for _, s := range sent {
		value, problem := s.value(values, failed)
		if problem != "" {
			problems.Add(s.name, "%s", problem)
			continue
		}
		set(target.FieldByIndex(s.index), value)
	}
	return problems.Err()
}

// value is what the field gets: none at all where it is emptied.
func (s *sentField) value(values reflect.Value, failed schema.MultiError) (value reflect.Value, problem string) {
	switch {
	case s.problem != "" || len(s.texts) == 0:
		return value, s.problem
	case s.aside:
		value, err := s.convert(s.texts[0])
		if err != nil {
			return value, inWords(err, s.texts[0])
		}
		return value, ""
	case failed[s.key] != nil:
		return value, s.reported(failed[s.key], s.texts)
	}
	return values.Field(s.slot), ""
}

// set gives a field its value. A pointer gets a new target: other copies of the
// struct may share the old one.
func set(field, value reflect.Value) {
	switch {
	case !value.IsValid():
		field.SetZero()
	case field.Kind() == reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		field.Elem().Set(value)
	default:
		field.Set(value)
	}
}

// A bindPlan is how requests are laid over a struct type. It is made once and
// then only read, its decoder with it: converters cannot be added to one in use.
type bindPlan struct {
	fields  []bindField  // in the order of the struct
	decoded reflect.Type // what the decoder fills: a struct of the fields' types
	decoder *schema.Decoder
}

// A bindField is a field that requests may set.
type bindField struct {
	name  string // in requests
	index []int  // in the struct
	slot  int    // in what the decoder fills
	key   string // its name there
	kind  fieldKind

	convert conversion // of a value, or of an item of a list; nil where a text is taken as it is
	aside   bool       // the decoder has no way to address it
}

var bindPlans sync.Map // of reflect.Type to *bindPlan

func bindPlanOf(t reflect.Type) *bindPlan {
	if plan, ok := bindPlans.Load(t); ok {
		return plan.(*bindPlan)
	}
	plan, _ := bindPlans.LoadOrStore(t, newBindPlan(t))
	return plan.(*bindPlan)
}

func newBindPlan(t reflect.Type) *bindPlan {
	plan := &bindPlan{decoder: schema.NewDecoder()}
	plan.decoder.ZeroEmpty(true)
	var slots []reflect.StructField
	for _, sf := range structfields.Of(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous || !sf.IsExported() || name == "" || name == "-" || sf.Tag.Get("bind") == "-" {
			continue
		}
		held := sf.Type
		if held.Kind() == reflect.Pointer {
			held = held.Elem()
		}
		kind := kindOf(held)
		if kind == readOnlyField {
			continue
		}
		f := bindField{name: name, index: sf.Index, kind: kind, slot: len(slots), key: "F" + strconv.Itoa(len(slots))}
		converted := held
		if kind.isList() {
			converted = held.Elem()
		}
		if f.convert = kind.conversion(converted); f.convert != nil {
			f.aside = addressedByItem(converted)
			plan.decoder.RegisterConverter(reflect.Zero(converted).Interface(), f.convert.converter())
		}
		plan.fields = append(plan.fields, f)
		slots = append(slots, reflect.StructField{Name: f.key, Type: held})
	}
	plan.decoded = reflect.StructOf(slots)
	return plan
}

// decode converts texts by the keys of fields. It returns the struct that was
// filled, and what could not be converted.
func (p *bindPlan) decode(src map[string][]string) (values reflect.Value, failed schema.MultiError) {
	into := reflect.New(p.decoded)
	if len(src) > 0 {
		errors.As(p.decoder.Decode(into.Interface(), src), &failed)
	}
	return into.Elem(), failed
}

// reported is what a client is told of texts that the decoder could not convert.
func (f *bindField) reported(err error, texts []string) string {
	var failed schema.ConversionError
	if !errors.As(err, &failed) || f.convert == nil {
		return doesNotFit(strings.Join(texts, ","))
	}
	text := texts[max(failed.Index, 0)]
	if failed.Err == nil { // converters have no way to give one
		_, failed.Err = f.convert(text)
	}
	return inWords(failed.Err, text)
}

// inWords is what a client is told of a text that a conversion refused.
func inWords(err error, text string) string {
	if strings.HasPrefix(err.Error(), "must ") { // written for clients, as Flag's is
		return err.Error()
	}
	return doesNotFit(text)
}

func doesNotFit(text string) string {
	return "does not fit: " + quoted(text) + " is not a value of this field"
}
