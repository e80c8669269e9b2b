package shopapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Validate reports what is wrong with the options, all of it at once: a limit that
// is negative where that means nothing, an edition or dialect that there is not, an
// origin that is none. It may be called on nil.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	var errs []error
	l := o.Limits
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"Limits.Body", l.Body}, {"Limits.Query", l.Query}, {"Limits.Response", l.Response}, {"Limits.ItemsPerPage", int64(l.ItemsPerPage)}, {"Limits.MaxItemsPerPage", int64(l.MaxItemsPerPage)},
		{"Limits.Time", int64(l.Time)}, {"Limits.Events", l.Events}, {"Limits.LoginFailures", int64(l.LoginFailures)},
		{"Limits.LoginWindow", int64(l.LoginWindow)}, {"Limits.LoginEntries", int64(l.LoginEntries)}, {"DefaultCompany", o.DefaultCompany},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("shopapi: Options.%s must not be negative: it is %d", limit.name, limit.value))
		}
	}
	if o.Edition < SingleStore || o.Edition > MultiVendor {
		errs = append(errs, fmt.Errorf("shopapi: Options.Edition is no edition: it is %d", o.Edition))
	}
	if o.Dialect < Documented || o.Dialect > Live {
		errs = append(errs, fmt.Errorf("shopapi: Options.Dialect is no dialect: it is %d", o.Dialect))
	}
	if strings.Trim(o.ProxyHeader, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		errs = append(errs, fmt.Errorf("shopapi: Options.ProxyHeader is no name of a header: it is %q", o.ProxyHeader))
	}
	for name, code := range map[string]string{"BaseLanguage": o.BaseLanguage, "DefaultLanguage": o.DefaultLanguage} {
		if parsed, ok := ParseLanguage(code); code != "" && (!ok || parsed != code) {
			errs = append(errs, fmt.Errorf("shopapi: Options.%s must be two letters in lower case: it is %q", name, code))
		}
	}
	for _, origin := range o.TrustedOrigins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			errs = append(errs, fmt.Errorf("shopapi: Options.TrustedOrigins has an %w", err))
		}
	}
	return errors.Join(errs...)
}

// Check reports what only shows once all entities are registered: names in
// [Options.Privileges] that are not registered, so that privileges which a host
// means to rename would stay as they are, and actions that are children of their
// entity too. The first request checks it too; when
// something is wrong, every request is answered 500 and logged.
func (a *API) Check() error {
	registered := map[string]bool{}
	for name := range a.registry.top {
		registered[name] = true
	}
	for key := range a.registry.under {
		registered[key[1]] = true
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(a.opts.Privileges)) {
		if !registered[name] {
			unknown = append(unknown, name)
		}
	}
	errs := []error{a.registry.checkActions()}
	if len(unknown) > 0 {
		errs = append(errs, fmt.Errorf("shopapi: Options.Privileges name entities that are not registered: %s", strings.Join(unknown, ", ")))
	}
	return errors.Join(errs...)
}
