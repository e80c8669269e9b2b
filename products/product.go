package products

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a product as lists show it.
type Summary struct {
	ProductID       int64           `json:"product_id,string" store:"key,contended" bind:"-"`
	Name            string          `json:"product" store:"fold,search,translated" rule:"len=255"`
	Type            string          `json:"product_type" bind:"-" rule:"oneof=P V C,default=P"` // P simple, V variation, C configurable
	ParentProductID int64           `json:"parent_product_id,string" bind:"-" rule:"min=0"`     // that a variation belongs to, or 0
	Code            string          `json:"product_code" store:"fold,search" rule:"len=255"`
	Status          string          `json:"status" rule:"oneof=A D H,default=A"` // A active, D disabled, H hidden
	CompanyID       int64           `json:"company_id,string"`
	Price           decimal.Decimal `json:"price" store:"scale=2" rule:"-"`
	ListPrice       decimal.Decimal `json:"list_price" store:"scale=2" rule:"-"`            // suggested by the maker
	Amount          int64           `json:"amount,string" rule:"min=-2147483648,max=int32"` // in stock; negative when more is sold

	CategoryIDs  []int64 `json:"category_ids" store:"-"`      // in the order they were given
	MainCategory int64   `json:"main_category" store:"-"`     // one of CategoryIDs, or 0
	SEOName      string  `json:"seo_name" rule:"bytes=4096"`  // last segment of the address in the shop
	SEOPath      string  `json:"seo_path" store:"-" bind:"-"` // from the top to the main category, ids joined by /

	Weight          decimal.Decimal `json:"weight" store:"scale=3" rule:"-"`
	Length          int64           `json:"length,string" rule:"min=0,max=int32"`
	Width           int64           `json:"width,string" rule:"min=0,max=int32"`
	Height          int64           `json:"height,string" rule:"min=0,max=int32"`
	ShippingFreight decimal.Decimal `json:"shipping_freight" store:"scale=2" rule:"-"` // added to the cost of shipping
	FreeShipping    shopapi.Flag    `json:"free_shipping"`
	ShippingParams  string          `json:"shipping_params" bind:"-"` // the box fields, serialized

	Timestamp        int64 `json:"timestamp,string" rule:"time,default=now"` // of creation, seconds since 1970
	UpdatedTimestamp int64 `json:"updated_timestamp,string" bind:"-"`        // of the last change
	AvailSince       int64 `json:"avail_since,string" rule:"time"`           // on sale from, 0 for at once
	// user groups that see the product; 0 is everybody
	UsergroupIDs  shopapi.IDList `json:"usergroup_ids" rule:"bytes=16384"`
	TaxIDs        shopapi.IDList `json:"tax_ids" rule:"bytes=16384"`
	Localization  string         `json:"localization" rule:"bytes=255"`
	DetailsLayout string         `json:"details_layout" rule:"bytes=255,default=default"` // name of a template

	IsEDP             shopapi.Flag `json:"is_edp"` // sold as a download
	EDPShipping       shopapi.Flag `json:"edp_shipping"`
	UnlimitedDownload shopapi.Flag `json:"unlimited_download"`

	Tracking          string `json:"tracking" rule:"oneof=B D O,default=B"`             // B track the stock, D do not, O by options
	LowAvailLimit     int64  `json:"low_avail_limit,string" rule:"min=0,max=int32"`     // stock at which the shop is warned
	OutOfStockActions string `json:"out_of_stock_actions" rule:"oneof=N B S,default=N"` // N none, B buy in advance, S sign up
	ZeroPriceAction   string `json:"zero_price_action" rule:"oneof=R P A,default=R"`    // R refuse, P allow, A ask for the price
	ExceptionsType    string `json:"exceptions_type" rule:"oneof=A F,default=F"`        // A allowed combinations, F forbidden ones
	OptionsType       string `json:"options_type" rule:"oneof=P S,default=P"`           // P all options at once, S one after another
	MinQty            int64  `json:"min_qty,string" rule:"min=0,max=int32"`             // in an order; 0 for no limit
	MaxQty            int64  `json:"max_qty,string" rule:"min=0,max=int32"`
	QtyStep           int64  `json:"qty_step,string" rule:"min=0,max=int32"`
	ListQtyCount      int64  `json:"list_qty_count,string" rule:"min=0,max=int32"` // choices of quantity offered

	IsReturnable    shopapi.Flag `json:"is_returnable"`
	ReturnPeriod    int64        `json:"return_period,string" rule:"min=0,max=int32"` // days
	AgeVerification shopapi.Flag `json:"age_verification"`
	AgeLimit        int64        `json:"age_limit,string" rule:"min=0,max=int32"` // years
	IsPBP           shopapi.Flag `json:"is_pbp" bind:"-"`
	IsOp            shopapi.Flag `json:"is_op" bind:"-"`
	IsOper          shopapi.Flag `json:"is_oper" bind:"-"`

	// Features are the values of the product's features, on the wire an object by feature
	// id. FeatureDocument is the stored form of values that are documents.
	Features        Features     `json:"product_features" store:"-"`
	FeatureDocument shopapi.JSON `json:"-" store:"name=product_features"`

	MainPair   images.Pair  `json:"main_pair"`
	ImagePairs images.Pairs `json:"image_pairs"`

	// HasOptions, Options and Added are set by parts of products: see [Products.Use].
	HasOptions bool        `json:"-" store:"-" bind:"-"`
	Options    any         `json:"-" store:"-" bind:"-"` // an options.List of a product on its own; nil for none
	Added      shopapi.Map `json:"-" store:"-"`          // values of other parts by field; answers end with them

	SalesAmount int64 `json:"-" store:"-" bind:"-"` // pieces in orders whose status has inventory D, of a product on its own

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields

	Variation *ShownVariation `json:"-" store:"-" bind:"-"` // see [WithVariationDetails]; nil where it was not asked for

	MasterProductID int64   `json:"-" store:"name=master_product_id"` // of which it is a vendor's offer; 0 for none
	Master          *Master `json:"-" store:"-" bind:"-"`             // see [Products.RegisterMasters]
}

// A Product is a product on its own.
type Product struct {
	Summary
	LangCode          string       `json:"lang_code"` // asked for
	ShortName         string       `json:"shortname" store:"translated" rule:"bytes=4096"`
	ShortDescription  string       `json:"short_description" store:"fold,translated" rule:"bytes=65536,html"`
	FullDescription   string       `json:"full_description" store:"fold,translated" rule:"bytes=262144,html"`
	MetaKeywords      string       `json:"meta_keywords" store:"fold,translated" rule:"bytes=4096"`
	MetaDescription   string       `json:"meta_description" store:"translated" rule:"bytes=4096"`
	SearchWords       string       `json:"search_words" store:"translated" rule:"bytes=65536"`
	PageTitle         string       `json:"page_title" store:"translated" rule:"bytes=4096"`
	PromoText         string       `json:"promo_text" store:"translated" rule:"bytes=65536,html"`
	AgeWarningMessage string       `json:"age_warning_message" store:"fold,translated" rule:"bytes=4096"`
	SharedProduct     shopapi.Flag `json:"shared_product" bind:"-"`                   // between storefronts
	PointPrice        int64        `json:"point_price,string" rule:"min=0,max=int32"` // reward points
	FeatureComparison shopapi.Flag `json:"feature_comparison"`

	// The box that it is shipped in. These are numbers on the wire.
	BoxLength     int64 `json:"box_length" rule:"min=0,max=int32"`
	BoxWidth      int64 `json:"box_width" rule:"min=0,max=int32"`
	BoxHeight     int64 `json:"box_height" rule:"min=0,max=int32"`
	MinItemsInBox int64 `json:"min_items_in_box" rule:"min=0,max=int32"`
	MaxItemsInBox int64 `json:"max_items_in_box" rule:"min=0,max=int32"`
}

// Every sort of lists has an index, but for volatile ones in PostgreSQL, and so have the filters
// that leave few rows.
var (
	table = store.MustTable[Product]("products",
		store.Index{Columns: []string{"product"}},
		store.Index{Columns: []string{"product_code"}},
		store.Index{Columns: []string{"price"}},
		store.Index{Columns: []string{"list_price"}},
		store.Index{Columns: []string{"amount"}, Volatile: true}, // each order changes it
		store.Index{Columns: []string{"timestamp"}},
		store.Index{Columns: []string{"updated_timestamp"}, Volatile: true},
		store.Index{Columns: []string{"status"}},
		store.Index{Columns: []string{"company_id", "product"}},
		store.Index{Columns: []string{"parent_product_id"}, Sparse: true},
		store.Index{Columns: []string{"master_product_id"}, Sparse: true})
	summaries = store.Project[Summary](table)
)

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema(), links.Schema()) }

// LastChange implements [resource.Stamped].
func (p *Product) LastChange() int64 { return p.UpdatedTimestamp }

// SetLastChange implements [resource.Stamped].
func (p *Product) SetLastChange(at int64) { p.UpdatedTimestamp = at }

// The statuses of a product.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// The ways in which the stock of a product is tracked.
const (
	Track          = "B"
	DoNotTrack     = "D"
	TrackByOptions = "O" // the amount is the sum of the combinations' amounts
)

// The types of products. Requests create simple ones only.
const (
	Simple       = "P"
	Variation    = "V"
	Configurable = "C"
)

// The meanings of the exceptions of a product (decisions §8).
const (
	Allow  = "A" // only the combinations listed may be ordered
	Forbid = "F" // all but the combinations listed may be ordered
)

// AddedValue returns the value of a field that a part has added, or nil.
func (s *Summary) AddedValue(field string) any {
	for _, m := range s.Added {
		if m.Name == field {
			return m.Value
		}
	}
	return nil
}

// SetAdded sets the value of a field that a part adds: answers have it after the product's
// own fields. A change of the value is a change of the product.
func (s *Summary) SetAdded(field string, value any) {
	for i := range s.Added {
		if s.Added[i].Name == field {
			s.Added[i].Value = value
			return
		}
	}
	s.Added = append(s.Added, shopapi.Member{Name: field, Value: value})
}

// showImages says which product the images are shown on.
func (s *Summary) showImages() {
	on := images.Object{Type: "product", ID: s.ProductID}
	s.MainPair.ShownOn(on)
	s.ImagePairs.ShownOn(on)
}

// Discount returns how much less than the list price the product costs, and the
// same in whole percent. ok is false when it does not cost less.
func (s *Summary) Discount() (amount decimal.Decimal, percent int64, ok bool) {
	if s.ListPrice.Cmp(s.Price) <= 0 || s.ListPrice.Sign() <= 0 {
		return amount, 0, false
	}
	// Neither step can fail within the range of prices.
	amount, _ = s.ListPrice.Sub(s.Price)
	share, _ := amount.Mul(decimal.Hundred)
	share, _ = share.Quo(s.ListPrice)
	percent, _, ok = share.Round(0).Int64(0)
	return amount, percent, ok
}
