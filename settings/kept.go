package settings

import (
	"cmp"
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
)

// keptFor returns the company whose value of a setting with a keeper is meant: the one to
// which ctx is confined, the company that the request names, or the default company. Such
// settings have a value for each company in every edition.
func (s *Settings) keptFor(ctx context.Context, named int64) int64 {
	if own, confined := shopapi.CompanyOf(ctx); confined {
		return own
	}
	return cmp.Or(named, s.api.DefaultCompany())
}

// keep has the keeper of a setting write a value for root, and reports the change.
func (s *Settings) keep(ctx context.Context, k shopapi.SettingKeeper, d *declared, company int64, text *string) error {
	if user := shopapi.UserFrom(ctx); user != nil && (!user.Root || user.IsConfined()) {
		return shopapi.Errorf(http.StatusForbidden, "Only root may change %s.", d.Name)
	}
	if text == nil {
		return shopapi.Invalid("value", "cannot be reset: %s is a counter", d.Name)
	}
	company = s.keptFor(ctx, company)
	problem, err := k.SetSettingValue(ctx, company, *text)
	if err != nil {
		return err
	}
	if problem != "" {
		return shopapi.Invalid("value", "%s", problem)
	}
	s.api.Changed(ctx, "settings", shopapi.OpUpdate, shopapi.FormatID(d.objectID), "value")
	return nil
}
