package companies

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Company is a storefront or a vendor. Both are rows of one table: which of the
// fields an edition has is said of each group.
type Company struct {
	CompanyID   int64  `json:"company_id,string" store:"key" bind:"-"`
	Name        string `json:"company" store:"fold,index" rule:"len=255"`
	Email       string `json:"email" store:"fold,index" rule:"len=255"`
	LangCode    string `json:"lang_code" rule:"len=2,default=en"`
	Timestamp   int64  `json:"timestamp,string" store:"index" rule:"time,default=now"` // of creation, seconds since 1970
	Status      string `json:"status" store:"index" rule:"default=A"`
	Storefront  string `json:"storefront" store:"fold,index" rule:"len=255"` // its address, unique; a vendor may have none
	Description string `json:"company_description" rule:"bytes=65536,html"`
	StorefrontFields
	VendorFields

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// StorefrontFields are the fields that only storefronts have.
type StorefrontFields struct {
	SecureStorefront string       `json:"secure_storefront" rule:"len=255"`                           // the address over TLS
	RedirectCustomer shopapi.Flag `json:"redirect_customer"`                                          // by country
	EntryPage        string       `json:"entry_page" rule:"oneof=all_pages none index,default=index"` // all_pages, none or index
	Countries        Countries    `json:"countries_list" rule:"bytes=65536"`

	// Contact has the settings of the section Company that a change is to give the
	// storefront, by name, such as company_phone. It is empty when read.
	Contact map[string]string `json:"-" store:"-"`
}

// VendorFields are the fields that only vendors have.
type VendorFields struct {
	SEOName string `json:"seo_name" rule:"len=255"`
	Phone   string `json:"phone" rule:"len=255"`
	Address string `json:"address" rule:"len=255"`
	City    string `json:"city" rule:"len=255"`
	Country string `json:"country"` // two letters
	State   string `json:"state" rule:"len=255"`
	Zipcode string `json:"zipcode" rule:"len=255"`
	URL     string `json:"url" rule:"len=255"`
	Fax     string `json:"fax" rule:"len=255"`
	Terms   string `json:"terms" rule:"bytes=65536,html"`

	Categories shopapi.IDList  `json:"categories"`                   // that it may sell in; none means all
	Shippings  shopapi.JSON    `json:"shippings" rule:"bytes=65536"` // ids of the shop's methods that it uses, as an array or an object, or an object with Y or N for each
	Commission decimal.Decimal `json:"commission" store:"scale=2" rule:"scale=2,max=999999999.99"`

	CommissionType           string       `json:"commission_type" rule:"oneof=A P,default=P"` // A amount, P percent
	PreModeration            shopapi.Flag `json:"pre_moderation"`
	PreModerationEdit        shopapi.Flag `json:"pre_moderation_edit"`
	PreModerationEditVendors shopapi.Flag `json:"pre_moderation_edit_vendors"`
}

var table = store.MustTable[Company]("companies")

// Schemas are the tables of this package, for copying them to another store.
func Schemas() []*store.Schema {
	return []*store.Schema{table.Schema(), texts.Schema(), translations.Schema()}
}

// The statuses of a company. Only vendors can be New or Pending, and only storefronts
// Hidden.
const (
	Active   = "A"
	Disabled = "D"
	Hidden   = "H"
	New      = "N"
	Pending  = "P"
)

// The values of EntryPage.
const (
	AllPages  = "all_pages"
	NoPage    = "none"
	IndexPage = "index"
)
