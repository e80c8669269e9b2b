package users

import (
	"context"
	"strconv"
	"time"

	"github.com/shopapi/shopapi"
)

// validateProfile checks the fields that lists leave out (decisions §23).
func (u *User) validateProfile(problems *shopapi.Problems) {
	if !problems.Skips("lang_code") && u.LangCode != "" && !isLanguage(u.LangCode) {
		problems.Add("lang_code", "must be the two small letters of a language, such as en, or empty")
	}
	if !problems.Skips("birthday") && !isDate(u.Birthday) {
		problems.Add("birthday", "must be a date such as 2006-01-02, seconds since 1970, or empty")
	}
	u.Billing.CheckCountry(problems, "b_")
	u.Shipping.CheckCountry(problems, "s_")
}

func isLanguage(code string) bool {
	return len(code) == 2 && code[0] >= 'a' && code[0] <= 'z' && code[1] >= 'a' && code[1] <= 'z'
}

// isDate reports whether a text is empty, a date or a time in seconds.
func isDate(text string) bool {
	if text == "" {
		return true
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return true
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(seconds, 10) == text
}

// namePlaces sets the names of the country and state of the shipping address.
func (u *User) namePlaces(ctx context.Context, api *shopapi.API) {
	u.Shipping = u.Shipping.Describe(ctx, api)
}
