package companies

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/store"
)

// storefronts is the kind of the edition with several storefronts.
func (c *Companies) storefronts() kind {
	return kind{
		name:        "stores",
		object:      "storefront",
		summary:     "The storefronts of the shop.",
		privileges:  shopapi.Privileges{View: "view_stores", Manage: "manage_stores"},
		payload:     reflect.TypeFor[storefrontPayload](),
		required:    []string{"storefront"},
		bind:        c.bindStorefront,
		check:       c.checkStorefront,
		encode:      func(v *Company) any { return storefrontOfCompany(v) },
		encodeItems: func(list []Company) any { return each(list, storefrontItemOf) },
		created:     func(*shopapi.API, string) shopapi.Map { return shopapi.Map{{Name: "message", Value: ""}} },
		relate: func(ctx context.Context) error {
			base, err := resource.BaseLanguage(ctx, c.api, c.st)
			if err != nil {
				return err
			}
			c.api.BeforeDelete("statuses", c.forgetStatuses)
			c.api.BeforeDelete("languages", c.forgetLanguages)
			return c.api.RegisterUnder("stores", &statusTexts{c.api, c.st, base})
		},
	}
}

// onlyStore is the kind of the edition with one store. The store has the shop's settings.
func (c *Companies) onlyStore() kind {
	k := c.storefronts()
	k.summary = "The shop's only store."
	k.operations = []shopapi.Operation{shopapi.OpList, shopapi.OpGet, shopapi.OpUpdate}
	return k
}

var storefrontStatuses = []string{Active, Disabled, Hidden}

// A storefrontItem is a storefront in lists. Ratings of companies are an add-on that
// the library does not have.
type storefrontItem struct {
	CompanyID        int64   `json:"company_id,string" bind:"-"`
	LangCode         string  `json:"lang_code"`
	Email            string  `json:"email"`
	Name             string  `json:"company"`
	Timestamp        int64   `json:"timestamp,string"`
	Status           string  `json:"status"`
	Storefront       string  `json:"storefront"`
	SecureStorefront string  `json:"secure_storefront"`
	AverageRating    *string `json:"average_rating" bind:"-"`
	Threads          string  `json:"company_thread_ids" bind:"-"`

	Custom shopapi.Custom `json:"-"`
}

// A storefront is one on its own.
type storefront struct {
	storefrontItem
	Description      string       `json:"company_description"`
	RedirectCustomer shopapi.Flag `json:"redirect_customer"`
	EntryPage        string       `json:"entry_page"`
	Countries        Countries    `json:"countries_list" types:"array"`
}

// A storefrontPayload has the fields of a body.
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

func storefrontItemOf(v *Company) storefrontItem {
	return storefrontItem{
		CompanyID: v.CompanyID, LangCode: v.LangCode, Email: v.Email, Name: v.Name, Timestamp: v.Timestamp, Status: v.Status,
		Storefront: v.Storefront, SecureStorefront: v.SecureStorefront, Threads: thread(v), Custom: v.Custom,
	}
}

func storefrontOfCompany(v *Company) storefront {
	return storefront{storefrontItemOf(v), v.Description, v.RedirectCustomer, v.EntryPage, v.Countries}
}

// bindStorefront binds a payload without the fields of vendors, and collects the contact
// data.
func (c *Companies) bindStorefront(_ context.Context, r *shopapi.Request, v *Company) error {
	kept := v.VendorFields
	err := bindBut(r, v, new(VendorFields))
	v.VendorFields = kept
	if c.settings == nil {
		return err
	}
	var problems shopapi.Problems
	problems.Merge(err)
	for _, name := range settings.CompanyFields() {
		if !r.Payload.Has(name) {
			continue
		}
		raw := r.Payload.Raw(name)
		if string(raw) == "true" || string(raw) == "false" {
			problems.Add(name, "must be a text, not a boolean")
			continue
		}
		text, err := settings.ReadValue(raw)
		if err != nil {
			problems.Add(name, "%s", err)
			continue
		}
		if v.Contact == nil {
			v.Contact = map[string]string{}
		}
		v.Contact[name] = text
	}
	return problems.Err()
}

func (c *Companies) checkStorefront(_ context.Context, _, v *Company, problems *shopapi.Problems) error {
	if v.CompanyID != c.api.DefaultCompany() { // which is there before anybody says where
		problems.Required("storefront", v.Storefront, "the address of the storefront, such as shop.example.com")
	}
	return nil
}

// writeContact gives a storefront the settings that a change named.
func (c *Companies) writeContact(ctx context.Context, v *Company) error {
	var problems shopapi.Problems
	company := v.CompanyID
	if c.isOnly() {
		company = 0
	}
	for _, name := range slices.Sorted(maps.Keys(v.Contact)) {
		err := c.settings.Set(ctx, company, settings.CompanySection+"."+name, v.Contact[name])
		var told *shopapi.Error
		switch {
		case err == nil:
		case errors.As(err, &told) && told.Fields["value"] != "":
			problems.Add(name, "%s", told.Fields["value"])
		default:
			return err
		}
	}
	v.Contact = nil
	return problems.Err()
}

// forgetStatuses removes the texts of deleted statuses.
func (c *Companies) forgetStatuses(ctx context.Context, ids []int64) error {
	return c.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return deleteTexts(tx, store.InInts("status_id", ids...))
	})
}

// forgetLanguages removes the texts in deleted languages.
func (c *Companies) forgetLanguages(ctx context.Context, ids []int64) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		for _, id := range ids {
			language, err := c.api.Lookup(ctx, "languages", shopapi.FormatID(id))
			if err != nil {
				return err
			}
			code, _ := shopapi.Field(language, "lang_code")
			n, err := translations.Delete(tx, store.Equal("lang_code", store.String(code)))
			if err != nil {
				return err
			}
			if n > 0 {
				c.api.RecordAll(ctx, "statuses")
			}
		}
		return nil
	})
}

// deleteTexts removes texts about statuses in all languages.
func deleteTexts(tx store.Tx, where store.Cond) error {
	_, err := texts.Delete(tx, where)
	if err == nil {
		_, err = translations.Delete(tx, where)
	}
	return err
}
