package main

import (
	"context"
	"net/url"
	"strings"
)

// reads sends the longest page, and each parameter as long as it is accepted.
func (a *attack) reads(ctx context.Context, o *operation, who login) error {
	if o.idName() != "" {
		return nil // objects are read after they have grown
	}
	required := url.Values{}
	for _, p := range o.Parameters {
		if p.Ref == "" && p.In == "query" && p.Required {
			required.Set(p.Name, "1")
		}
	}
	page := shot{op: o, what: "a page of 1,000", path: o.path + "?items_per_page=1000&" + required.Encode(), who: who}
	if err := a.measure(ctx, &page); err != nil {
		return err
	}
	a.keep(&page)
	for _, p := range o.Parameters {
		if p.In != "query" || p.Schema == nil || len(p.Schema.Enum) > 0 || required.Has(p.Name) {
			continue
		}
		a.fields++
		if err := a.parameter(ctx, o, who, p.Name, required); err != nil {
			return err
		}
	}
	return nil
}

func (a *attack) keep(s *shot) {
	if s.status < 300 {
		a.admitted++
		a.accepted.add(*s)
	} else {
		a.refused.add(*s)
	}
}

// parameter sends a parameter as a long text and as a long list of ids.
func (a *attack) parameter(ctx context.Context, o *operation, who login, name string, required url.Values) error {
	for form, text := range map[string]string{"text": strings.Repeat("a", maxQuery), "ids": strings.Repeat("12345,", maxQuery/6)} {
		a.forms++
		for size := len(text); size > 0; size /= 4 {
			query := url.Values{"items_per_page": {"1000"}, name: {strings.Trim(text[:size], ",")}}
			for key := range required {
				query.Set(key, required.Get(key))
			}
			s := shot{op: o, what: name + " " + form, n: size, path: o.path + "?" + query.Encode(), who: who}
			if err := a.measure(ctx, &s); err != nil {
				return err
			}
			if size == len(text) || s.status < 300 {
				a.keep(&s)
			}
			if s.status < 300 {
				break
			}
		}
	}
	return nil
}
