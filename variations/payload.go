package variations

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/wire"
)

// A groupPayload is the payload of a group. Products and features are only used for new
// groups.
type groupPayload struct {
	Code       string  `json:"code"`
	ProductIDs []int64 `json:"product_ids"` // of two products or more, the parent first; only on POST
	// the features by which the products differ; by default, the ones that all products
	// have; only on POST
	Features []chosenFeature `json:"features"`
}

// A chosenFeature is a feature of a new group.
type chosenFeature struct {
	FeatureID int64  `json:"feature_id"`
	Purpose   string `json:"purpose"` // group_catalog_item or group_variation_catalog_item
}

// bind lays a payload over a group. Only a new one takes products and features.
func bind(_ context.Context, r *shopapi.Request, g *Group) error {
	var problems shopapi.Problems
	problems.Merge(r.Bind(g))
	if g.GroupID != 0 {
		return problems.Err()
	}
	var sent struct {
		ProductIDs []int64 `json:"product_ids"`
	}
	problems.Merge(r.Bind(&sent))
	g.ProductIDs = sent.ProductIDs
	g.Code = cmp.Or(g.Code, newCode())
	list, err := entries.Parse(r.Payload.Raw("features"))
	if err != nil || len(list) > maxFeatures {
		problems.Add("features", `must be an array of at most %d features, such as [{"feature_id": 31, "purpose": "group_catalog_item"}]`, maxFeatures)
		return problems.Err()
	}
	for i := range list {
		var f chosenFeature
		payload, err := shopapi.NewPayload(list[i].Value)
		if err == nil {
			err = (&shopapi.Request{Payload: payload}).Bind(&f)
		}
		if err != nil {
			problems.Add("features", "[%s]: must be a feature, such as {\"feature_id\": 31, \"purpose\": \"group_catalog_item\"}", list[i].Key)
			continue
		}
		g.Features = append(g.Features, Feature{FeatureID: f.FeatureID, Purpose: f.Purpose})
	}
	return problems.Err()
}

// A Combination maps ids of features to the ids of one of their variants.
type Combination map[int64]int64

var combinationReader = wire.VariantIDs{Value: "the id of a variant", Example: `{"31":"70"}`}

// maxCombinations is how many products one request makes.
const maxCombinations = 100

// bindCombinations reads the combinations of a payload.
func bindCombinations(p *shopapi.Payload) ([]Combination, error) {
	list, err := entries.Parse(p.Raw("combinations"))
	if err != nil || len(list) == 0 || len(list) > maxCombinations {
		return nil, shopapi.Invalid("combinations", `must be an array of 1 to %d maps of ids of features to ids of variants, such as [{"31": 70}]`, maxCombinations)
	}
	combinations := make([]Combination, len(list))
	for i := range list {
		read, err := combinationReader.Parse(json.RawMessage(list[i].Value))
		if err != nil {
			return nil, shopapi.Invalid("combinations", `[%s]: must be a map of ids of features to ids of variants, such as {"31": 70}`, list[i].Key)
		}
		combinations[i] = read
	}
	return combinations, nil
}
