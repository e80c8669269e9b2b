package categories

import (
	"math"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Summary is a category as lists show it.
type Summary struct {
	CategoryID   int64  `json:"category_id,string" store:"key" bind:"-"`
	ParentID     int64  `json:"parent_id,string" store:"index"` // 0 at the top
	IDPath       string `json:"id_path" store:"index" bind:"-"` // ancestors' ids and its own, joined by /
	Name         string `json:"category" store:"fold"`
	Position     int64  `json:"position,string"` // among its siblings, from 0
	Status       string `json:"status"`          // A active, D disabled, H hidden
	ProductCount int64  `json:"product_count,string" bind:"-"`
	CompanyID    int64  `json:"company_id,string"`
}

// A Category is a category on its own.
type Category struct {
	Summary
	UsergroupIDs          shopapi.IDList `json:"usergroup_ids"`    // who sees it; 0 is everybody
	Timestamp             int64          `json:"timestamp,string"` // seconds since 1970
	IsOp                  shopapi.Flag   `json:"is_op"`
	Localization          string         `json:"localization"`
	AgeVerification       shopapi.Flag   `json:"age_verification"`
	AgeLimit              int64          `json:"age_limit,string"` // years
	ParentAgeVerification shopapi.Flag   `json:"parent_age_verification"`
	ParentAgeLimit        int64          `json:"parent_age_limit,string"`
	SelectedViews         shopapi.JSON   `json:"selected_views"`
	DefaultView           string         `json:"default_view"`
	ProductDetailsView    string         `json:"product_details_view"`
	ProductColumns        int64          `json:"product_columns,string"`
	LangCode              string         `json:"lang_code"`
	Description           string         `json:"description"`
	MetaKeywords          string         `json:"meta_keywords"`
	MetaDescription       string         `json:"meta_description"`
	PageTitle             string         `json:"page_title"`
	AgeWarningMessage     string         `json:"age_warning_message"`
	MainPair              shopapi.JSON   `json:"main_pair"`

	// TreeOrder sorts the whole tree: by ancestors first, siblings by position,
	// then id.
	TreeOrder string `json:"-" store:"name=tree_order,index"`
}

var (
	table     = store.MustTable[Category]("categories")
	summaries = store.Narrow[Summary](table)
)

// The statuses of a category (decisions §7).
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
)

// A Filter says which categories a list holds. Its zero value is all that the
// user may see.
type Filter struct {
	ParentID  *int64 `json:"parent_id"` // children of this one, 0 for the top
	Status    string `json:"status"`
	CompanyID *int64 `json:"company_id"`
	Name      string `json:"category"` // part of the name, in either case

	Limit  int `json:"-"` // at most so many; 0 means all
	Offset int `json:"-"`
}

// endOfSiblings is the position of a category that is to stand last.
const endOfSiblings = math.MinInt64

// setDefaults fills what Go code left at its zero value.
func (c *Category) setDefaults(now int64) {
	if c.Position == 0 {
		c.Position = endOfSiblings
	}
	orDefault(&c.Status, Active)
	orDefault(&c.UsergroupIDs, "0")
	orDefault(&c.Timestamp, now)
	orDefault(&c.DefaultView, "default")
	orDefault(&c.ProductDetailsView, "default")
	orDefault(&c.ProductColumns, 1)
	orDefault(&c.LangCode, "en")
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate finds what is wrong with the fields by themselves.
func (c *Category) validate(problems *shopapi.Problems) {
	if c.Name == "" {
		problems.Add("category", "is required: the name of the category")
	}
	problems.OneOf("status", c.Status, Active, Disabled, Hidden)
	problems.Range("parent_id", c.ParentID, 0, math.MaxInt64)
	problems.Range("company_id", c.CompanyID, 0, math.MaxInt64)
	if c.Position != endOfSiblings {
		problems.Range("position", c.Position, 0, maxPosition)
	}
	problems.Range("timestamp", c.Timestamp, 0, math.MaxInt64)
	problems.Range("age_limit", c.AgeLimit, 0, math.MaxInt32)
	problems.Range("parent_age_limit", c.ParentAgeLimit, 0, math.MaxInt32)
	problems.Range("product_columns", c.ProductColumns, 0, math.MaxInt32)
}
