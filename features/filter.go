package features

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which features a list holds, and in which order. Its zero value is
// all that the user may see, by position.
type Filter struct {
	resource.ListOptions

	ProductID *int64 `json:"product_id"` // features that the product has a value of
	Type      string `json:"feature_type" bind:"codes" rule:"oneof=C M S N E T O D G" match:"equal"`
	ParentID  *int64 `json:"parent_id" match:"equal"`
	Status    string `json:"status" bind:"codes" rule:"oneof=A D H" match:"equal"`
	Purpose   string `json:"purpose" bind:"codes" rule:"oneof=find_products describe_product organize_catalog group_catalog_item group_variation_catalog_item" match:"equal"`
	CompanyID *int64 `json:"company_id" match:"equal"`
	Name      string `json:"description" match:"contains"` // part of it, in either case
	Code      string `json:"feature_code" match:"equal"`

	GetVariants shopapi.Flag `json:"get_variants"` // items show their variants
}

var sorts = []resource.Sort{
	{Key: "position", Column: "position"}, {Key: "id", Column: "feature_id"}, {Key: "name", Column: "description"},
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	if f.ProductID != nil {
		w.Add(store.InQuery("feature_id", values.Schema(), "feature_id", store.Equal("product_id", store.Int(*f.ProductID))))
	}
}
