package features

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// ProductFields implements [products.Fielder].
func (part) ProductFields() []string {
	return []string{"product_features", "variation_features"}
}

// LoadProducts implements [products.Loader], in two reads. A value replaces the document of
// its feature.
func (f part) LoadProducts(ctx context.Context, tx store.Tx, r products.Reading, list ...*products.Summary) error {
	if r.Purpose != products.Values {
		return nil
	}
	of := make(map[int64]*products.Summary, len(list))
	ids := make([]int64, len(list))
	for i, s := range list {
		of[s.ProductID], ids[i] = s, s.ProductID
	}
	rows, d, err := f.readShown(ctx, tx, store.InInts("product_id", ids...))
	if err != nil || len(rows) == 0 {
		return err
	}
	if len(list) > 1 {
		d.values = make(map[valueKey]any)
	}
	variantIDs := make([]int64, 0, len(rows))
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].ProductID == rows[0].ProductID {
			n++
		}
		variantIDs = d.fill(of[rows[0].ProductID], rows[:n], variantIDs)
		rows = rows[n:]
	}
	for _, s := range list {
		slices.SortFunc(s.Features, func(a, b products.FeatureValue) int { return cmp.Compare(a.FeatureID, b.FeatureID) })
	}
	return nil
}

// readShown reads the values that meet the conditions, by product, feature and variant, and
// what products show of their features and variants.
func (f *Features) readShown(ctx context.Context, tx store.Tx, where ...store.Cond) ([]namedValue, *dictionary, error) {
	rows, err := namedValues.Select(tx, store.Query{
		Where: where,
		Order: []store.Order{store.Asc("product_id"), store.Asc("feature_id"), store.Asc("variant_id")},
	})
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	d, features, err := dictionaryOf(rows)
	if err != nil {
		return nil, nil, err
	}
	if err := f.readFeatures(ctx, tx, d, features); err != nil {
		return nil, nil, err
	}
	return rows, d, f.shownVariantTexts.Load(ctx, tx, slices.Collect(maps.Values(d.variants))...)
}

// A namedValue is a value with the columns of its variant that a product shows.
type namedValue struct {
	ValueID   int64  `json:"value_id" store:"key"`
	ProductID int64  `json:"product_id"`
	FeatureID int64  `json:"feature_id"`
	VariantID int64  `json:"variant_id"`
	Text      string `json:"value"`

	Variant string `json:"variant"`
	Images  string `json:"image_pair"` // as it is stored
}

var namedValues = store.ProjectVia[namedValue](values, "variant_id", variants.Schema())

// A dictionary is what features and variants are called.
type dictionary struct {
	features map[int64]*shownFeature
	variants map[int64]*shownVariant
	values   map[valueKey]any // as products show them; nil where there is one product
}

// A shownFeature has the feature columns that a product shows.
type shownFeature struct {
	FeatureID        int64        `json:"feature_id" store:"key"`
	Type             string       `json:"feature_type"`
	Description      string       `json:"description" store:"fold,translated"`
	Prefix           string       `json:"prefix" store:"translated"`
	Suffix           string       `json:"suffix" store:"translated"`
	ParentID         int64        `json:"parent_id"`
	DisplayOnHeader  shopapi.Flag `json:"display_on_header"`
	DisplayOnCatalog shopapi.Flag `json:"display_on_catalog"`
	DisplayOnProduct shopapi.Flag `json:"display_on_product"`
	Code             string       `json:"feature_code"`
	Purpose          string       `json:"purpose"`
}

// A shownVariant has the variant columns that a product shows.
type shownVariant struct {
	VariantID int64       `json:"variant_id" store:"key"`
	Name      string      `json:"variant" store:"fold,translated"`
	ImagePair images.Pair `json:"image_pair"`
}

var (
	shownFeatures = store.Project[shownFeature](table)
	shownVariants = store.Project[shownVariant](variants)
)

// dictionaryOf returns the variants of values, and the ids of their features.
func dictionaryOf(rows []namedValue) (d *dictionary, ids []int64, err error) {
	d = &dictionary{map[int64]*shownFeature{}, map[int64]*shownVariant{}, nil}
	for i := range rows {
		row := &rows[i]
		if _, known := d.features[row.FeatureID]; !known {
			d.features[row.FeatureID] = &shownFeature{FeatureID: row.FeatureID}
			ids = append(ids, row.FeatureID)
		}
		if _, known := d.variants[row.VariantID]; known || row.VariantID == 0 {
			continue
		}
		v := &shownVariant{VariantID: row.VariantID, Name: row.Variant}
		if err := v.ImagePair.UnmarshalText([]byte(row.Images)); err != nil {
			return nil, nil, err
		}
		d.variants[row.VariantID] = v
	}
	return d, ids, nil
}

// readFeatures reads what features are called.
func (f *Features) readFeatures(ctx context.Context, tx store.Tx, d *dictionary, ids []int64) error {
	found, err := store.ByKey(tx, shownFeatures, ids...)
	if err != nil {
		return err
	}
	maps.Copy(d.features, found)
	return f.shownFeatureTexts.Load(ctx, tx, slices.Collect(maps.Values(d.features))...)
}

// Names returns the names of features and variants in the language of ctx, in two reads
// plus the reads of translations. Unknown ids are left out.
func (f *Features) Names(ctx context.Context, tx store.Tx, features, variants []int64) (ofFeatures, ofVariants map[int64]string, err error) {
	ofFeatures, ofVariants = make(map[int64]string, len(features)), make(map[int64]string, len(variants))
	d := &dictionary{features: make(map[int64]*shownFeature, len(features))}
	if err := f.readFeatures(ctx, tx, d, features); err != nil {
		return nil, nil, err
	}
	for id, shown := range d.features {
		ofFeatures[id] = shown.Description
	}
	shown, err := store.ByKey(tx, shownVariants, variants...)
	if err != nil {
		return nil, nil, err
	}
	err = f.shownVariantTexts.Load(ctx, tx, slices.Collect(maps.Values(shown))...)
	for id, v := range shown {
		ofVariants[id] = v.Name
	}
	return ofFeatures, ofVariants, err
}

// fill adds to a product the values that rows say, in the order of the features. The ids
// of their variants are appended to ids, which has room for them.
func (d *dictionary) fill(s *products.Summary, rows []namedValue, ids []int64) []int64 {
	documents := len(s.Features) > 0
	s.Features = slices.Grow(s.Features, len(rows))
	for len(rows) > 0 {
		v := products.FeatureValue{FeatureID: rows[0].FeatureID, Value: rows[0].Text}
		first, n := len(ids), 0
		for ; n < len(rows) && rows[n].FeatureID == v.FeatureID; n++ {
			if rows[n].VariantID != 0 {
				ids = append(ids, rows[n].VariantID)
			}
		}
		if rows = rows[n:]; len(ids) > first {
			v.VariantIDs = ids[first:len(ids):len(ids)]
		}
		v.Shown = d.shown(&v)
		if documents {
			s.Features.Set(v)
		} else {
			s.Features = append(s.Features, v)
		}
	}
	return ids
}

// WriteProduct implements [products.Writer].
func (f part) WriteProduct(ctx context.Context, tx store.Tx, before, after *products.Product) error {
	for i := range before.Features {
		had := &before.Features[i]
		if now := after.Features.Of(had.FeatureID); had.Document == nil && (now == nil || !now.Equal(had)) {
			_, err := values.Delete(tx, store.Equal("product_id", store.Int(after.ProductID)), store.Equal("feature_id", store.Int(had.FeatureID)))
			if err != nil {
				return err
			}
			if now == nil {
				f.record(ctx, after.ProductID, shopapi.OpDelete, had.FeatureID)
			}
		}
	}
	for i := range after.Features {
		now := &after.Features[i]
		if had := before.Features.Of(now.FeatureID); now.Document != nil || had != nil && had.Equal(now) {
			continue
		}
		for _, row := range rowsOf(after.ProductID, now) {
			if err := values.Insert(tx, &row); err != nil {
				return err
			}
		}
		op := shopapi.OpCreate
		if before.Features.Of(now.FeatureID) != nil {
			op = shopapi.OpUpdate
		}
		f.record(ctx, after.ProductID, op, now.FeatureID)
	}
	return nil
}

// record has the change log keep a change of the value that a product has of a feature.
func (f *Features) record(ctx context.Context, product int64, op shopapi.Operation, feature int64) {
	f.api.RecordBelow(ctx, "products", product, "product_features", op, feature)
}

// deleteValues deletes the values that meet the conditions. The change log has each as a change
// by op.
func (f *Features) deleteValues(ctx context.Context, tx store.Tx, op shopapi.Operation, where ...store.Cond) error {
	if f.api.Records() {
		list, err := values.Select(tx, store.Query{Where: where, Limit: maxRecorded + 1})
		if err != nil {
			return err
		}
		if len(list) > maxRecorded {
			f.api.RecordAll(ctx, "product_features")
			list = nil
		}
		for _, v := range list {
			f.record(ctx, v.ProductID, op, v.FeatureID)
		}
	}
	_, err := values.Delete(tx, where...)
	return err
}

// maxRecorded is how many values that change together the change log keeps one by one.
const maxRecorded = 1000

// rowsOf are the rows that a value is stored in.
func rowsOf(product int64, v *products.FeatureValue) []value {
	row := value{ProductID: product, FeatureID: v.FeatureID, Text: v.Value, Number: decimal.Zero.Rescale(numberScale)}
	if len(v.VariantIDs) == 0 {
		if n, ok := parseNumber(v.Value); ok {
			row.Number = n.Rescale(numberScale)
		}
		return []value{row}
	}
	rows := make([]value, len(v.VariantIDs))
	for i, id := range v.VariantIDs {
		rows[i] = row
		rows[i].VariantID = id
	}
	return rows
}
