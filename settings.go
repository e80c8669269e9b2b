package shopapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/store/driver"
)

// The settings that the library heeds (§23), each as its section and its name there.
const (
	SettingItemsPerPage        = "Appearance.items_per_page"     // of lists where the client does not say
	SettingTimeZone            = "Appearance.timezone"           // of periods and dates, such as Europe/Oslo
	SettingDefaultLanguage     = "Appearance.default_language"   // lang_code
	SettingCurrency            = "General.currency"              // three letters
	SettingAllowNegativeAmount = "General.allow_negative_amount" // Y or N: more may be ordered than there is
	SettingOrderRequiredFields = "General.order_required_fields" // of the addresses of guests
	SettingTaxRounding         = "General.tax_rounding"          // line or order: whether each tax is rounded by line or once per order
	SettingDefaultCategory     = "General.default_category"      // of products that name none, in the live dialect
	SettingInvoiceForm         = "General.invoice_form"          // of the numbers of invoices, such as INV-{year}-{number}
	SettingCreditMemoForm      = "General.credit_memo_form"      // of the numbers of credit memos
	SettingInvoiceNext         = "General.invoice_next"          // the next number of an invoice
	SettingCreditMemoNext      = "General.credit_memo_next"      // the next number of a credit memo
)

// A SettingReader knows the settings of the shop. Package settings has one.
type SettingReader interface {
	// Setting returns the value that is in force in a company, and false for a
	// setting that is not declared. Company 0 is the whole shop, which the companies
	// without a value of their own follow. The read is recorded in the read set of
	// ctx, so that no response outlives a change.
	Setting(ctx context.Context, company int64, name string) (value string, declared bool, err error)
}

// UseSettings has the API heed the settings that r knows. It is called before the
// first request is served.
func (a *API) UseSettings(r SettingReader) { a.settings.reader = r }

// Setting returns the value of a setting, such as [SettingCurrency], that is in force
// in ctx: in the edition with several storefronts that of the one to which ctx is
// confined, if any. ok is false where it is not declared, or the shop has no
// settings; an option given in Go still counts then.
func (a *API) Setting(ctx context.Context, name string) (value string, ok bool, err error) {
	var company int64
	if own, confined := CompanyOf(ctx); confined && a.Edition() == MultiStorefront {
		company = own
	}
	return a.SettingOf(ctx, company, name)
}

// SettingOf is [API.Setting] in a company, whatever ctx is confined to.
func (a *API) SettingOf(ctx context.Context, company int64, name string) (value string, ok bool, err error) {
	if value, ok := a.FixedSetting(name); ok {
		return value, true, nil
	}
	if a.settings.reader == nil {
		return "", false, nil
	}
	return a.settings.reader.Setting(ctx, company, name)
}

// FixSetting has an option that the host gives in Go win over a setting: it is shown
// with this value, and cannot be changed. It is called before the first request is
// served. [Limits.ItemsPerPage], [Options.Location] and
// [Options.DefaultLanguage] fix theirs.
func (a *API) FixSetting(name, value string) { a.settings.fixed[name] = value }

// FixedSetting returns the value that an option given in Go has for a setting.
func (a *API) FixedSetting(name string) (value string, fixed bool) {
	value, fixed = a.settings.fixed[name]
	return value, fixed
}

// A SettingCheck returns the problem of a new value of a setting, such as "must be the
// code of a language", "" if the value is valid, or an error if it cannot decide. It runs
// in the transaction of the change.
type SettingCheck func(ctx context.Context, value string) (problem string, err error)

// CheckSetting registers check for new values of a setting, in addition to its
// declaration: for example, for an entity that the value refers to. Call it before the
// first request is served.
func (a *API) CheckSetting(name string, check SettingCheck) {
	a.settings.checks[name] = append(a.settings.checks[name], check)
}

// CheckSettingValue runs the checks registered with [API.CheckSetting], and reports their
// problems on the field value. A [SettingReader] calls it before it stores a value.
func (a *API) CheckSettingValue(ctx context.Context, problems *Problems, name, value string) error {
	for _, check := range a.settings.checks[name] {
		problem, err := check(ctx, value)
		if err != nil {
			return err
		}
		if problem != "" {
			problems.Add("value", "%s", problem)
		}
	}
	return nil
}

// A SettingKeeper keeps the value of one setting in place of the entity settings: a value that
// changes by itself, such as a counter. Only root may write it.
type SettingKeeper interface {
	// SettingValue returns the value of a company.
	SettingValue(ctx context.Context, company int64) (string, error)

	// SetSettingValue writes the value of a company in the transaction of ctx. It returns a
	// problem such as "must be a number", "" if there is none.
	SetSettingValue(ctx context.Context, company int64, value string) (problem string, err error)
}

// KeepSetting has k keep the value of a setting, which is declared otherwise as any. Call it
// before the first request is served.
func (a *API) KeepSetting(name string, k SettingKeeper) { a.settings.keepers[name] = k }

// SettingKeeper returns the keeper of a setting, nil when it has none.
func (a *API) SettingKeeper(name string) SettingKeeper { return a.settings.keepers[name] }

// settings are the settings of the shop that the API uses.
type settings struct {
	reader SettingReader
	fixed  map[string]string
	checks map[string][]SettingCheck
	zones  zones

	keepers map[string]SettingKeeper
}

// zones are the *time.Location by their names: a [sync.Map], which has a generic type in it, see parts.
type zones interface {
	Load(name any) (zone any, known bool)
	Store(name, zone any)
}

// newSettings has the settings that options fix.
func newSettings(o *Options) *settings {
	s := &settings{zones: new(sync.Map), fixed: map[string]string{}, checks: map[string][]SettingCheck{}, keepers: map[string]SettingKeeper{}}
	if o != nil && o.Limits.ItemsPerPage != 0 {
		s.fixed[SettingItemsPerPage] = strconv.Itoa(o.Limits.ItemsPerPage)
	}
	if o != nil && o.Location != nil {
		s.fixed[SettingTimeZone] = o.Location.String()
	}
	if o != nil && o.DefaultLanguage != "" {
		s.fixed[SettingDefaultLanguage] = o.DefaultLanguage
	}
	return s
}

// setPageSize sets the default size of pages for a list.
func (a *API) setPageSize(ctx context.Context, r *Request) error {
	if a.settings.reader == nil || r.Filter.Has("items_per_page") {
		return nil
	}
	text, ok, err := a.Setting(ctx, SettingItemsPerPage)
	if err != nil || !ok {
		return err
	}
	r.itemsPerPage, err = strconv.ParseInt(text, 10, 64)
	return err
}

// LocationIn is the time zone of periods and dates in ctx: that of the setting
// [SettingTimeZone], unless [Options.Location] is given.
func (a *API) LocationIn(ctx context.Context) (*time.Location, error) {
	if _, fixed := a.settings.fixed[SettingTimeZone]; fixed || a.settings.reader == nil {
		return a.opts.Location, nil
	}
	name, ok, err := a.Setting(ctx, SettingTimeZone)
	if err != nil || !ok {
		return a.opts.Location, err
	}
	if zone, known := a.settings.zones.Load(name); known {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the setting %s: %w", SettingTimeZone, err)
	}
	a.settings.zones.Store(name, zone)
	return zone, nil
}

// Now is the time of the API's clock. A response that depends on it is not cached (see
// [Description]), which is why it needs the context.
func (a *API) Now(ctx context.Context) time.Time {
	driver.ReadSetOf(ctx).MarkUntracked()
	return a.opts.Clock()
}

// Today is Now in a time zone for what depends on its date alone. A response that does is
// cached until the day is over there.
func (a *API) Today(ctx context.Context, zone *time.Location) time.Time {
	now := a.opts.Clock().In(zone)
	driver.ReadSetOf(ctx).While(func() bool { return sameDay(now, a.opts.Clock().In(zone)) })
	return now
}

func sameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }

// Location is [Options.Location]. What periods and dates follow is [API.LocationIn].
func (a *API) Location() *time.Location {
	return a.opts.Location
}

// Logger is [Options.Logger], for packages that work beside requests.
func (a *API) Logger() *slog.Logger { return a.opts.Logger }

// Edition is the shop's edition (§11).
func (a *API) Edition() Edition {
	return a.opts.Edition
}

// Dialect is the reading that answers follow (§4).
func (a *API) Dialect() Dialect {
	return a.opts.Dialect
}

// DefaultCompany is the company of objects that name none.
func (a *API) DefaultCompany() int64 {
	return a.opts.DefaultCompany
}

// Limits are the limits of requests, with defaults for options that are not set.
func (a *API) Limits() Limits {
	return a.opts.Limits
}

type languageKey struct{}

// WithLanguage returns a context whose reads and writes use the language with the code,
// like ?sl= over HTTP (§15): Get and Find return texts in that language, Create and
// Update write them. A text without a translation is read in the default language, then
// in the base language. "" is the default language. The code is not checked; see
// [ParseLanguage].
func WithLanguage(ctx context.Context, code string) context.Context {
	if code == LanguageFrom(ctx) {
		return ctx
	}
	return context.WithValue(ctx, languageKey{}, code)
}

// LanguageFrom returns the language that ctx names, "" where it names none.
func LanguageFrom(ctx context.Context) string {
	code, _ := ctx.Value(languageKey{}).(string)
	return code
}

// ParseLanguage returns the language code that a text is, in lower case. ok is false
// for a text that is not two letters (§15).
func ParseLanguage(text string) (code string, ok bool) {
	if len(text) != 2 || !isLetter(text[0]) || !isLetter(text[1]) {
		return "", false
	}
	return strings.ToLower(text), true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

const noLanguage = "must be a language code of two letters, such as en, not %s"

// Language notes a problem when a field does not hold a language code, and returns
// the code.
func (p *Problems) Language(field, text string) string {
	code, ok := ParseLanguage(text)
	if !ok && !p.Skips(field) {
		p.Add(field, noLanguage, quoted(text))
	}
	return code
}

// PayloadLanguage returns the language in lang_code of a POST or PUT, or "". It reports
// an invalid language code.
func (r *Request) PayloadLanguage(problems *Problems) string {
	raw := r.Payload.Raw("lang_code")
	if raw == nil || string(raw) == "null" || string(raw) == `""` {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return problems.Language("lang_code", text)
}

// BaseLanguage is [Options.BaseLanguage].
func (a *API) BaseLanguage() string { return a.opts.BaseLanguage }

// StoreImage is [Options.StoreImage], which is not asked about uploaded images.
func (a *API) StoreImage() func(ctx context.Context, entity, reference string) (string, error) {
	if a.opts.StoreImage == nil || a.isUpload == nil {
		return a.opts.StoreImage
	}
	return func(ctx context.Context, entity, reference string) (string, error) {
		if is, err := a.isUpload(ctx, reference); err != nil || is {
			return reference, err
		}
		return a.opts.StoreImage(ctx, entity, reference)
	}
}

// StoreUpload is [Options.StoreUpload].
func (a *API) StoreUpload() func(ctx context.Context, entity, contentType string, body io.Reader) (string, error) {
	return a.opts.StoreUpload
}

// UseUploads has [Options.StoreImage] not asked about the references that isUpload knows.
// Call UseUploads before the first request.
func (a *API) UseUploads(isUpload func(ctx context.Context, reference string) (bool, error)) {
	a.isUpload = isUpload
}

// DefaultLanguage returns the language that is read and written in ctx where none is
// named: that of the setting [SettingDefaultLanguage], which [Options.DefaultLanguage]
// fixes. It is "" in a shop without settings, and then the base language.
func (a *API) DefaultLanguage(ctx context.Context) (string, error) {
	code, _, err := a.Setting(ctx, SettingDefaultLanguage)
	return code, err
}

// Language is the code of the language that the parameter sl names, "" where it is not sent.
func (r *Request) Language() string { return r.language }

// ReadLanguage reads the parameter sl, which names the language of a request (§15).
func (r *Request) ReadLanguage() error {
	values := r.Filter["sl"]
	if len(values) == 0 {
		return nil
	}
	var problems Problems
	r.language = problems.Language("sl", strings.TrimSpace(query.Last(values)))
	return problems.Err()
}

// PlaceName returns the name of a country, or of a state in it: the result of
// [Options.PlaceName], else the code (§23). If state is "", it is the country's.
func (a *API) PlaceName(ctx context.Context, country, state string) string {
	code := cmp.Or(state, country)
	if a.opts.PlaceName == nil || code == "" {
		return code
	}
	return cmp.Or(a.opts.PlaceName(ctx, country, state), code)
}

// CustomFields returns the fields that the host adds to an entity, in the order of their
// declaration. Callers must not change them.
func (a *API) CustomFields(entity string) []CustomField { return a.opts.CustomFields[entity] }

// CustomerFields returns the fields that the host adds to the addresses of customers. They are
// personal. Callers must not change them.
func (a *API) CustomerFields() []CustomField { return a.opts.CustomerFields }

// CheckCustomFields returns the error for fields of entities that are not registered, or
// take none. [API.Check] calls it.
func (a *API) CheckCustomFields() error {
	var errs []error
	for _, entity := range slices.Sorted(maps.Keys(a.opts.CustomFields)) {
		fields := a.opts.CustomFields[entity]
		if len(fields) > 0 && len(a.customOf(entity)) == 0 {
			errs = append(errs, fmt.Errorf("shopapi: Options.CustomFields: the field %s: %s is not an entity that takes custom fields", fields[0].Name, entity))
		}
	}
	return errors.Join(errs...)
}

// customOf returns the custom fields of an entity, at the top or below a parent.
func (a *API) customOf(entity string) []CustomField {
	if e, ok := partsOf(a).registry.Find(entity); ok {
		return e.Custom
	}
	return nil
}

// CustomFieldsFor returns the custom fields that a user sees; nil is the host's own code,
// which sees all of them.
func CustomFieldsFor(user *User, fields []CustomField) []CustomField {
	hidden := func(f CustomField) bool { return !canView(user, &f) }
	if !slices.ContainsFunc(fields, hidden) {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), hidden)
}

func canView(user *User, f *CustomField) bool { return f.View == "" || user.Can(f.View) }
