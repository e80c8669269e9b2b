package products

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
)

// Features are documents where their entity is not the library's, in the shape that the
// interface documents: numbers in them are JSON strings, and collections objects, or the
// empty array when there is nothing.

const emptyDocument = "[]"

// normalizeFeatures returns the features of a product keyed by feature id. The short
// form, a variant id alone, becomes an object that contains it. A problem describes an
// invalid document.
func normalizeFeatures(doc shopapi.JSON) (normal shopapi.JSON, problem string) {
	const want = "must be an object of feature ids to objects, or to variant ids"
	members, problem := membersOf(doc, want)
	for id, value := range members {
		if n, err := strconv.ParseInt(id, 10, 64); err != nil || n <= 0 || strconv.FormatInt(n, 10) != id {
			return doc, want + ": the keys are whole numbers from 1"
		}
		switch value := value.(type) {
		case map[string]any:
			if own, named := value["feature_id"]; named && own != id {
				return doc, "must name the same feature_id in an object as in its key"
			}
			value["feature_id"] = id
		case string:
			if _, err := strconv.ParseUint(value, 10, 63); err != nil {
				return doc, want
			}
			members[id] = map[string]any{"feature_id": id, "variant_id": value}
		default:
			return doc, want
		}
	}
	return encodeDocument(doc, members, problem)
}

// membersOf reads an object. None, the empty array and null have no members.
func membersOf(doc shopapi.JSON, want string) (members map[string]any, problem string) {
	if len(doc) == 0 || string(doc) == emptyDocument {
		return nil, ""
	}
	switch value := decodeDocument(doc).(type) {
	case map[string]any:
		return value, ""
	case []any:
		if len(value) == 0 {
			return nil, ""
		}
	}
	return nil, want
}

// decodeDocument reads JSON with its numbers as texts, nil when it is none. Whole numbers
// have one form.
func decodeDocument(doc shopapi.JSON) any {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || d.More() {
		return nil
	}
	return numbersAsTexts(value)
}

func numbersAsTexts(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, ok := wire.ParseWhole(value.String()); ok {
			return strconv.FormatInt(n, 10)
		}
		return value.String()
	case map[string]any:
		for name, member := range value {
			value[name] = numbersAsTexts(member)
		}
	case []any:
		for i, item := range value {
			value[i] = numbersAsTexts(item)
		}
	}
	return value
}

// encodeDocument writes members, numeric names in numeric order. If there is a problem,
// it returns doc unchanged.
func encodeDocument(doc shopapi.JSON, members map[string]any, problem string) (shopapi.JSON, string) {
	switch {
	case problem != "":
		return doc, problem
	case len(members) == 0:
		return shopapi.JSON(emptyDocument), ""
	}
	names := slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		n, _ := strconv.Atoi(a)
		m, _ := strconv.Atoi(b)
		return cmp.Or(cmp.Compare(n, m), cmp.Compare(a, b))
	})
	object := make(shopapi.Map, len(names))
	for i, name := range names {
		object[i] = shopapi.Member{Name: name, Value: members[name]}
	}
	encoded, err := object.MarshalJSON()
	if err != nil {
		return doc, "must be JSON"
	}
	return encoded, ""
}
