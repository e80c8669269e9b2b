package settings

import (
	"math"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
)

// library returns the settings that the library uses. The default language is the base
// language, unless the shop sets another.
func library(baseLanguage string) []Setting {
	list := []Setting{
		named(shopapi.SettingItemsPerPage, Setting{
			Default: "10", Check: WholeNumber(1, math.MaxInt32), Position: 10,
			Description: "Items per page", Tooltip: "How many items a list has where a client does not say",
		}),
		named(shopapi.SettingTimeZone, Setting{
			Default: "UTC", Check: timeZone, Position: 20,
			Description: "Time zone", Tooltip: "Of dates and of periods such as this month",
		}),
		named(shopapi.SettingDefaultLanguage, Setting{
			Default: baseLanguage, Check: language, Position: 30, Description: "Default language",
		}),
		named(shopapi.SettingCurrency, Setting{
			Default: "USD", Check: currency, Position: 110, Description: "Currency",
		}),
		named(shopapi.SettingAllowNegativeAmount, Setting{
			Type: Checkbox, Default: "N", Position: 120,
			Description: "Allow negative amounts", Tooltip: "Whether more can be ordered than there is in stock",
		}),
		named(shopapi.SettingTaxRounding, Setting{
			Type: Select, Default: "line", Position: 125,
			Variants:    []Variant{{"line", "Each line"}, {"order", "Each order"}},
			Description: "Rounding of taxes", Tooltip: "Whether each tax is rounded for each line of an order, or once for the order",
		}),
		named(shopapi.SettingDefaultCategory, Setting{
			Check: idOrNone, Position: 130,
			Description: "Default category", Tooltip: "The id of the category of new products that name none, where the dialect is live",
		}),
		named(shopapi.SettingOrderRequiredFields, Setting{
			Default: address.DefaultRequired, Check: addressFields, Position: 140,
			Description: "Required fields of orders",
			Tooltip:     "The fields of both addresses that an order of a guest needs, without b_ and s_, separated by commas",
		}),
	}
	for i, of := range []struct{ form, next, standard, document string }{
		{shopapi.SettingInvoiceForm, shopapi.SettingInvoiceNext, "INV-{year}-{number}", "invoices"},
		{shopapi.SettingCreditMemoForm, shopapi.SettingCreditMemoNext, "CM-{year}-{number}", "credit memos"},
	} {
		list = append(list, named(of.form, Setting{
			Default: of.standard, Check: numberForm, Position: int64(150 + 20*i),
			Description: "Numbers of " + of.document, Tooltip: "{number} is the number; with {year} numbers begin again each year",
		}), named(of.next, Setting{
			Default: "1", Check: WholeNumber(1, maxNumber), Position: int64(160 + 20*i),
			Description: "Next number of " + of.document, Tooltip: "Any number above the highest that was given",
		}))
	}
	for i, field := range companyFields {
		list = append(list, Setting{
			Section: CompanySection, Name: field.name, Type: field.kind, Check: field.check,
			Position: int64(210 + 10*i), Description: field.description,
		})
	}
	return list
}

// maxNumber is the greatest number of a document.
const maxNumber = 999_999_999_999

// named returns a setting with the section and name of an id of the API.
func named(id string, s Setting) Setting {
	s.Section, s.Name, _ = strings.Cut(id, ".")
	return s
}

// CompanySection is the section with the data of the company that runs the shop.
const CompanySection = "Company"

// companyFields are the settings of that section, which each storefront can have for
// itself.
var companyFields = []struct {
	name, description string
	kind              Type
	check             check
}{
	{"company_name", "Company name", Input, nil},
	{"company_address", "Address", Input, nil},
	{"company_city", "City", Input, nil},
	{"company_country", "Country", Country, nil},
	{"company_state", "State or province", State, nil},
	{"company_zipcode", "Zip or postal code", Input, nil},
	{"company_phone", "Phone", Input, nil},
	{"company_phone_2", "Second phone", Input, nil},
	{"company_fax", "Fax", Input, nil},
	{"company_website", "Website", Input, nil},
	{"company_start_year", "Year in which the shop opened", Input, year},
	{"company_users_department", "E-mail of the users department", Input, nil},
	{"company_site_administrator", "E-mail of the site administrator", Input, nil},
	{"company_orders_department", "E-mail of the orders department", Input, nil},
	{"company_support_department", "E-mail of the support department", Input, nil},
	{"company_newsletter_email", "E-mail that newsletters come from", Input, nil},
}

// CompanyFields returns the names of the settings of [CompanySection].
func CompanyFields() []string {
	names := make([]string, len(companyFields))
	for i, field := range companyFields {
		names[i] = field.name
	}
	return names
}
