package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/variations"
)

// The codes of the demo's features.
const (
	glazeCode      = "GLAZE"
	heightCode     = "HEIGHT"
	dishwasherCode = "DISHWASHER"
)

// properties are the features of the demo.
type properties struct {
	glaze              int64
	glazes             map[string]int64 // variants of the glaze by name
	height, dishwasher int64
}

// addFeatures creates the features: in a group the glaze, by which variations differ,
// the height, and whether a piece is dishwasher-safe. They have German texts too.
func (f *filler) addFeatures(ctx context.Context) error {
	feature := func(kind, name, code string, parent int64, change func(*features.Feature)) (int64, error) {
		v := f.shop.Features.Defaults(ctx)
		v.Type, v.Description, v.Code, v.ParentID, v.CompanyID = kind, name, code, parent, f.company
		if change != nil {
			change(&v)
		}
		made, err := f.shop.Features.Create(ctx, v)
		if err != nil {
			return 0, err
		}
		_, err = f.shop.Features.Update(inGerman(ctx), made.FeatureID, func(v *features.Feature) error {
			v.Description = german[v.Description]
			for i := range v.Variants {
				if word, ok := german[v.Variants[i].Name]; ok {
					v.Variants[i].Name = word
				}
			}
			return nil
		})
		return made.FeatureID, err
	}
	group, err := feature(features.Group, "Make", "", 0, nil)
	if err != nil {
		return err
	}
	_, err = feature(features.Select, "Glaze", glazeCode, group, func(v *features.Feature) {
		v.Purpose, v.DisplayOnProduct, v.DisplayOnCatalog, v.Position = features.GroupVariantItem, true, true, 10
		for i, name := range glazes {
			variant := features.Variant{Name: name, Position: int64(10 * i)}
			variant.ImagePair.Pair = swatchOf(name)
			v.Variants = append(v.Variants, variant)
		}
	})
	if err != nil {
		return err
	}
	if _, err = feature(features.Number, "Height", heightCode, group, func(v *features.Feature) { v.Suffix, v.Position = " cm", 20 }); err != nil {
		return err
	}
	_, err = feature(features.Checkbox, "Dishwasher-safe", dishwasherCode, group, func(v *features.Feature) { v.Position = 30 })
	return err
}

// findFeatures reads the features, which another process may have created.
func (f *filler) findFeatures(ctx context.Context) error {
	f.properties = properties{glazes: map[string]int64{}}
	for s, err := range f.shop.Features.All(ctx, features.Filter{}) {
		if err != nil {
			return err
		}
		feature, err := f.shop.Features.Get(ctx, s.FeatureID)
		if err != nil {
			return err
		}
		switch feature.Code {
		case heightCode:
			f.properties.height = feature.FeatureID
		case dishwasherCode:
			f.properties.dishwasher = feature.FeatureID
		case glazeCode:
			f.properties.glaze = feature.FeatureID
			for _, v := range feature.Variants {
				f.properties.glazes[v.Name] = v.VariantID
			}
		}
	}
	if p := &f.properties; p.height == 0 || p.dishwasher == 0 || len(p.glazes) < len(glazes) {
		return errors.New("the features of the demo are gone; -demo=false starts without the rest of it")
	}
	return nil
}

// of returns the feature values of a piece; pieces fired hot enough are dishwasher-safe.
func (p *properties) of(glaze string, height int64) products.Features {
	safe := "Y"
	if slices.Contains([]string{"Raku", "Unglazed", "Majolica"}, glaze) {
		safe = "N"
	}
	return products.Features{
		{FeatureID: p.glaze, VariantIDs: []int64{p.glazes[glaze]}},
		{FeatureID: p.height, Value: shopapi.FormatID(height)},
		{FeatureID: p.dishwasher, Value: safe},
	}
}

// A sibling is a piece in a second glaze. It is a product of the same part, one round of
// leaves later.
const firstSibling, siblings = withOptions, 6

// siblingOf returns the number of the piece of which the n-th of a part is the sibling,
// -1 for none.
func (f *filler) siblingOf(n int) int {
	of := n - len(f.leaves)
	if f.part >= partsPerScale || of < firstSibling || of >= firstSibling+siblings {
		return -1
	}
	return of
}

// addVariations creates a group for each piece of the first parts with two glazes.
func (f *filler) addVariations(ctx context.Context) error {
	for n := range f.goods {
		of := f.siblingOf(n)
		if of < 0 {
			continue
		}
		code := "PV-" + strings.TrimPrefix(f.goods[of].Code, "P-")
		if _, err := f.shop.Variations.Create(ctx, variations.Group{Code: code, ProductIDs: []int64{f.products[of], f.products[n]}}); err != nil {
			return err
		}
	}
	return nil
}

// swatchOf returns the picture of a glaze.
func swatchOf(glaze string) images.Pair {
	name := strings.ToLower(strings.ReplaceAll(glaze, " ", "-"))
	return images.Pair{Icon: images.Image{Path: picturesPath + "glaze-" + name + ".svg", Alt: glaze, Width: pictureSize, Height: pictureSize}}
}
