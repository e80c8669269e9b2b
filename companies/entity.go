package companies

import (
	"context"
	"reflect"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// An entity answers for companies. Its replies name the id store_id, and that to POST
// vendors company_id too, with a message: clients read either (decisions §14).
type entity struct {
	resource.Entity
	c *Companies
}

// Describe implements [shopapi.Entity].
func (e *entity) Describe() shopapi.Description {
	d := e.Entity.Describe()
	d.IDField = "store_id"
	if e.c.vendors() {
		d.Payload = reflect.TypeFor[vendor]()
		d.More = shopapi.Map{{Name: "company_id", Value: ""}, {Name: "message", Value: ""}}
		if e.c.api.Dialect() == shopapi.Live {
			d.More[0].Value = int64(0)
		}
	} else {
		d.Payload = reflect.TypeFor[storefrontPayload]()
	}
	return d
}

// Create implements [shopapi.Creator].
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	reply, err := e.Entity.Create(ctx, r)
	if err != nil || !e.c.vendors() {
		return reply, err
	}
	var id any = reply.ID
	if r.API().Dialect() == shopapi.Live {
		if n, err := shopapi.ParseID("vendor", reply.ID); err == nil {
			id = n
		}
	}
	reply.More = shopapi.Map{{Name: "company_id", Value: id}, {Name: "message", Value: "The vendor was created."}}
	return reply, nil
}

// A storefrontItem is a storefront in lists. Ratings of companies are an add-on that
// the library does not have.
type storefrontItem struct {
	CompanyID        int64   `json:"company_id,string"`
	LangCode         string  `json:"lang_code"`
	Email            string  `json:"email"`
	Name             string  `json:"company"`
	Timestamp        int64   `json:"timestamp,string"`
	Status           string  `json:"status"`
	Storefront       string  `json:"storefront"`
	SecureStorefront string  `json:"secure_storefront"`
	AverageRating    *string `json:"average_rating"`
	Threads          string  `json:"company_thread_ids"`
}

// A storefront is one on its own.
type storefront struct {
	storefrontItem
	Description      string       `json:"company_description"`
	RedirectCustomer shopapi.Flag `json:"redirect_customer"`
	EntryPage        string       `json:"entry_page"`
	Countries        Countries    `json:"countries_list"`
}

// A storefrontPayload is what a body may hold.
type storefrontPayload struct {
	storefront
	contactFields
}

// contactFields are written, and read as settings.
type contactFields struct {
	Name          string `json:"company_name"`
	Address       string `json:"company_address"`
	City          string `json:"company_city"`
	Country       string `json:"company_country"`
	State         string `json:"company_state"`
	Zipcode       string `json:"company_zipcode"`
	Phone         string `json:"company_phone"`
	Phone2        string `json:"company_phone_2"`
	Fax           string `json:"company_fax"`
	Website       string `json:"company_website"`
	StartYear     string `json:"company_start_year"`
	Users         string `json:"company_users_department"`
	Administrator string `json:"company_site_administrator"`
	Orders        string `json:"company_orders_department"`
	Support       string `json:"company_support_department"`
	Newsletter    string `json:"company_newsletter_email"`
}

// A vendorItem is a vendor in lists.
type vendorItem struct {
	CompanyID     int64   `json:"company_id,string"`
	LangCode      string  `json:"lang_code"`
	Email         string  `json:"email"`
	Name          string  `json:"company"`
	Timestamp     int64   `json:"timestamp,string"`
	Status        string  `json:"status"`
	SEOName       string  `json:"seo_name"`
	SEOPath       string  `json:"seo_path"`
	AverageRating *string `json:"average_rating"`
	Threads       string  `json:"company_thread_ids"`
}

// A vendor is one on its own.
type vendor struct {
	vendorItem
	Storefront  string `json:"storefront"`
	Description string `json:"company_description"`
	Phone       string `json:"phone"`
	Address     string `json:"address"`
	City        string `json:"city"`
	Country     string `json:"country"`
	State       string `json:"state"`
	Zipcode     string `json:"zipcode"`
	URL         string `json:"url"`
	Fax         string `json:"fax"`
	Terms       string `json:"terms"`

	Categories     shopapi.IDList  `json:"categories"`
	Shippings      shopapi.JSON    `json:"shippings"`
	Commission     decimal.Decimal `json:"commission"`
	CommissionType string          `json:"commission_type"`

	PreModeration            shopapi.Flag `json:"pre_moderation"`
	PreModerationEdit        shopapi.Flag `json:"pre_moderation_edit"`
	PreModerationEditVendors shopapi.Flag `json:"pre_moderation_edit_vendors"`
}

// thread is the id of the company and that of its thread of reviews, of which it has
// none.
func thread(v *Company) string { return shopapi.FormatID(v.CompanyID) + "_0" }

func storefrontItemOf(v *Company) storefrontItem {
	return storefrontItem{
		CompanyID: v.CompanyID, LangCode: v.LangCode, Email: v.Email, Name: v.Name, Timestamp: v.Timestamp, Status: v.Status,
		Storefront: v.Storefront, SecureStorefront: v.SecureStorefront, Threads: thread(v),
	}
}

func vendorItemOf(v *Company) vendorItem {
	return vendorItem{
		CompanyID: v.CompanyID, LangCode: v.LangCode, Email: v.Email, Name: v.Name, Timestamp: v.Timestamp, Status: v.Status,
		SEOName: v.SEOName, Threads: thread(v),
	}
}

// answer is a company on its own, as it is answered.
func (c *Companies) answer(_ context.Context, v *Company) any {
	if !c.vendors() {
		return storefront{storefrontItemOf(v), v.Description, v.RedirectCustomer, v.EntryPage, v.Countries}
	}
	return vendor{
		vendorItem: vendorItemOf(v), Storefront: v.Storefront, Description: v.Description, Phone: v.Phone, Address: v.Address,
		City: v.City, Country: v.Country, State: v.State, Zipcode: v.Zipcode, URL: v.URL, Fax: v.Fax, Terms: v.Terms,
		Categories: v.Categories, Shippings: v.Shippings, Commission: v.Commission, CommissionType: v.CommissionType,
		PreModeration: v.PreModeration, PreModerationEdit: v.PreModerationEdit, PreModerationEditVendors: v.PreModerationEditVendors,
	}
}

// answers are companies as lists show them.
func (c *Companies) answers(_ context.Context, list []Company) any {
	if c.vendors() {
		return each(list, vendorItemOf)
	}
	return each(list, storefrontItemOf)
}

func each[T any](list []Company, of func(*Company) T) []T {
	items := make([]T, len(list))
	for i := range list {
		items[i] = of(&list[i])
	}
	return items
}
