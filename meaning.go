package shopapi

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/govalues/decimal"
)

// A bindField is a field that requests may set.
type bindField struct {
	name    string
	meaning meaning
	index   []int
}

// A meaning says which texts fit a field (§4).
type meaning uint8

const (
	meansNothing   meaning = iota // requests cannot set it
	meansText                     // any text
	meansNumber                   // a whole number
	meansAmount                   // a number with decimals
	meansFlag                     // yes or no
	meansScalar                   // what a type of its own reads from one text
	meansNumbers                  // a list of whole numbers
	meansTexts                    // a list of texts
	meansStructure                // what a type of its own reads from JSON
)

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	decimalType     = reflect.TypeFor[decimal.Decimal]()
)

func meaningOf(t reflect.Type) meaning {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	isText, isJSON := p.Implements(textUnmarshaler), p.Implements(jsonUnmarshaler)
	switch kind := t.Kind(); {
	case isJSON && !(isText && kind == reflect.Struct): // amounts and times are one text each
		return meansStructure
	case t == decimalType:
		return meansAmount
	case isText:
		return meansScalar
	case kind == reflect.String:
		return meansText
	case kind == reflect.Bool:
		return meansFlag
	case kind >= reflect.Int && kind <= reflect.Int64:
		return meansNumber
	case kind >= reflect.Uint && kind <= reflect.Float64 && kind != reflect.Uintptr:
		return meansAmount
	case kind == reflect.Slice && t.Elem().Kind() == reflect.String:
		return meansTexts
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Int64:
		return meansNumbers
	}
	return meansNothing
}

// texts returns what a value of a body says as texts, or what is wrong with it.
func (f *bindField) texts(raw json.RawMessage) (texts []string, problem string) {
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

// listTexts reads an array, a form's array whose numbers have gaps, or a single
// text with commas.
func (f *bindField) listTexts(raw json.RawMessage) (texts []string, problem string) {
	var items []json.RawMessage
	switch raw[0] {
	case '[':
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, "must be a list of single values"
		}
	case '{':
		var numbered map[uint64]json.RawMessage
		if err := json.Unmarshal(raw, &numbered); err != nil {
			return nil, "must be a list, not an object"
		}
		for _, key := range slices.Sorted(maps.Keys(numbered)) {
			items = append(items, numbered[key])
		}
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
func (f *bindField) filterTexts(values []string) (texts []string, problem string) {
	switch f.meaning {
	case meansNumbers, meansTexts:
	case meansStructure:
		return []string{string(jsonString(last(values)))}, ""
	default:
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

// check says what is wrong with one text, as far as that can be told before the
// field reads it.
func (f *bindField) check(text string, isString bool) string {
	switch f.meaning {
	case meansNumber, meansNumbers:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil || text[0] == '+' {
			return "must be a whole number, not " + quoted(text)
		}
	case meansAmount:
		if _, err := decimal.Parse(text); err != nil {
			return "must be a number such as 12.50, not " + quoted(text)
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

// readsItself reports whether a field's type takes the text as it came, which
// [bindField.set] hands to it. The decoder sets the others.
func (m meaning) readsItself() bool {
	return m == meansScalar || m == meansFlag || m == meansStructure
}

// set has the field's type read the text into a new value.
func (f *bindField) set(field reflect.Value, text string) (problem string) {
	t := field.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.New(t)
	var err error
	switch f.meaning {
	case meansFlag:
		var flag Flag
		err = flag.UnmarshalText([]byte(text))
		p.Elem().SetBool(bool(flag))
	case meansScalar:
		err = p.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	case meansStructure:
		err = p.Interface().(json.Unmarshaler).UnmarshalJSON([]byte(text))
	}
	switch {
	case err == nil && field.Kind() == reflect.Pointer:
		field.Set(p)
	case err == nil:
		field.Set(p.Elem())
	case strings.HasPrefix(err.Error(), "must "): // written for clients, as Flag's is
		return err.Error()
	default:
		return doesNotFit(text)
	}
	return ""
}

func doesNotFit(text string) string {
	return "does not fit: " + quoted(text) + " is not a value of this field"
}
