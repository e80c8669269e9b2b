package shopapi

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// The settings that the library heeds (§23), each as its section and its name there.
const (
	SettingItemsPerPage        = "Appearance.items_per_page"     // of lists where the client does not say
	SettingTimeZone            = "Appearance.timezone"           // of periods and dates, such as Europe/Oslo
	SettingDefaultLanguage     = "Appearance.default_language"   // lang_code
	SettingCurrency            = "General.currency"              // three letters
	SettingAllowNegativeAmount = "General.allow_negative_amount" // Y or N: more may be ordered than there is
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

// A SettingCheck returns what is wrong with a value that a setting is to get, such as
// "must be the code of a language", "" if nothing is, or an error when it cannot
// tell. It runs in the transaction of the change.
type SettingCheck func(ctx context.Context, value string) (problem string, err error)

// CheckSetting has check asked for each value that a setting is to get, beside what
// it was declared with: by an entity that the value refers to, say. It is called
// before the first request is served.
func (a *API) CheckSetting(name string, check SettingCheck) {
	a.settings.checks[name] = append(a.settings.checks[name], check)
}

// CheckSettingValue asks what was registered with [API.CheckSetting], and notes on
// the field value what is wrong. A [SettingReader] calls it before it stores a value.
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

// settings are what the API knows of the settings of the shop.
type settings struct {
	reader SettingReader
	fixed  map[string]string
	checks map[string][]SettingCheck
	zones  sync.Map // of name to *time.Location
}

// newSettings has the settings that options fix.
func newSettings(o *Options) *settings {
	s := &settings{fixed: map[string]string{}, checks: map[string][]SettingCheck{}}
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

// applySettings notes on the request for a list how many items a page has where the
// client does not say.
func (a *API) applySettings(ctx context.Context, t *target, r *Request) error {
	if t.op != OpList || a.settings.reader == nil || r.Filter.Has("items_per_page") {
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
