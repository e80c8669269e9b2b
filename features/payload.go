package features

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/variantlist"
	"github.com/shopapi/shopapi/store"
)

var errNoVariants = errors.New(`must be an object of variants, or an array of them, such as [{"variant": "Matt"}]`)

var layer = variantlist.Layer[Variant]{Kind: &kind, NoObject: errNoVariants, KeyID: (*entries.Entry).ID}

// bind lays a payload over a feature, its variants included.
func (fs *Features) bind(ctx context.Context, r *shopapi.Request, f *Feature) error {
	var problems shopapi.Problems
	had := f.Variants
	problems.Merge(r.Bind(f))
	var sent struct {
		Seen []int64 `json:"original_var_ids"`
	}
	problems.Merge(r.Bind(&sent))
	if !r.Payload.Has("variants") {
		return problems.Err()
	}
	list, err := variantlist.Parse(r.Payload.Raw("variants"), maxVariants, errNoVariants)
	switch {
	case err != nil:
		problems.Add("variants", "%s", err)
	case !HasVariants(f.Type):
		if len(list) > 0 && !problems.Has("feature_type") {
			problems.Add("variants", "must be left out for features of the type %s: only those of the types S, M, N and E have variants", f.Type)
		}
	case len(list)-len(had) > maxChanged:
		problems.Merge(tooManyChanged(len(list) - len(had)))
	default:
		f.Variants, err = layer.LayOver(list, had, f.FeatureID == 0)
		problems.Merge(err)
		if f.FeatureID != 0 && r.Payload.Has("original_var_ids") {
			problems.Merge(fs.keepUnseen(ctx, sent.Seen, f, had))
		}
		if err == nil {
			problems.Merge(checkChanged(had, f.Variants))
		}
	}
	return problems.Err()
}

// keepUnseen adds the variants that the sender has not seen, so that they are not
// deleted: original_var_ids lists the seen ones (decisions §27). It returns a 400
// [*shopapi.Error] for the id of a variant of another feature.
func (fs *Features) keepUnseen(ctx context.Context, ids []int64, f *Feature, had Variants) error {
	if err := fs.checkSeen(ctx, f.FeatureID, ids); err != nil {
		return err
	}
	stays, seen := kind.ByID(f.Variants), make(map[int64]bool, len(ids))
	for _, id := range ids {
		seen[id] = true
	}
	for _, v := range had {
		if stays[v.VariantID] == nil && !seen[v.VariantID] {
			f.Variants = append(f.Variants, v)
		}
	}
	if n := len(f.Variants); n > maxVariants {
		return shopapi.Invalid("variants", "must be at most %d with those that stay, not %d", maxVariants, n)
	}
	return nil
}

// checkSeen refuses ids of variants of other features. Ids of no variant are passed over.
func (fs *Features) checkSeen(ctx context.Context, feature int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	return fs.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		return variants.Each(tx, store.Query{Where: []store.Cond{
			store.InInts("variant_id", ids...), store.NotEqual("feature_id", store.Int(feature)),
		}}, func(v *Variant) error {
			return shopapi.Invalid("original_var_ids", "must be ids of variants of the feature %d; %d is one of another feature", feature, v.VariantID)
		})
	})
}

// sentImages are the images that a payload gives variants.
func sentImages(p *shopapi.Payload) images.Pairs {
	list, _ := variantlist.Parse(p.Raw("variants"), maxVariants, errNoVariants) // bind reports the error
	return variantlist.Images(list)
}

// checkChanged refuses a payload that adds and changes too many variants at once: each is a
// row to write. A feature with more of them gets them in several requests.
func checkChanged(had, after Variants) error {
	known, n := kind.ByID(had), 0
	for i := range after {
		if old := known[after[i].VariantID]; old != nil {
			changed, err := variants.Changed(old, &after[i])
			if err != nil {
				return err
			}
			if len(changed) == 0 {
				continue
			}
		}
		n++
	}
	if n > maxChanged {
		return tooManyChanged(n)
	}
	return nil
}

func tooManyChanged(n int) error {
	return shopapi.Invalid("variants", "must have at most %d that are new or changed in one request, not %d: send the others in further requests", maxChanged, n)
}
