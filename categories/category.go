package categories

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a category as lists show it.
type Summary struct {
	CategoryID   int64  `json:"category_id,string" store:"key" bind:"-"`
	ParentID     int64  `json:"parent_id,string" rule:"min=0"` // 0 at the top
	IDPath       string `json:"id_path" bind:"-"`              // ancestors' ids and its own, joined by /
	Name         string `json:"category" store:"fold,search,translated" rule:"required,len=255" hint:"the name of the category"`
	Position     int64  `json:"position,string" rule:"min=0,max=int32"` // among its siblings, from 0
	Status       string `json:"status" rule:"oneof=A D H,default=A"`    // A active, D disabled, H hidden
	ProductCount int64  `json:"product_count,string" bind:"-"`
	CompanyID    int64  `json:"company_id,string"`
	resource.Stamp

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// A Category is a category as GET of one category returns it.
type Category struct {
	Summary
	UsergroupIDs          shopapi.IDList `json:"usergroup_ids" rule:"bytes=16384"`         // groups that see it; 0 is everybody
	Timestamp             int64          `json:"timestamp,string" rule:"time,default=now"` // seconds since 1970
	IsOp                  shopapi.Flag   `json:"is_op"`
	Localization          string         `json:"localization" rule:"bytes=255"`
	AgeVerification       shopapi.Flag   `json:"age_verification"`
	AgeLimit              int64          `json:"age_limit,string" rule:"min=0,max=int32"` // years
	ParentAgeVerification shopapi.Flag   `json:"parent_age_verification"`
	ParentAgeLimit        int64          `json:"parent_age_limit,string" rule:"min=0,max=int32"`
	SelectedViews         shopapi.JSON   `json:"selected_views" rule:"bytes=65536"`
	DefaultView           string         `json:"default_view" rule:"bytes=255,default=default"`
	ProductDetailsView    string         `json:"product_details_view" rule:"bytes=255,default=default"`
	ProductColumns        int64          `json:"product_columns,string" rule:"min=0,max=int32,default=1"`
	LangCode              string         `json:"lang_code"` // the language of the request
	Description           string         `json:"description" store:"translated" rule:"bytes=262144,html"`
	MetaKeywords          string         `json:"meta_keywords" store:"translated" rule:"bytes=4096"`
	MetaDescription       string         `json:"meta_description" store:"translated" rule:"bytes=4096"`
	PageTitle             string         `json:"page_title" store:"translated" rule:"bytes=4096"`
	AgeWarningMessage     string         `json:"age_warning_message" store:"translated" rule:"bytes=4096"`
	MainPair              images.Pair    `json:"main_pair"`

	// TreeOrder sorts the whole tree: by ancestors, siblings by position, then id. It is
	// not on the wire, and no change sets it.
	TreeOrder string `json:"-" store:"name=tree_order,index"`
}

// Lists come in tree order, of all categories or of one company. The children of one
// category have an index by position, which sorts them alike and does not change when an
// ancestor moves. There are no indexes for status, because most categories have the same
// one, nor for parts of names.
var (
	table = store.MustTable[Category]("categories",
		store.Index{Columns: []string{"parent_id", "position"}},
		store.Index{Columns: []string{"company_id", "tree_order"}})
	summaries = store.Project[Summary](table)
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }

// The statuses of a category (decisions §7).
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)
