package features

import (
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a feature as lists show it.
type Summary struct {
	FeatureID int64  `json:"feature_id,string" store:"key" bind:"-"`
	CompanyID int64  `json:"company_id,string" store:"index"`
	Type      string `json:"feature_type" rule:"required,oneof=C M S N E T O D G" hint:"C, M, S, N, E, T, O, D or G"`
	ParentID  int64  `json:"parent_id,string" store:"index" rule:"min=0"` // the group that it lies in, or 0

	DisplayOnProduct shopapi.Flag `json:"display_on_product"`
	DisplayOnCatalog shopapi.Flag `json:"display_on_catalog"`
	DisplayOnHeader  shopapi.Flag `json:"display_on_header"`

	Description     string         `json:"description" store:"fold,translated" rule:"required,len=255" hint:"the name of the feature"` // its name
	Prefix          string         `json:"prefix" store:"translated" rule:"len=255"`                                                   // shown before a value
	Suffix          string         `json:"suffix" store:"translated" rule:"len=255"`                                                   // shown after it, such as a unit
	CategoriesPath  shopapi.IDList `json:"categories_path" rule:"bytes=16384"`                                                         // categories of the products that it applies to, subcategories included; empty for all
	FullDescription string         `json:"full_description" store:"translated" rule:"bytes=65536,html"`
	Status          string         `json:"status" rule:"oneof=A D H,default=A"`
	Comparison      shopapi.Flag   `json:"comparison"`
	Position        int64          `json:"position,string" rule:"min=0,max=int32"`

	// What the feature is for, and how it is shown on products and in filters. These
	// follow from the type when they are left out.
	Purpose      string `json:"purpose"`
	FeatureStyle string `json:"feature_style"`
	FilterStyle  string `json:"filter_style"`

	GroupPosition int64 `json:"-" store:"-" bind:"-"` // the position of its group

	// Listed are the variants that a list shows with [Filter.GetVariants], by position. It
	// is nil in other lists, and for types without variants.
	Listed Variants `json:"-" store:"-" bind:"-"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A Feature is a feature on its own.
type Feature struct {
	Summary
	Code     string `json:"feature_code" store:"index" rule:"len=255"` // the shop's own
	LangCode string `json:"lang_code"`                                 // asked for

	// Variants are the variants of a feature whose type has variants, by position.
	Variants Variants `json:"variants" store:"-"`
}

var (
	table     = store.MustTable[Feature]("product_features", store.Index{Columns: []string{"position"}}, store.Index{Columns: []string{"description"}})
	summaries = store.Project[Summary](table)
)

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return store.WithTexts(table.Schema(), variants.Schema(), values.Schema())
}

// The types of features.
const (
	Checkbox     = "C" // Y or N
	MultiSelect  = "M" // several variants
	Select       = "S" // one variant
	NumberSelect = "N" // one variant, each of which is a number
	Brand        = "E" // one variant, with a page of its own
	Text         = "T"
	Number       = "O"
	Date         = "D" // seconds since 1970
	Group        = "G" // holds other features, and has no value
)

// The statuses of a feature.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// HasVariants reports whether features of a type have variants.
func HasVariants(kind string) bool { return IsSingle(kind) || kind == MultiSelect }

// IsSingle reports whether a product has exactly one variant of a feature of this type.
// Only such features can distinguish variations.
func IsSingle(kind string) bool {
	return len(kind) == 1 && strings.Contains(Select+NumberSelect+Brand, kind)
}
