package languages

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// role names a language that must stay, as "base language" or "default language". It returns
// "" for other languages.
func (l *Languages) role(ctx context.Context, code string) (string, error) {
	if code == l.base {
		return "base language", nil
	}
	return l.defaultRole(ctx, code)
}

// defaultRole is role for the default languages of the shop, of the company of ctx and of
// each storefront (decisions §23).
func (l *Languages) defaultRole(ctx context.Context, code string) (string, error) {
	standard, _, err := l.api.SettingOf(ctx, 0, shopapi.SettingDefaultLanguage)
	if err != nil {
		return "", err
	}
	own, err := l.api.DefaultLanguage(ctx)
	if err != nil {
		return "", err
	}
	if code == standard || code == own {
		return "default language", nil
	}
	if _, fixed := l.api.FixedSetting(shopapi.SettingDefaultLanguage); fixed || l.api.Edition() != shopapi.MultiStorefront {
		return "", nil
	}
	storefronts, err := l.storefronts(shopapi.WithUser(ctx, nil))
	if err != nil {
		return "", err
	}
	for _, id := range storefronts {
		chosen, _, err := l.api.SettingOf(ctx, id, shopapi.SettingDefaultLanguage)
		if err != nil {
			return "", err
		}
		if chosen == code {
			return fmt.Sprintf("default language of the storefront %d", id), nil
		}
	}
	return "", nil
}

// storefronts returns the ids of all storefronts. Without an entity stores it returns none.
func (l *Languages) storefronts(ctx context.Context) (ids []int64, err error) {
	entity := resource.CompanyEntity(l.api)
	for page := int64(1); l.api.Registered(entity); page++ {
		r := l.api.NewRequest(nil)
		r.Filter = url.Values{"page": {strconv.FormatInt(page, 10)}, "items_per_page": {strconv.Itoa(shopapi.MaxListItems)}}
		found, err := l.api.LookupList(ctx, entity, r)
		if err != nil {
			return nil, err
		}
		list, ok := found.(shopapi.List)
		if !ok {
			return ids, nil
		}
		items := reflect.ValueOf(list.Items)
		for i := range items.Len() {
			if text, ok := shopapi.Field(items.Index(i).Interface(), "company_id"); ok {
				id, err := shopapi.ParseID("storefront", text)
				if err != nil {
					return nil, err
				}
				ids = append(ids, id)
			}
		}
		if list.Params == nil || page*list.Params.ItemsPerPage >= list.Params.TotalItems {
			return ids, nil
		}
	}
	return ids, nil
}
