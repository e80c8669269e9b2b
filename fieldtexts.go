package shopapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of what a parameter may hold. Beyond them it is a 400 that names it.
const (
	MaxFilterText = 1 << 10 // bytes of a text that a filter looks for
	MaxListItems  = 1000    // items of a list of numbers or texts, in a body too
)

// bodyTexts returns what a value of a body says as texts, or what is wrong with
// it as far as texts no longer tell.
func (f *bindField) bodyTexts(raw json.RawMessage) (texts []string, problem string) {
	switch {
	case f.kind == documentField:
		return []string{string(raw)}, ""
	case f.kind.isList():
		return f.listTexts(raw)
	}
	text, problem := f.scalarText(raw, "must be a single value, not an array or an object")
	return []string{text}, problem
}

// scalarText returns the text of a single value.
func (f *bindField) scalarText(raw json.RawMessage, otherwise string) (text, problem string) {
	text, isString, ok := scalarText(raw)
	switch {
	case !ok:
		return "", otherwise
	case (f.kind == textField || f.kind == textsField) && !isString && (text == "true" || text == "false"):
		return "", "must be text, not a boolean"
	}
	return text, ""
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
	if f.kind == numbersField && slices.ContainsFunc(texts, misread) {
		return nil, f.firstProblem(texts)
	}
	return texts, ""
}

// misread reports whether the decoder would take a text for other numbers than it
// says: an empty one for 0, one with a comma for two.
func misread(text string) bool { return text == "" || strings.Contains(text, ",") }

// firstProblem is what is wrong with the first item that is no value of the list.
func (f *bindField) firstProblem(texts []string) string {
	if f.convert == nil {
		return ""
	}
	for _, text := range texts {
		if _, err := f.convert(text); err != nil {
			return inWords(err, text)
		}
	}
	return ""
}

// queryTexts is bodyTexts for query parameters: all values of a list, which may
// hold commas, the last one of any other field.
func (f *bindField) queryTexts(values []string) (texts []string, problem string) {
	switch {
	case f.kind == documentField:
		return []string{string(jsonString(last(values)))}, ""
	case !f.kind.isList():
		return []string{last(values)}, ""
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
func (f *bindField) filterTexts(values []string) (texts []string, problem string) {
	texts, problem = f.queryTexts(values)
	for _, text := range texts {
		if n := len(text); n > MaxFilterText && problem == "" {
			return nil, fmt.Sprintf("must have at most %d bytes, not %d", MaxFilterText, n)
		}
	}
	return texts, problem
}

func tooManyItems() string { return fmt.Sprintf("must have at most %d items", MaxListItems) }
