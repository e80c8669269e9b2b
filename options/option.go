package options

import (
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An Option is something that a customer chooses of a product, such as its size.
type Option struct {
	OptionID  int64        `json:"option_id,string" store:"key" bind:"-"`
	ProductID int64        `json:"product_id,string" rule:"required"`
	CompanyID int64        `json:"company_id,string" store:"-" bind:"-"`           // company of the product
	Type      string       `json:"option_type" rule:"oneof=S R C I T F,default=S"` // S select, R radio, C checkbox, I input, T text area, F file
	Inventory shopapi.Flag `json:"inventory"`                                      // takes part in combinations
	Required  shopapi.Flag `json:"required"`

	// The regular expression that the text of an option of type I or T must match, unless
	// incorrect_message is empty or Go cannot read the expression.
	Regexp           string `json:"regexp" rule:"len=255"`
	IncorrectMessage string `json:"incorrect_message" store:"translated" rule:"bytes=65536"` // shown to the customer if the text does not match regexp

	Multiupload             shopapi.Flag `json:"multiupload"`                                 // a File takes several
	AllowedExtensions       string       `json:"allowed_extensions" rule:"len=255"`           // of a File, joined by commas
	MaxFileSize             int64        `json:"max_file_size,string" rule:"min=0,max=int32"` // kilobytes, 0 for no limit
	MissingVariantsHandling string       `json:"missing_variants_handling" rule:"oneof=M H,default=M"`

	Status      string `json:"status" rule:"oneof=A D,default=A"`
	Position    int64  `json:"position,string" rule:"min=0,max=int32"` // among the options of the product
	Value       string `json:"value" store:"-" bind:"-"`
	Name        string `json:"option_name" store:"fold,translated" rule:"required,len=255" hint:"the name of the option"`
	Text        string `json:"option_text" store:"-" bind:"-"`
	Description string `json:"description" store:"translated" rule:"bytes=65536,html"`
	InnerHint   string `json:"inner_hint" store:"translated" rule:"bytes=65536"` // shown inside an empty input
	Comment     string `json:"comment" store:"translated" rule:"bytes=65536"`    // shown beside the option

	LangCode string `json:"lang_code,omitempty" store:"-" bind:"-"` // the language that the request names

	// The variants that a customer chooses from, by position; types I, T and F have none.
	Variants Variants `json:"variants" store:"-"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

var table = store.MustTable[Option]("product_options", store.Index{Columns: []string{"product_id", "position"}})

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return store.WithTexts(table.Schema(), variants.Schema(), combinations.Schema())
}

// The types of options.
const (
	Select   = "S"
	Radio    = "R"
	Checkbox = "C" // has two variants: that it is not checked, and that it is
	Input    = "I" // one line of text
	TextArea = "T"
	File     = "F"
)

// The statuses of an option.
const (
	Active   = "A"
	Disabled = "D"
)

// Behavior of a storefront for a required option without any variants left.
const (
	ShowMessage = "M"
	HideProduct = "H"
)

// HasVariants reports whether options of a type have variants. Only these can take
// part in combinations.
func HasVariants(kind string) bool {
	return len(kind) == 1 && strings.Contains(Select+Radio+Checkbox, kind)
}

// isText reports whether the choice of an option of a type is a text.
func isText(kind string) bool { return len(kind) == 1 && strings.Contains(Input+TextArea+File, kind) }
