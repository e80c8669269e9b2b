package features

import "cmp"

// The purposes of features.
const (
	FindProducts     = "find_products"
	DescribeProduct  = "describe_product"
	OrganizeCatalog  = "organize_catalog"
	GroupItem        = "group_catalog_item"           // variations are products of their own
	GroupVariantItem = "group_variation_catalog_item" // variations are one product
)

var (
	purposes      = []string{FindProducts, DescribeProduct, OrganizeCatalog, GroupItem, GroupVariantItem}
	featureStyles = []string{"text", "checkbox", "multiple_checkbox", "dropdown", "dropdown_images", "dropdown_labels", "brand"}
	filterStyles  = []string{"checkbox", "date", "color", "slider"}
)

// A style is what a feature is for and how it is shown.
type style struct{ purpose, feature, filter string }

// styles are the default styles of the types.
var styles = map[string]style{
	Checkbox:     {FindProducts, "checkbox", "checkbox"},
	MultiSelect:  {FindProducts, "multiple_checkbox", "checkbox"},
	Select:       {FindProducts, "text", "checkbox"},
	NumberSelect: {FindProducts, "text", "slider"},
	Brand:        {OrganizeCatalog, "brand", "checkbox"},
	Text:         {DescribeProduct, "text", ""},
	Number:       {FindProducts, "text", "slider"},
	Date:         {FindProducts, "text", "date"},
	Group:        {},
}

// styleOf returns the default style of a type and a purpose, if there is one: a feature
// that distinguishes variations is chosen from a list.
func styleOf(kind, purpose string) style {
	s := styles[kind]
	if tellsVariations(purpose) {
		s.feature = "dropdown"
	}
	return s
}

// fillStyle sets purpose and styles that are empty.
func (f *Summary) fillStyle() {
	f.Purpose = cmp.Or(f.Purpose, styleOf(f.Type, "").purpose)
	s := styleOf(f.Type, f.Purpose)
	f.FeatureStyle, f.FilterStyle = cmp.Or(f.FeatureStyle, s.feature), cmp.Or(f.FilterStyle, s.filter)
}

// followType clears the purpose and styles that were derived from the former type or
// purpose and that the request does not change, so that they are derived again.
func (f *Summary) followType(before *Summary) {
	if f.Type == before.Type && f.Purpose == before.Purpose {
		return
	}
	had := styleOf(before.Type, before.Purpose)
	if f.Type != before.Type && f.Purpose == before.Purpose && f.Purpose == had.purpose {
		f.Purpose = ""
	}
	if f.FeatureStyle == before.FeatureStyle && f.FeatureStyle == had.feature {
		f.FeatureStyle = ""
	}
	if f.FilterStyle == before.FilterStyle && f.FilterStyle == had.filter {
		f.FilterStyle = ""
	}
}

// tellsVariations reports whether a purpose is that of features by which variations
// differ.
func tellsVariations(purpose string) bool {
	return purpose == GroupItem || purpose == GroupVariantItem
}
