package companies

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/settings"
)

// bind lays a payload over a company. What only the other edition has is ignored.
func (c *Companies) bind(_ context.Context, r *shopapi.Request, v *Company) error {
	if c.vendors() {
		kept, foreign := v.StorefrontFields, StorefrontFields{}
		err := bindBut(r, v, &foreign)
		v.StorefrontFields = kept
		return err
	}
	kept, foreign := v.VendorFields, VendorFields{}
	err := bindBut(r, v, &foreign)
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
		text, err := settings.ReadValue(r.Payload.Raw(name))
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

// bindBut binds a payload, without what is wrong with fields that foreign has.
func bindBut(r *shopapi.Request, v *Company, foreign any) error {
	err := r.Bind(v)
	theirs := r.Bind(foreign)
	var all, ignored *shopapi.Error
	if !errors.As(err, &all) || !errors.As(theirs, &ignored) {
		return err
	}
	var problems shopapi.Problems
	for _, name := range slices.Sorted(maps.Keys(all.Fields)) {
		if _, ok := ignored.Fields[name]; !ok {
			problems.Add(name, "%s", all.Fields[name])
		}
	}
	return problems.Err()
}

// writeContact gives a storefront the settings that a change named.
func (c *Companies) writeContact(ctx context.Context, v *Company) error {
	var problems shopapi.Problems
	for _, name := range slices.Sorted(maps.Keys(v.Contact)) {
		err := c.settings.Set(ctx, v.CompanyID, settings.CompanySection+"."+name, v.Contact[name])
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
