package bind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/internal/wire"
)

// Limits of the values of a field.
const (
	MaxFilterText = 1 << 10 // bytes of a text in a filter
	MaxListItems  = 1000    // items of a list of numbers or texts, in a body too
)

// bodyTexts returns the texts of a value in a body, or its problem as far as texts
// cannot show it.
func (f *field) bodyTexts(raw json.RawMessage) (texts []string, problem string) {
	switch {
	case f.Kind == Document:
		return []string{string(raw)}, ""
	case f.Kind.isList():
		return f.listTexts(raw)
	}
	text, problem := f.scalarText(raw, "must be a single value, not an array or an object")
	return []string{text}, problem
}

// scalarText returns the text of a single value, and otherwise as the problem of a
// value that is not single.
func (f *field) scalarText(raw json.RawMessage, otherwise string) (text, problem string) {
	text, isString, ok := jsontext.Scalar(raw)
	switch {
	case !ok:
		return "", otherwise
	case (f.Kind == Text || f.Kind == Texts) && !isString && (text == "true" || text == "false"):
		return "", "must be text, not a boolean"
	}
	return text, ""
}

// listTexts reads an array, an object with numbers as names (an array of a form with
// gaps between its numbers) in its order, or a single text with commas.
func (f *field) listTexts(raw json.RawMessage) (texts []string, problem string) {
	var items []json.RawMessage
	switch raw[0] {
	case '[':
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, "must be a list of single values"
		}
	case '{':
		var ok bool
		if items, ok = wire.Numbered(raw); !ok {
			return nil, "must be a list, not an object"
		}
	default:
		text, _, _ := jsontext.Scalar(raw)
		return f.queryTexts([]string{text})
	}
	if len(items) > MaxListItems {
		return nil, tooManyItems()
	}
	for _, item := range items {
		text, problem := f.scalarText(item, "must be a list of single values")
		if problem != "" {
			return nil, cmp.Or(f.firstProblem(texts), problem)
		}
		texts = append(texts, text)
	}
	return texts, ""
}

// firstProblem returns the problem of the first item that does not fit the list.
func (f *field) firstProblem(texts []string) string {
	scratch := reflect.New(f.value.Elem()).Elem()
	for _, text := range texts {
		if problem := f.readInto(scratch, text); problem != "" {
			return problem
		}
	}
	return ""
}

// queryTexts is bodyTexts for query parameters: a list has all values, each of which
// may hold commas; codes are one text with commas; any other field has the last value.
func (f *field) queryTexts(values []string) (texts []string, problem string) {
	last := values[len(values)-1]
	switch {
	case f.Kind == Document:
		return []string{string(jsonenc.AppendString(nil, last))}, ""
	case f.Codes:
		return []string{strings.Join(values, ",")}, ""
	case !f.Kind.isList():
		return []string{last}, ""
	}
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if len(texts) == MaxListItems {
				return nil, tooManyItems()
			}
			texts = append(texts, text)
		}
	}
	return texts, ""
}

// filterTexts is queryTexts for filters, whose texts have a limit.
func (f *field) filterTexts(values []string) (texts []string, problem string) {
	texts, problem = f.queryTexts(values)
	for _, text := range texts {
		if n := len(text); n > MaxFilterText && problem == "" {
			return nil, fmt.Sprintf("must have at most %d bytes, not %d", MaxFilterText, n)
		}
	}
	return texts, problem
}

func tooManyItems() string { return fmt.Sprintf("must have at most %d items", MaxListItems) }
