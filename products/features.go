package products

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/store"
)

// Features are the values that one product has of features, by their ids.
type Features []FeatureValue

// A FeatureValue is what a product has of one feature: a value, or variants.
type FeatureValue struct {
	FeatureID  int64
	Value      string  // Y or N, a text or a number
	VariantIDs []int64 // of a feature that has variants; ascending when read

	// Document replaces both where the host left out the entity features, and in
	// products written at that time, until they are written again.
	Document shopapi.JSON

	// Shown is shown in responses. Reads set it; changes ignore it.
	Shown any
}

// Equal reports whether two values are the same, however they are shown.
func (v *FeatureValue) Equal(o *FeatureValue) bool {
	return v.FeatureID == o.FeatureID && v.Value == o.Value && slices.Equal(v.VariantIDs, o.VariantIDs) && bytes.Equal(v.Document, o.Document)
}

// Of returns the value of a feature, nil when there is none.
func (fs Features) Of(feature int64) *FeatureValue {
	for i := range fs {
		if fs[i].FeatureID == feature {
			return &fs[i]
		}
	}
	return nil
}

// Set sets or replaces the value of a feature.
func (fs *Features) Set(v FeatureValue) {
	if had := fs.Of(v.FeatureID); had != nil {
		*had = v
		return
	}
	*fs = append(*fs, v)
}

// Clear removes the value of a feature.
func (fs *Features) Clear(feature int64) {
	*fs = slices.DeleteFunc(*fs, func(v FeatureValue) bool { return v.FeatureID == feature })
}

// adopt takes over from before how the values are shown that are as they were.
func (fs Features) adopt(before Features) {
	for i := range fs {
		fs[i].Shown = nil
		if had := before.Of(fs[i].FeatureID); had != nil && had.Equal(&fs[i]) {
			fs[i].Shown = had.Shown
		}
	}
}

// MarshalJSON writes the values as an object by the ids of the features, or an empty
// array.
func (fs Features) MarshalJSON() ([]byte, error) { return fs.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (fs Features) AppendJSON(dst []byte) ([]byte, error) {
	if len(fs) == 0 {
		return append(dst, emptyDocument...), nil
	}
	if len(fs) == 1 && fs[0].FeatureID == 0 && fs[0].Document != nil {
		return fs[0].Document.AppendJSON(dst)
	}
	before := byte('{')
	for i := range fs {
		if fs[i].FeatureID == 0 && fs[i].Document != nil {
			continue
		}
		dst = append(dst, before, '"')
		dst = append(strconv.AppendInt(dst, fs[i].FeatureID, 10), `":`...)
		var err error
		if dst, err = jsonenc.Append(dst, fs[i].shown()); err != nil {
			return dst, err
		}
		before = ','
	}
	if before == '{' {
		dst = append(dst, before)
	}
	return append(dst, '}'), nil
}

func (v *FeatureValue) shown() any {
	switch {
	case v.Document != nil:
		return v.Document
	case v.Shown != nil:
		return v.Shown
	}
	return v.document()
}

// document is a value as it is written without the entity features.
func (v *FeatureValue) document() shopapi.Map {
	m := shopapi.Map{{Name: "feature_id", Value: shopapi.FormatID(v.FeatureID)}}
	ids := make([]string, len(v.VariantIDs))
	for i, id := range v.VariantIDs {
		ids[i] = shopapi.FormatID(id)
	}
	switch len(ids) {
	case 0:
		return append(m, shopapi.Member{Name: "value", Value: v.Value})
	case 1:
		return append(m, shopapi.Member{Name: "variant_id", Value: ids[0]})
	}
	return append(m, shopapi.Member{Name: "variants", Value: ids})
}

// documentsOf returns the features in a stored document. If another program stored
// something else than an object of features, the document becomes the value of the
// feature 0, which is shown if there are no other features.
func documentsOf(doc shopapi.JSON) Features {
	if len(doc) == 0 || string(doc) == emptyDocument {
		return nil
	}
	list, err := entries.Parse(json.RawMessage(doc))
	fs := make(Features, 0, len(list))
	for i := range list {
		fs = append(fs, FeatureValue{FeatureID: list[i].ID(), Document: shopapi.JSON(list[i].Value)})
	}
	if err != nil || !bytes.Equal(fs.documents(), doc) {
		return Features{{Document: doc}}
	}
	return fs
}

// documents are the values that are documents, as they are stored.
func (fs Features) documents() shopapi.JSON {
	var object shopapi.Map
	for _, v := range fs {
		if v.FeatureID == 0 {
			return v.Document
		}
		if v.Document != nil {
			object = append(object, shopapi.Member{Name: shopapi.FormatID(v.FeatureID), Value: v.Document})
		}
	}
	if len(object) == 0 {
		return shopapi.JSON(emptyDocument)
	}
	return encoded(object)
}

// bindDocuments replaces the features of a product with product_features of a payload, for
// products without the part of features.
func bindDocuments(payload *shopapi.Payload, s *Summary) error {
	if !payload.Has("product_features") {
		return nil
	}
	var doc shopapi.JSON
	if err := doc.UnmarshalJSON(payload.Raw("product_features")); err != nil {
		return shopapi.Invalid("product_features", "must be JSON")
	}
	normal, problem := normalizeFeatures(doc)
	if problem != "" {
		return shopapi.Invalid("product_features", "%s", problem)
	}
	s.Features = documentsOf(normal)
	return nil
}

// storeDocuments sets FeatureDocument to the features that are documents: all of them
// without the part of features.
func (p *Products) storeDocuments(s *Summary) {
	slices.SortStableFunc(s.Features, func(a, b FeatureValue) int { return cmp.Compare(a.FeatureID, b.FeatureID) })
	stored := p.uses(featuresPart)
	for i := range s.Features {
		if v := &s.Features[i]; v.Document == nil && !stored {
			*v = FeatureValue{FeatureID: v.FeatureID, Document: encoded(v.document())}
		}
	}
	s.FeatureDocument = s.Features.documents()
}

// encoded is a map of texts as JSON, which cannot fail.
func encoded(m shopapi.Map) shopapi.JSON {
	doc, _ := m.AppendJSON(nil)
	return doc
}

// checkFeatures checks the ids and documents of features. The part of features checks the
// values.
func checkFeatures(before, after *Summary, problems *shopapi.Problems) {
	seen := make(map[int64]bool, len(after.Features))
	for i := range after.Features {
		v := &after.Features[i]
		switch {
		case v.FeatureID == 0 && bytes.Equal(v.Document, before.FeatureDocument):
		case v.FeatureID < 1:
			problems.Add("product_features", "must have ids of features: whole numbers from 1, not %d", v.FeatureID)
		case seen[v.FeatureID]:
			problems.Add("product_features", "must name the feature %d once only", v.FeatureID)
		case v.Document != nil && !json.Valid(v.Document):
			problems.Add("product_features", "must be JSON")
		}
		seen[v.FeatureID] = true
	}
	problems.Bytes("product_features", string(after.FeatureDocument), maxDocument)
}

// maxDocument is how many bytes the features that are documents may have.
const maxDocument = 256 << 10

// Within returns the ids of categories and of their ancestors.
func (p *Products) Within(tx store.Tx, ids []int64) ([]int64, error) {
	if p.tree == nil || len(ids) == 0 {
		return ids, nil
	}
	known, err := categories.ByID(tx, ids...)
	all := map[int64]bool{}
	for _, c := range known {
		for _, id := range shopapi.IDList(strings.ReplaceAll(c.IDPath, "/", ",")).IDs() {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), err
}

// NormalFeature returns the value of one feature from a request as a feature document. ok
// is false if the value is invalid.
func NormalFeature(feature int64, sent shopapi.JSON) (doc shopapi.JSON, ok bool) {
	normal, problem := normalizeFeatures(encoded(shopapi.Map{{Name: shopapi.FormatID(feature), Value: sent}}))
	fs := documentsOf(normal)
	if problem != "" || len(fs) != 1 || fs[0].FeatureID != feature {
		return nil, false
	}
	return fs[0].Document, true
}
