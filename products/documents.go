package products

import (
	"bytes"
	"encoding/json"
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
	if len(doc) == 0 {
		return shopapi.JSON(emptyDocument), ""
	}
	sent := decodeDocument(doc)
	members, ok := sent.(map[string]any)
	if list, isList := sent.([]any); !ok && (!isList || len(list) > 0) {
		return doc, want
	}
	ids := make([]int64, 0, len(members))
	for key, value := range members {
		id, ok := wire.ParseInt(key)
		if !ok || id <= 0 {
			return doc, want + ": the keys are whole numbers from 1"
		}
		ids = append(ids, id)
		switch value := value.(type) {
		case map[string]any:
			if own, named := value["feature_id"]; named && own != key {
				return doc, "must name the same feature_id in an object as in its key"
			}
			value["feature_id"] = key
		case string:
			if _, err := strconv.ParseUint(value, 10, 63); err != nil {
				return doc, want
			}
			members[key] = map[string]any{"feature_id": key, "variant_id": value}
		default:
			return doc, want
		}
	}
	if len(ids) == 0 {
		return shopapi.JSON(emptyDocument), ""
	}
	slices.Sort(ids)
	object := make(shopapi.Map, len(ids))
	for i, id := range ids {
		key := strconv.FormatInt(id, 10)
		object[i] = shopapi.Member{Name: key, Value: members[key]}
	}
	encoded, err := object.MarshalJSON()
	if err != nil {
		return doc, "must be JSON"
	}
	return encoded, ""
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
