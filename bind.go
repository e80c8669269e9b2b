package shopapi

import (
	"encoding"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/gorilla/schema"
)

// A binder lays payloads and filters over structs. It reads each struct type
// once.
type binder struct {
	decoder *schema.Decoder
	plans   sync.Map // of reflect.Type to map[string]bindField
}

func newBinder() *binder {
	d := schema.NewDecoder()
	d.SetAliasTag("json")
	d.ZeroEmpty(true)
	d.IgnoreUnknownKeys(true)
	return &binder{decoder: d}
}

// A bindField is a field that requests may set.
type bindField struct {
	meaning meaning
	index   []int
}

// A meaning says which texts fit a field (§4).
type meaning uint8

const (
	meansText      meaning = iota
	meansNumber            // a whole number
	meansScalar            // a type that reads one text by itself: a flag, an amount
	meansNumbers           // a list of whole numbers
	meansTexts             // a list of texts
	meansStructure         // a type that reads JSON by itself
)

// Bind lays the payload over the struct that dst points to, by its json tags:
// fields that the payload lacks keep their values, null empties one, read-only
// fields (tag bind:"-") and unknown ones are ignored. It returns a 400 that names
// each field whose value does not fit it (§4).
func (r *Request) Bind(dst any) error {
	b := r.api.binder
	var problems Problems
	plan := b.plan(dst)
	src := make(map[string][]string, len(r.Payload.fields))
	var empty []bindField
	for name, raw := range r.Payload.fields {
		f, known := plan[name]
		if !known {
			continue
		}
		if raw[0] == 'n' {
			empty = append(empty, f)
			continue
		}
		texts, problem := f.texts(raw)
		if problem != "" {
			problems.Add(name, "%s", problem)
			continue
		}
		if len(texts) == 0 {
			empty = append(empty, f)
			continue
		}
		src[name] = texts
	}
	b.decode(dst, src, &problems)
	v := reflect.ValueOf(dst).Elem()
	for _, f := range empty {
		v.FieldByIndex(f.index).SetZero()
	}
	return problems.Err()
}

// BindFilter lays the query parameters over the struct that dst points to, by
// its json tags. Pointers tell a parameter that was not sent from a zero. It
// returns a 400 that names each parameter whose value does not fit.
func (r *Request) BindFilter(dst any) error {
	b := r.api.binder
	var problems Problems
	src := make(map[string][]string, len(r.Filter))
	for name, f := range b.plan(dst) {
		values := r.Filter[name]
		if len(values) == 0 {
			continue
		}
		texts, problem := f.filterTexts(values)
		if problem != "" {
			problems.Add(name, "%s", problem)
			continue
		}
		src[name] = texts
	}
	b.decode(dst, src, &problems)
	return problems.Err()
}

// decode has the library set the fields, and puts its complaints into words.
func (b *binder) decode(dst any, src url.Values, problems *Problems) {
	err := b.decoder.Decode(dst, src)
	var several schema.MultiError
	if !errors.As(err, &several) {
		return
	}
	for name, err := range several {
		var conversion schema.ConversionError
		if errors.As(err, &conversion) && conversion.Err != nil && strings.HasPrefix(conversion.Err.Error(), "must ") {
			problems.Add(name, "%s", conversion.Err)
			continue
		}
		problems.Add(name, "does not fit: %s is not a value of this field", quoted(strings.Join(src[name], ",")))
	}
}

// plan returns the bindable fields of dst's type by name.
func (b *binder) plan(dst any) map[string]bindField {
	t := reflect.TypeOf(dst).Elem()
	if plan, ok := b.plans.Load(t); ok {
		return plan.(map[string]bindField)
	}
	plan := map[string]bindField{}
	addBindFields(plan, t, nil)
	b.plans.Store(t, plan)
	return plan
}

func addBindFields(plan map[string]bindField, t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(append([]int(nil), index...), i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct {
			addBindFields(plan, sf.Type, at)
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if !sf.IsExported() || name == "" || name == "-" || sf.Tag.Get("bind") == "-" {
			continue
		}
		plan[name] = bindField{meaning: meaningOf(sf.Type), index: at}
	}
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

func meaningOf(t reflect.Type) meaning {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(textUnmarshaler) && p.Implements(jsonUnmarshaler) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.String):
		return meansStructure
	case p.Implements(textUnmarshaler):
		return meansScalar
	case t.Kind() == reflect.Int64 || t.Kind() == reflect.Int:
		return meansNumber
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Int64:
		return meansNumbers
	case t.Kind() == reflect.Slice:
		return meansTexts
	}
	return meansText
}

// texts returns what the decoder is given for a field of a body, or what is
// wrong with it.
func (f bindField) texts(raw json.RawMessage) (texts []string, problem string) {
	switch f.meaning {
	case meansStructure:
		return []string{string(raw)}, ""
	case meansNumbers, meansTexts:
		return f.listTexts(raw)
	}
	text, isString, ok := scalarText(raw)
	if !ok {
		return nil, "must be a single value, not an array or an object"
	}
	return []string{text}, f.check(text, isString)
}

// check says what is wrong with one text.
func (f bindField) check(text string, isString bool) string {
	switch f.meaning {
	case meansNumber, meansNumbers:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil || text[0] == '+' {
			return "must be a whole number, not " + quoted(text)
		}
	case meansText, meansTexts:
		if !isString && (text == "true" || text == "false") {
			return "must be text, not a boolean"
		}
	case meansScalar:
		if text == "" {
			return "must not be empty"
		}
	}
	return ""
}

// listTexts reads an array, an object's values (as a[3]=x gives), or a single
// text with commas.
func (f bindField) listTexts(raw json.RawMessage) (texts []string, problem string) {
	var items []json.RawMessage
	switch raw[0] {
	case '[':
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, "must be a list of single values"
		}
	case '{':
		return nil, "must be a list, not an object"
	default:
		text, _, _ := scalarText(raw)
		return f.filterTexts([]string{text})
	}
	for _, item := range items {
		text, isString, ok := scalarText(item)
		if !ok {
			return nil, "must be a list of single values"
		}
		if problem := f.check(text, isString); problem != "" {
			return nil, problem
		}
		texts = append(texts, text)
	}
	return texts, ""
}

// filterTexts is texts for query parameters: all values of a list, which may
// hold commas, the last one of any other field.
func (f bindField) filterTexts(values []string) (texts []string, problem string) {
	if f.meaning != meansNumbers && f.meaning != meansTexts {
		text := last(values)
		return []string{text}, f.check(text, true)
	}
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if problem := f.check(text, true); problem != "" {
				return nil, problem
			}
			texts = append(texts, text)
		}
	}
	return texts, ""
}
