package companies

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/internal/entries"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// vendors is the kind of the edition with several vendors.
func (c *Companies) vendors() kind {
	k := kind{
		name:        "vendors",
		object:      "vendor",
		summary:     "The vendors who sell in the shop.",
		privileges:  shopapi.Privileges{View: "view_vendors", Manage: "manage_vendors"},
		payload:     reflect.TypeFor[vendor](),
		required:    []string{"email", "phone", "address", "city", "country", "state"},
		bind:        bindVendor,
		check:       c.checkVendor,
		encode:      func(v *Company) any { return vendorOf(v) },
		encodeItems: func(list []Company) any { return each(list, vendorItemOf) },
		created:     vendorCreated,
		relate: func(context.Context) error {
			c.api.RefuseDelete("categories", c.refuseCategories)
			c.api.BeforeDelete("categories", resource.DropIDs(c.api, c.st, "vendors", table, "categories", func(v *Company) *shopapi.IDList { return &v.Categories }))
			c.api.BeforeDelete("shippings", c.dropShippings)
			c.api.AfterMove("shippings", c.dropMoved)
			return nil
		},
	}
	if c.api.Dialect() == shopapi.DialectDocumented {
		k.required = append(k.required, "zipcode")
	}
	return k
}

var vendorStatuses = []string{New, Active, Pending, Disabled}

// A vendorItem is a vendor in lists.
type vendorItem struct {
	CompanyID     int64   `json:"company_id,string" bind:"-"`
	LangCode      string  `json:"lang_code"`
	Email         string  `json:"email"`
	Name          string  `json:"company"`
	Timestamp     int64   `json:"timestamp,string"`
	Status        string  `json:"status"`
	SEOName       string  `json:"seo_name"`
	SEOPath       string  `json:"seo_path" bind:"-"`
	AverageRating *string `json:"average_rating" bind:"-"`
	Threads       string  `json:"company_thread_ids" bind:"-"`

	Custom shopapi.Custom `json:"-"`
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

func vendorItemOf(v *Company) vendorItem {
	return vendorItem{
		CompanyID: v.CompanyID, LangCode: v.LangCode, Email: v.Email, Name: v.Name, Timestamp: v.Timestamp, Status: v.Status,
		SEOName: v.SEOName, Threads: thread(v), Custom: v.Custom,
	}
}

func vendorOf(v *Company) vendor {
	return vendor{
		vendorItem: vendorItemOf(v), Storefront: v.Storefront, Description: v.Description, Phone: v.Phone, Address: v.Address,
		City: v.City, Country: v.Country, State: v.State, Zipcode: v.Zipcode, URL: v.URL, Fax: v.Fax, Terms: v.Terms,
		Categories: v.Categories, Shippings: v.Shippings, Commission: v.Commission, CommissionType: v.CommissionType,
		PreModeration: v.PreModeration, PreModerationEdit: v.PreModerationEdit, PreModerationEditVendors: v.PreModerationEditVendors,
	}
}

// vendorCreated returns the members of the reply to POST beside the id. In the live
// dialect the id is a number (decisions §14). The message is empty: published clients take
// any other for an error (decisions §27).
func vendorCreated(api *shopapi.API, id string) shopapi.Map {
	var value any = id
	if api.Dialect() == shopapi.DialectLive {
		if n, err := shopapi.ParseID("vendor", id); err == nil {
			value = n
		}
	}
	return shopapi.Map{{Name: "company_id", Value: value}, {Name: "message", Value: ""}}
}

// bindVendor binds a payload without the fields of storefronts.
func bindVendor(_ context.Context, r *shopapi.Request, v *Company) error {
	kept := v.StorefrontFields
	err := bindBut(r, v, new(StorefrontFields))
	v.StorefrontFields = kept
	return err
}

// checkVendor checks the fields of vendors.
func (c *Companies) checkVendor(ctx context.Context, before, v *Company, problems *shopapi.Problems) error {
	// Nobody was asked for the fields of the default company.
	if v.CompanyID != c.api.DefaultCompany() || before.Email != "" {
		for _, f := range []struct{ field, value, hint string }{
			{"email", v.Email, "where the vendor is written to"}, {"phone", v.Phone, "where the vendor is rung up"},
			{"address", v.Address, "street and number"}, {"city", v.City, "of the address"},
			{"country", v.Country, "of the address, two letters"}, {"state", v.State, "of the address"},
		} {
			problems.Required(f.field, f.value, f.hint)
		}
		if c.api.Dialect() == shopapi.DialectDocumented {
			problems.Required("zipcode", v.Zipcode, "of the address")
		}
	}
	if v.Country != "" && !problems.Skips("country") && !address.IsCountry(v.Country) {
		problems.Add("country", "must be the two letters of a country, such as NO")
	}
	if err := resource.CheckIDs(ctx, c.api, problems, "categories", "categories", v.Categories); err != nil {
		return err
	}
	return c.checkShippings(ctx, v, problems)
}

// checkShippings reports the first of the vendor's shipping methods that is not one of the
// shop's: an array or an object has their ids, or an object has Y or N for each.
func (c *Companies) checkShippings(ctx context.Context, v *Company, problems *shopapi.Problems) error {
	if problems.Skips("shippings") {
		return nil
	}
	list, err := entries.Parse(json.RawMessage(v.Shippings))
	if err != nil {
		problems.Add("shippings", `must be ids of shipping methods of the shop, as an array or an object such as {"1": "3"}`)
		return nil
	}
	found := map[int64]bool{}
	for i := range list {
		text, id, ok := methodOf(&list[i])
		if ok && !found[id] { // a list may repeat one id thousands of times
			if ok, err = c.hasMethod(ctx, id); err != nil {
				return err
			}
			found[id] = ok
		}
		if !ok {
			problems.Add("shippings", "must be ids of shipping methods of the shop, not %s", plain.Quoted(text))
			return nil
		}
	}
	return nil
}

// methodOf returns the text of an entry that names a shipping method, and its id. ok is false where the
// text is not a number.
func methodOf(e *entries.Entry) (text string, id int64, ok bool) {
	text, ok = wire.Text(e.Value)
	if !ok {
		text = string(e.Value)
	}
	if text == "Y" || text == "N" {
		return e.Key, e.ID(), true
	}
	id, ok = wire.ParseWhole(text)
	return text, id, ok
}

// dropMoved removes a shipping method that has moved to a vendor from the lists of vendors: these
// name methods of the shop alone.
func (c *Companies) dropMoved(ctx context.Context, method, company int64) error {
	if company == c.api.DefaultCompany() {
		return nil
	}
	return c.dropShippings(ctx, []int64{method})
}

// dropShippings takes shipping methods out of the lists of vendors.
func (c *Companies) dropShippings(ctx context.Context, ids []int64) error {
	const column, none = "shippings", "[]"
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		left := map[int64]string{} // by vendor
		err := table.Subset(column).Each(tx, store.Query{Where: []store.Cond{
			store.NotEqual(column, store.String("")), store.NotEqual(column, store.String(none)),
		}}, func(v *Company) error {
			list, err := withoutMethods(v.Shippings, ids)
			if err == nil && list != nil {
				left[v.CompanyID] = string(list)
			}
			return err
		})
		if err != nil || len(left) == 0 {
			return err
		}
		vendors := slices.Sorted(maps.Keys(left))
		for _, id := range vendors {
			set := func(row []store.Value) { row[table.Schema().Index(column)] = store.String(left[id]) }
			if err := table.Alter(tx, set, store.Equal(table.Schema().Key(), store.Int(id))); err != nil {
				return err
			}
		}
		c.api.RecordEach(ctx, "vendors", shopapi.OpUpdate, vendors, column)
		return nil
	})
}

// withoutMethods returns a list of shipping methods without some of them, in the form that it has. It
// returns nil where the list names none of them.
func withoutMethods(list shopapi.JSON, ids []int64) (shopapi.JSON, error) {
	parsed, err := entries.Parse(json.RawMessage(list))
	if err != nil {
		return nil, nil // of an older database: it is answered as it was until it is written
	}
	gone := func(e entries.Entry) bool {
		_, id, ok := methodOf(&e)
		return ok && slices.Contains(ids, id)
	}
	left := slices.DeleteFunc(slices.Clone(parsed), gone)
	switch {
	case len(left) == len(parsed):
		return nil, nil
	case len(left) == 0:
		return shopapi.JSON("[]"), nil
	}
	var form any
	if left[0].Index {
		values := make([]json.RawMessage, len(left))
		for i, e := range left {
			values[i] = e.Value
		}
		form = values
	} else {
		values := map[string]json.RawMessage{}
		for _, e := range left {
			values[e.Key] = e.Value
		}
		form = values
	}
	return json.Marshal(form)
}

// hasMethod reports whether a shipping method is one of the whole shop's.
func (c *Companies) hasMethod(ctx context.Context, id int64) (bool, error) {
	method, err := c.api.Lookup(ctx, "shippings", shopapi.FormatID(id))
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		return true, nil
	case errors.Is(err, shopapi.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	company, _ := shopapi.Field(method, "company_id")
	return company == shopapi.FormatID(c.api.DefaultCompany()), nil
}

// refuseCategories rejects the deletion of the last categories that a vendor may sell in,
// because an empty list means all categories.
func (c *Companies) refuseCategories(ctx context.Context, ids []int64) error {
	return c.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		return table.Each(tx, store.Query{Where: []store.Cond{store.NotEqual("categories", store.String(""))}}, func(v *Company) error {
			if v.Categories.Without(ids...) != "" {
				return nil
			}
			if !resource.Visible(ctx, v.CompanyID) {
				return shopapi.Errorf(400, "Another vendor may sell in this category and in no other that stays. Only administrators of the shop can change that.")
			}
			return shopapi.Errorf(400, "The vendor %d (%s) may sell in this category and in no other that stays. Give the vendor another category first, or none, which stands for all.",
				v.CompanyID, v.Name)
		})
	})
}
