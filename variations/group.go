package variations

import (
	"crypto/rand"
	"fmt"

	"github.com/shopapi/shopapi"

	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/store"
)

// A Group is products that are variations of one another. Its numbers are numbers on
// the wire.
type Group struct {
	GroupID   int64  `json:"id" store:"key" bind:"-"`
	Code      string `json:"code" rule:"len=255"`
	CompanyID int64  `json:"-" store:"name=company_id,index"` // that of its products

	Features []Feature `json:"features" store:"-" bind:"-"` // by which its products differ
	Products []Product `json:"products" store:"-" bind:"-"` // the first is the parent

	CreatedAt int64 `json:"created_at" bind:"-" rule:"default=now"` // seconds since 1970
	UpdatedAt int64 `json:"updated_at" bind:"-"`

	// ProductIDs are the first products of a new group.
	ProductIDs []int64 `json:"-" store:"-" bind:"-"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// LastChange implements [resource.Stamped].
func (g *Group) LastChange() int64 { return g.UpdatedAt }

// SetLastChange implements [resource.Stamped].
func (g *Group) SetLastChange(at int64) { g.UpdatedAt = at }

// A Feature is a feature by which the products of a group differ.
type Feature struct {
	FeatureID            int64  `json:"feature_id"`
	Purpose              string `json:"purpose"` // group_catalog_item: products of their own; group_variation_catalog_item: variations of one product
	CreatesItem          bool   `json:"is_purpose_create_catalog_item"`
	CreatesVariationItem bool   `json:"is_purpose_create_variation_of_catalog_item"`
}

// featureOf returns a feature with the properties that follow from its purpose.
func featureOf(id int64, purpose string) Feature {
	return Feature{id, purpose, purpose == features.GroupItem, purpose == features.GroupVariantItem}
}

// A Product is one of a group.
type Product struct {
	ProductID       int64          `json:"product_id"`
	ParentProductID int64          `json:"parent_product_id"` // 0 for a parent
	CompanyID       int64          `json:"company_id"`
	Values          []FeatureValue `json:"feature_values"`
}

// A FeatureValue is the variant that a product of a group has of one of its features.
type FeatureValue struct {
	FeatureID int64 `json:"feature_id"`
	VariantID int64 `json:"variant_id,string"`
}

// A member is the row of a product in a group.
type member struct {
	MemberID  int64 `json:"member_id" store:"key"`
	GroupID   int64 `json:"group_id"`
	ProductID int64 `json:"product_id"`
	Position  int64 `json:"position"` // the first product with the same values is the parent
}

// A groupFeature is the row of a feature of a group.
type groupFeature struct {
	RowID     int64  `json:"row_id" store:"key"`
	GroupID   int64  `json:"group_id"`
	FeatureID int64  `json:"feature_id"`
	Purpose   string `json:"purpose"`
}

var (
	table         = store.MustTable[Group]("product_variation_groups", store.Index{Columns: []string{"code"}, Unique: true})
	members       = store.MustTable[member]("product_variation_group_products", store.Index{Columns: []string{"product_id"}, Unique: true}, store.Index{Columns: []string{"group_id", "position"}})
	groupFeatures = store.MustTable[groupFeature]("product_variation_group_features", store.Index{Columns: []string{"group_id", "feature_id"}, Unique: true}, store.Index{Columns: []string{"feature_id"}})
)

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return []*store.Schema{table.Schema(), members.Schema(), groupFeatures.Schema()}
}

// newCode is the code of a group that is given none: nine digits, which one in 10^10
// shares with another.
func newCode() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails
	return "PV-" + fmt.Sprintf("%X", b[:])[:9]
}
