package features

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

const wantValues = `must be an object of ids of features to values, such as {"31": {"variant_id": "70"}, "32": {"value": "Clay"}}`

// bindValues sets the values of a product that a field of a payload has, in all the forms in
// which clients write them (decisions §17).
func (f *Features) bindValues(ctx context.Context, field string, raw json.RawMessage, s *products.Summary) error {
	list, err := entries.Parse(raw)
	ids := make([]int64, len(list))
	for i := range list {
		if ids[i] = list[i].ID(); ids[i] == 0 {
			err = entries.ErrNoList
		}
	}
	switch {
	case err != nil:
		return shopapi.Invalid(field, "%s", wantValues)
	case len(list) > shopapi.MaxListItems:
		return shopapi.Invalid(field, "must have at most %d features", shopapi.MaxListItems)
	}
	known, err := f.typesOf(ctx, s.Features, ids...)
	if err != nil {
		return err
	}
	bound := slices.Clone(s.Features)
	for i := range list {
		if problem := bindValue(&bound, ids[i], known[ids[i]], list[i].Value); problem != "" {
			return shopapi.Invalid(field, "[%d]: %s", ids[i], problem)
		}
	}
	slices.SortFunc(bound, func(a, b products.FeatureValue) int { return cmp.Compare(a.FeatureID, b.FeatureID) })
	s.Features = bound
	return nil
}

// typesOf reads the types of features that the user of ctx may use, by their ids, and of features
// that a product has values of: after a move to another company it may not set them, but clients
// send them back unchanged.
func (f *Features) typesOf(ctx context.Context, had products.Features, ids ...int64) (types map[int64]string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = f.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		known, err := store.ByKey(tx, summaries, ids...)
		types = make(map[int64]string, len(known))
		for id, s := range known {
			if f.usable(ctx, s.CompanyID) || had.Of(id) != nil {
				types[id] = s.Type
			}
		}
		return err
	})
	return types, err
}

// bindValue applies the value of one feature in a request to the values of a product.
// kind is the type of the feature, "" if the feature does not exist.
func bindValue(values *products.Features, id int64, kind string, raw json.RawMessage) (problem string) {
	had := values.Of(id)
	if had != nil && had.Document != nil {
		if doc, ok := products.NormalFeature(id, shopapi.JSON(raw)); ok && bytes.Equal(doc, had.Document) {
			return "" // the document is sent as it is stored
		}
	}
	s, problem := readSent(id, raw)
	switch {
	case problem != "":
		return problem
	case s.isEmpty():
		values.Clear(id)
		return ""
	case kind == "":
		return "must be the id of a feature that exists"
	case kind == Group:
		return "is a group of features, and has no value"
	}
	stored := ""
	if had != nil {
		stored = had.Value
	}
	v := products.FeatureValue{FeatureID: id}
	switch problem = s.checkIDs(); {
	case problem != "":
	case HasVariants(kind):
		v.VariantIDs, problem = s.variantsFor(kind)
	default:
		v.Value, problem = s.valueFor(kind, stored)
	}
	switch {
	case problem != "":
		return problem
	case v.Value == "" && len(v.VariantIDs) == 0:
		if s.names(kind) {
			values.Clear(id)
		}
	case had == nil || !had.Equal(&v):
		values.Set(v)
	}
	return ""
}

// A sent is the value of one feature in a payload.
type sent struct {
	scalar    *string // in place of all others
	value     *string
	valueInt  *string
	variantID *string
	variants  []string
	selected  []string // ids of the variants marked selected
	hasList   bool     // variants were sent
}

// readSent reads the value of a feature in a request. An object with numbers as names is
// an array of a form with gaps between its numbers.
func readSent(id int64, raw json.RawMessage) (s sent, problem string) {
	if items, ok := wire.Numbered(raw); ok && len(items) > 0 {
		if list, err := json.Marshal(items); err == nil {
			raw = list
		}
	}
	switch raw[0] {
	case '{':
		return readObject(id, raw)
	case '[':
		s.hasList = true
		s.variants, s.selected, problem = readVariants(raw)
		return s, problem
	}
	s.scalar, problem = readScalar(raw)
	return s, problem
}

// readScalar reads a text or a number as a text. Null is the empty one.
func readScalar(raw json.RawMessage) (*string, string) {
	text, kind := wire.Scalar(raw)
	switch kind {
	case wire.Composite:
		return nil, "must hold texts and numbers"
	case wire.Bool:
		text = shopapi.Flag(text == "true").String()
	}
	return &text, ""
}

func readObject(id int64, raw json.RawMessage) (s sent, problem string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return s, "must be JSON"
	}
	var named *string
	for _, m := range []struct {
		name string
		into **string
	}{{"feature_id", &named}, {"value", &s.value}, {"value_int", &s.valueInt}, {"variant_id", &s.variantID}} {
		if member, ok := members[m.name]; ok {
			if *m.into, problem = readScalar(member); problem != "" {
				return s, m.name + " " + problem
			}
		}
	}
	if other, _ := wire.ParseWhole(text(named)); text(named) != "" && other != id {
		return s, "must name the same feature_id in the object as in its key"
	}
	if list, ok := members["variants"]; ok {
		s.hasList = true
		s.variants, s.selected, problem = readVariants(list)
	}
	return s, problem
}

// text is the text that was sent, "" for none.
func text(sent *string) string {
	if sent == nil {
		return ""
	}
	return *sent
}

// readVariants reads variant ids: a list of ids, or of objects with variant_id, or an
// object of either by id. If objects have the member selected, as products show them
// under features, only the selected ones count.
func readVariants(raw json.RawMessage) (ids, selected []string, problem string) {
	list, err := entries.Parse(raw)
	if err != nil || len(list) > maxVariants {
		return nil, nil, fmt.Sprintf("variants must be a list of at most %d ids, or an object by them", maxVariants)
	}
	tells := false
	for i := range list {
		id := &list[i].Key
		var member struct {
			ID       json.RawMessage `json:"variant_id"`
			Selected json.RawMessage `json:"selected"`
		}
		if list[i].Value[0] == '{' {
			if json.Unmarshal(list[i].Value, &member) != nil {
				return nil, nil, "variants must be JSON"
			}
			if member.ID != nil {
				id, problem = readScalar(member.ID)
			}
			if chosen := ""; member.Selected != nil {
				tells = true
				if json.Unmarshal(member.Selected, &chosen); chosen != "" && id != nil {
					selected = append(selected, *id)
				}
			}
		} else if list[i].Index {
			id, problem = readScalar(list[i].Value)
		}
		if problem != "" {
			return nil, nil, "variants " + problem
		}
		ids = append(ids, *id)
	}
	if tells {
		return selected, selected, ""
	}
	return ids, nil, ""
}

// isEmpty reports whether the value is null or an empty text.
func (s *sent) isEmpty() bool { return s.scalar != nil && *s.scalar == "" }

// names reports whether the payload has a value for a type of feature.
func (s *sent) names(kind string) bool {
	if HasVariants(kind) {
		return s.scalar != nil || s.value != nil || s.variantID != nil || s.hasList
	}
	return s.scalar != nil || s.value != nil || s.valueInt != nil
}

// checkIDs refuses ids of variants that are not numbers, even if another member counts.
func (s *sent) checkIDs() (problem string) {
	for _, id := range append(slices.Clone(s.variants), text(s.variantID)) {
		if _, ok := wire.ParseWhole(id); !ok && id != "" {
			return noVariants(id)
		}
	}
	return ""
}

func noVariants(id string) string { return "must have ids of variants, not " + plain.Quoted(id) }

// valueFor returns the value in a request for a feature of a type without variants, or
// "". Numbers and dates may come in value or in value_int; if the two differ, the member
// that differs from the stored value counts.
func (s *sent) valueFor(kind, stored string) (value, problem string) {
	for _, text := range []*string{s.scalar, s.value} {
		if text != nil {
			value = *text
		}
	}
	if (kind == Number || kind == Date) && s.valueInt != nil && *s.valueInt != "" && (value == "" || value == stored) {
		value = *s.valueInt
	}
	if value == "" && s.value == nil && (s.variantID != nil && *s.variantID != "" || len(s.variants) > 0) {
		return "", "must have a value, and no variants: it is of the type " + kind
	}
	return value, ""
}

// variantsFor are the variants that are sent for a feature of a type with variants.
func (s *sent) variantsFor(kind string) (ids []int64, problem string) {
	var texts []string
	one := s.variantID != nil && *s.variantID != ""
	switch {
	case s.scalar != nil:
		texts = []string{*s.scalar}
	case s.hasList && (kind == MultiSelect || s.variantID == nil):
		texts = s.variants
	case one:
		texts = []string{*s.variantID}
	case s.value != nil && *s.value != "":
		return nil, "must have the id of a variant in variant_id, and no value: it is of the type " + kind
	}
	for _, text := range texts {
		id, ok := wire.ParseWhole(text)
		if !ok || id < 0 {
			return nil, noVariants(text)
		}
		if id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, ""
}
